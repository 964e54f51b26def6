/** @file Calls with operands of no elements, of each operator that has a lowering. */
import { LOWERINGS } from "@sconce/codegen";
import { defaultOperators } from "@sconce/ops";
import { readAllCases } from "@sconce/ops-cases/node";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { describe, expect, test } from "vitest";
import { wasmBackend } from "./index.js";

const operators = defaultOperators();
describe.each([1, 2])("%i threads", (threads) => {
  const { counts } = backendCasesSpec(() => wasmBackend({ threads }), {
    operators,
    filter: ({ source }) => source === "empties",
  });
  test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(700));
});

test("lowerings without such calls", () => {
  const called = new Set(
    readAllCases().flatMap(({ target, source }) => (source === "empties" ? [target] : [])),
  );
  const without = Object.keys(LOWERINGS).filter((target) => !called.has(target));
  expect(without.sort()).toMatchInlineSnapshot();
});
