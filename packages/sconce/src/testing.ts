/** @file Helpers for tests. */
export * from "@sconce/testing";
