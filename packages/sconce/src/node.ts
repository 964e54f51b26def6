/** @file What needs Node: files. */
export * from "@sconce/formats/node";
