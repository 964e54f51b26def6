/** @file Layer and group normalization: rows in nests of one group. */
import type { IntLike } from "@sconce/symbolic";
import { add, constant, type Index, multiply, ONE, size, ZERO } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, type Scalar } from "../../ir/scalar.js";
import { fixedNumber, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor, reshaped } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import {
  affine,
  type FusedNumbers,
  fusedNumbers,
  fusedOfHalf,
  givenOf,
  isHalf,
  normalized,
  type RowNumbers,
  rowStatistics,
  shiftOfHalf,
  statistic,
} from "../rules/normalize.js";
import { keptAt } from "../rules/reduce.js";

type ElementOfRow = (x: Scalar, row: RowNumbers, at: readonly Index[]) => Scalar;

/** Returns an element in units of the standard deviation. */
const unitOf = (x: Scalar, { mean, rstd }: RowNumbers): Scalar => apply("mul", apply("sub", x, mean), rstd);

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
  const { eps } = args;
  if (isHalf(input) && further.length > 0) {
    const parts = { rows, statistics: rowStatistics(call, rows, [2, 3], { eps, hasWideRoots: true }) };
    return groupResults(
      call,
      halfGroups(call, parts, { weight, bias, further, channelAt }),
      parts.statistics,
    );
  }
  // PyTorch's kernel adds nothing when both are None.
  const element: ElementOfRow = (x, row, at) =>
    further.length === 0 ? unitOf(x, row) : affine(unitOf(x, row), weight, bias, channelAt(at));
  const { out, ...statistics } = normalized(call, rows, [2, 3], {
    eps,
    hasWideRoots: isHalf(input),
    element,
    further,
  });
  return groupResults(call, out, statistics);
}

interface GroupChannels {
  readonly weight: LazyTensor | null;
  readonly bias: LazyTensor | null;
  readonly further: readonly LazyTensor[];
  /** The place in the parameters of an element of the rows. */
  readonly channelAt: (at: readonly Index[]) => readonly Index[];
}
/** Groups of halves: `x * factor + shift` of each channel, whose numbers are computed once. */
function halfGroups(
  call: LoweringCall,
  { rows, statistics }: { readonly rows: LazyTensor; readonly statistics: ReturnType<typeof rowStatistics> },
  { weight, bias, further, channelAt }: GroupChannels,
): LazyTensor {
  const { mean, rstd } = statistics;
  const { dtype } = rstd;
  const dims = [2, 3];
  const ofChannel = (one: LazyTensor, at: readonly Index[]): Scalar =>
    cast(one.element(channelAt(at)), dtype);
  const numbersAt = (at: readonly Index[]): FusedNumbers => {
    const row = keptAt(at, dims, ZERO);
    const root = rstd.element(row);
    const factor = weight === null ? root : apply("mul", root, ofChannel(weight, at));
    const offset = bias === null ? constantScalar(0, dtype) : ofChannel(bias, at);
    return fusedNumbers(factor, shiftOfHalf(mean.element(row), factor, offset));
  };
  const inMemory = (number: keyof FusedNumbers): LazyTensor => {
    const shape = [...rows.shape.slice(0, 3), ONE];
    const inputs = [mean, rstd, ...further];
    const element = (at: readonly Index[]): Scalar => numbersAt(at)[number];
    const made = new LazyTensor({ dtype, shape, node: call.node, inputs, operations: 20, element });
    call.context.materialize(made);
    return made;
  };
  const numbers = { high: inMemory("high"), low: inMemory("low"), shift: inMemory("shift") };
  const out = outOf(call);
  const made = new LazyTensor({
    dtype: out.dtype,
    shape: rows.shape,
    node: call.node,
    inputs: [rows, numbers.high, numbers.low, numbers.shift],
    operations: 4,
    element: (at) => {
      const channel = [...at.slice(0, 3), ZERO];
      const { high, low, shift } = numbers;
      const of1 = { high: high.element(channel), low: low.element(channel), shift: shift.element(channel) };
      return cast(fusedOfHalf(cast(rows.element(at), dtype), of1), out.dtype);
    },
  });
  call.context.made(made);
  return made;
}

function groupResults(
  call: LoweringCall,
  out: LazyTensor,
  { center, rstd }: Pick<ReturnType<typeof rowStatistics>, "center" | "rstd">,
) {
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
      const element: ElementOfRow = (x, row, at) => {
        const shift = apply("neg", apply("mul", row.mean, row.rstd));
        const unit = isHalf(input) ? fusedOfHalf(x, fusedNumbers(row.rstd, shift)) : unitOf(x, row);
        return affine(unit, weight, bias, at.slice(lead));
      };
      const { out, center, rstd } = normalized(call, input, dims, { eps, element, further });
      return [out, statistic(call, center.mean, 1), statistic(call, rstd, 2)];
    },
  ),
  lowering(
    "aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)",
    groupNorm,
  ),
]);
