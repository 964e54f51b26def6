/** @file Programs behind HTTP. */
export * from "@sconce/serve";
