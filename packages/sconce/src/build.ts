/** @file Programs as modules with their own kernels. */
export * from "@sconce/build";
