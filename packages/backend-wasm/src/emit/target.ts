/** @file What WebAssembly can do, as far as scheduling has to know. */
import { ALL_INTEGERS, type Target } from "@sconce/codegen";

/**
 * Kernels run as units one after another, which threads may share. Places are 32-bit integers:
 * memory has at most 4 GiB.
 */
export const WASM: Target = {
  name: "wasm",
  threads: "units",
  maxSide: Number.POSITIVE_INFINITY,
  exactIndex: 2 ** 31,
  dividesInFloats: false,
  sumsIn: "float32",
  hasInfinity: true,
  unroll: 1,
  speculation: { operations: 8, loads: "known" },
  integers: ALL_INTEGERS,
  maxReads: 16,
};
