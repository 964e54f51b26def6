/** @file The module `sconce` of the playground: the same names as the package has. */
export * from "@sconce/capture";
export { SymInt } from "@sconce/capture";
export * from "@sconce/session";
export { tuple } from "@sconce/session";
