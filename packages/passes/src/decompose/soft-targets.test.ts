import { expect, test } from "vitest";
import { programOf, textOf } from "../programs.fixture.js";
import { runDecompositions } from "./run-decompositions.js";

/** The calls after the reads of sizes; PyTorch has the same for these sizes. */
function lowered(types: string, smoothing: number): string[] {
  const program = programOf(`graph(%x: ${types}, %y: ${types}) {
    %loss: f32[] = aten.cross_entropy_loss.default(%x, %y, none, 1, -100, ${smoothing})
    return (%loss)
  }`);
  const text = textOf(runDecompositions(program));
  return [...text.matchAll(/= (\S+?)\(/g)].map(([, call]) => call!).filter((call) => /\./.test(call));
}

test("cross entropy of probabilities is lowered with symbolic classes and rows", () => {
  const end = ["aten.mul.Tensor", "aten.sum.dim_IntList", "aten.neg.default", "aten.div.Scalar"];
  const share = ["torch.sym_float", "operator.truediv", "aten.mul.Scalar", "aten.add.Scalar"];
  const sizes = ["aten.sym_size.int", "aten.sym_size.int", "aten._log_softmax.default"];
  expect(lowered("f32[s17, s27]", 0.1)).toEqual([...sizes, ...share, "operator.mul", ...end]);
  expect(lowered("f32[s17, 5, s48]", 0)).toEqual([
    ...sizes,
    ...["operator.mul", "operator.mul", "operator.floordiv"],
    ...end,
  ]);
});
