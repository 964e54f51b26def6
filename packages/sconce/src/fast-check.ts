/** @file Random programs as arbitraries of fast-check. */
export * from "@sconce/testing/fast-check";
