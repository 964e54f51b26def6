/** @file The element `sconce-graph` for pages. Importing this module defines it. */
export * from "@sconce/studio/graph-element";
