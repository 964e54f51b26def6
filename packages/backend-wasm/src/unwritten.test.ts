/**
 * @file Recorded calls in a memory whose free places hold NaN and large integers: a result with
 * bytes that no kernel wrote, or a kernel that reads such bytes, differs from PyTorch.
 */
import { LOWERINGS } from "@sconce/codegen";
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { afterAll, describe, expect, test } from "vitest";
import { backendOn } from "./backend/open.js";
import { MemoryOwner } from "./device/wasm-memory.js";
import { FILLING } from "./unwritten.fixture.js";

const owner = new MemoryOwner(1, { filling: FILLING });
owner.open();
afterAll(() => owner.close());

test("free places are filled", () => {
  const memory = owner.open();
  const at = memory.take(100);
  expect([...memory.read(at, 100)]).toEqual(new Array(100).fill(FILLING));
  memory.give(at);
  owner.close();
});

describe("recorded calls", () => {
  backendCasesSpec(() => backendOn(owner), {
    operators: defaultOperators(),
    filter: ({ target }) => Object.hasOwn(LOWERINGS, target),
    every: 160,
  });
});
