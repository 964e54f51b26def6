import { createEvaluator } from "@sconce/backend-cpu";
import { parseIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { prepare } from "./prepare.js";

const operators = defaultOperators();
const evaluate = createEvaluator({ operators });

/** Writes a value of `size` elements to the input `x` of `s0` elements. */
const writing = (size: string) =>
  parseIr(
    `sconce-ir 1
symbol s0 integer positive
symbol s1 integer positive
program "ATEN" {
  input %x: USER_INPUT
  input %y: USER_INPUT
  output %neg: USER_INPUT_MUTATION "x"
  output %neg: USER_OUTPUT
}
graph(%x: f32[s0], %y: f32[${size}]) {
  %neg: f32[${size}] = aten.neg.default(%y)
  return (%neg, %neg)
}`,
    { tensors: new Map<string, Tensor>() },
  );

test("a tensor that a run gives another symbolic size is left to the host", async () => {
  const reasonOf = async (size: string): Promise<unknown> => {
    const prepared = await prepare(writing(size), {
      operators,
      evaluate: evaluate as never,
      decompositions: undefined,
    });
    return prepared.program === undefined ? prepared.reason : "on the device";
  };
  expect(await reasonOf("s0")).toBe("on the device");
  expect(await reasonOf("s1")).toBe('it gives "x" another size');
  expect(await reasonOf("2*s0")).toBe('it gives "x" another size');
});
