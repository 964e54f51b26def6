import { createRunner, readNumbers } from "@sconce/backend-cpu";
import { codeText } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { programOf, ramp } from "../programs.fixture.js";

// Without the copy, PyTorch's `view` would be refused: the steps of lerp lay their result out
// otherwise.
test("a decomposition that gives other strides than its operator ends with copy_strided, as in PyTorch", () => {
  const program = programOf(
    `graph(%x: f32[3, 4], %e: f32[4, 3]) {
      %c: f32[3, 4] = aten.clone.default(%x)
      %t: f32[4, 3] = aten.t.default(%c)
      %l: f32[4, 3] = aten.lerp_.Scalar(%t, %e, 0.25)
      %v: f32[12] = aten.view.default(%c, [12])
      return (%v)
    }`,
    "TRAINING",
  );
  const lowered = runDecompositions(program);
  expect(codeText(lowered.graph)).toContain("torch.ops.prims.copy_strided.default(add, [1, 4])");
  const inputs = [ramp([3, 4]), ramp([4, 3])];
  const numbers = (subject: typeof program): number[] =>
    Array.from(readNumbers(createRunner()(subject, inputs).outputs[0] as Tensor), Number);
  expect(numbers(lowered)).toEqual(numbers(program));
});
