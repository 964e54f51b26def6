/** @file Layer and group normalization: rows in nests of one group. */
import type { IntLike } from "@sconce/symbolic";
import { add, constant, type Index, multiply, size } from "../../ir/index-expr.js";
import type { Scalar } from "../../ir/scalar.js";
import { fixedNumber, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { type LazyTensor, reshaped } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { affine, givenOf, normalized, statistic } from "../rules/normalize.js";

interface GroupNormArgs {
  readonly input: LazyTensor;
  readonly weight: LazyTensor | null;
  readonly bias: LazyTensor | null;
  readonly N: IntLike;
  readonly C: IntLike;
  readonly HxW: IntLike;
  readonly group: number;
  readonly eps: number;
}
function groupNorm(args: GroupNormArgs, call: LoweringCall) {
  const { input, weight, bias } = args;
  const further = givenOf(call, input, [weight, bias]);
  const perGroup = constant(fixedNumber(args.C, "C") / args.group);
  const rows = reshaped(input, call.node, [size(args.N), constant(args.group), perGroup, size(args.HxW)]);
  const channelAt = (at: readonly Index[]): Index[] => [add(multiply(at[1]!, perGroup), at[2]!)];
  // PyTorch's kernel adds nothing when both are None.
  const finish = (unit: Scalar, at: readonly Index[]): Scalar =>
    further.length === 0 ? unit : affine(unit, weight, bias, channelAt(at));
  const { out, center, rstd } = normalized(call, rows, [2, 3], { eps: args.eps, finish, further });
  return [
    reshaped(out, call.node, shapeOf(outOf(call))),
    statistic(call, center.mean, 1),
    statistic(call, rstd, 2),
  ] as const;
}

export const NORMALIZATIONS = defineLowerings([
  lowering(
    "aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)",
    ({ input, normalized_shape, weight, bias, eps }, call) => {
      const further = givenOf(call, input, [weight, bias]);
      const lead = input.shape.length - normalized_shape.length;
      const dims = input.shape.map((_, d) => d).slice(lead);
      const finish = (unit: Scalar, at: readonly Index[]): Scalar =>
        affine(unit, weight, bias, at.slice(lead));
      const { out, center, rstd } = normalized(call, input, dims, { eps, finish, further });
      return [out, statistic(call, center.mean, 1), statistic(call, rstd, 2)];
    },
  ),
  lowering(
    "aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)",
    groupNorm,
  ),
]);
