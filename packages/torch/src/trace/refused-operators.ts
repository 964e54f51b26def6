/** @file Operators that PyTorch does not export, though their rows have shape rules. */
import type { SconceError } from "@sconce/errors";
import { FakeTensor } from "@sconce/ir";
import type { EmitArg } from "@sconce/ops";
import { SymExpr } from "@sconce/symbolic";
import { decidesByData, noDynamicRule } from "./errors.js";

type Refusal = (target: string, args: readonly EmitArg[]) => SconceError | undefined;

const comparesTensors: Refusal = (target) =>
  decidesByData(
    target,
    "compares tensors by `aten.equal`, whose result",
    "center the rows (`x.sub(x.mean(1, true))`) and multiply them by their transpose",
  );

/** The errors of calls that PyTorch refuses, by operators. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  "aten.cov.default": comparesTensors,
  "aten.corrcoef.default": comparesTensors,
  "aten.one_hot.default": (target, [, classes = -1]) =>
    classes === -1
      ? decidesByData(
          target,
          "takes the number of classes from the largest index",
          "give the number of classes: `oneHot(x, 10)`",
        )
      : undefined,
  // PyTorch has no shape rule for it: the result of the CPU kernel has sizes that the lengths
  // decide.
  "aten.ctc_loss.IntList": (target) =>
    decidesByData(
      target,
      "has results inside whose sizes the lengths decide (`DynamicOutputShapeException` in PyTorch)",
      "compute the loss outside of the program, on what the program returns",
    ),
  "aten.linalg_lstsq.default": (target) =>
    decidesByData(
      target,
      "has a result whose size depends on the rank",
      "multiply by the pseudoinverse: `torch.linalg.pinv(a).matmul(b)`",
    ),
  "aten.geqrf.default": (target, [matrix]) =>
    matrix instanceof FakeTensor && matrix.shape.some((size) => size instanceof SymExpr)
      ? noDynamicRule(target, "keep the sizes of the matrix static, or use `torch.linalg.qr`")
      : undefined,
};

/** Returns the error of a call that PyTorch does not export; undefined for other calls. */
export const refusedCall = (target: string, args: readonly EmitArg[]): SconceError | undefined =>
  REFUSALS[target]?.(target, args);
