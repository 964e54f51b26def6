/** @file The module `sconce` of the playground: the same names as the package has. */
export * from "@sconce/capture/public";
export * from "@sconce/session/public";
