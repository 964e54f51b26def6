/** @file Matchers for vitest: importing this module adds them to `expect`. */
import "@sconce/testing/vitest";

export * from "@sconce/testing/vitest";
