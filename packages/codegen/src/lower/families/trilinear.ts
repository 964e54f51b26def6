/** @file `_trilinear`: sums of products of three tensors. */
import { wrapDims } from "@sconce/ops";
import { fixedValue, ONE } from "../../ir/index-expr.js";
import { apply, cast } from "../../ir/scalar.js";
import type { LoweringArgs } from "../core/arguments.js";
import { type LoweringCall, outOf } from "../core/call.js";
import { broadcastTo, type LazyTensor, viewOf } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType } from "../core/numbers.js";
import { made } from "../rules/made.js";
import { sumOf } from "../rules/reduce.js";

const TRILINEAR =
  "aten::_trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] sumdim, int unroll_dim=1) -> Tensor";

/** `i1 * i2 * i3` with new dimensions of one element at `expand*`, summed over `sumdim`. */
function trilinear(args: LoweringArgs<typeof TRILINEAR>, call: LoweringCall): LazyTensor {
  const out = outOf(call);
  const expanded = (tensor: LazyTensor, places: readonly number[]): LazyTensor =>
    withOnes(call.context.many(tensor), call.node, places);
  const tensors = [
    expanded(args.i1, args.expand1),
    expanded(args.i2, args.expand2),
    expanded(args.i3, args.expand3),
  ];
  const whole = tensors[0]!.shape.map((_, d) => {
    const extents = tensors.map((tensor) => tensor.shape[d]!);
    return extents.find((extent) => fixedValue(extent) !== 1) ?? ONE;
  });
  const summed = wrapDims(args.sumdim, whole.length);
  const compute = computeType(out.dtype);
  const wide = tensors.map((tensor) => broadcastTo(tensor, call, whole));
  return made(call, {
    inputs: wide,
    operations: 3,
    heavy: true,
    element: (at) => {
      const { axes, at: inner } = call.context.axes(summed.map((d) => whole[d]!));
      const kept = [...at];
      const place = whole.map((_, d) => (summed.includes(d) ? inner[summed.indexOf(d)]! : kept.shift()!));
      const body = wide
        .map((tensor) => cast(tensor.element(place), compute))
        .reduce((a, b) => apply("mul", a, b));
      return cast(axes.length === 0 ? body : sumOf(axes, body), out.dtype);
    },
  });
}
function withOnes(tensor: LazyTensor, node: string, places: readonly number[]): LazyTensor {
  const shape = [...tensor.shape];
  const ones = wrapDims(places, tensor.shape.length + places.length);
  for (const place of ones) shape.splice(place, 0, ONE);
  const added = new Set(ones);
  return viewOf(tensor, node, shape, (at) => at.filter((_, d) => !added.has(d)));
}

export const TRILINEAR_PRODUCTS = defineLowerings([lowering(TRILINEAR, trilinear)]);
