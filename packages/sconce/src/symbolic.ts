/** @file Symbolic sizes: expressions, ranges, guards. */
export * from "@sconce/symbolic";
