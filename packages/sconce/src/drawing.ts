/** @file Drawings of programs: hierarchies, layouts, SVG. */
export * from "@sconce/drawing";
