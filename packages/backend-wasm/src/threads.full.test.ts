/** @file Recorded calls and random programs on two threads, with all kernels divided. */
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { backendSpec } from "@sconce/testing/vitest";
import { afterAll, describe } from "vitest";
import { backendOn } from "./backend/open.js";
import { MemoryOwner } from "./device/wasm-memory.js";

const owner = new MemoryOwner(2, { least: 0 });
// Threads stay for all tests.
owner.open();
afterAll(() => owner.close());

backendSpec(backendOn(owner), { programs: 50 });
describe("recorded calls", () => {
  backendCasesSpec(() => backendOn(owner), { operators: defaultOperators(), every: 6 });
});
