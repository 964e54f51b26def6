/** @file Elements in reverse, and repeated. */
import { wrapDimension } from "@sconce/tensor";
import {
  add,
  constant,
  fixedValue,
  type Index,
  isZero,
  product,
  remainder,
  size,
  subtract,
  ZERO,
} from "../../ir/index-expr.js";
import { apply, indexScalar, type Scalar, select } from "../../ir/scalar.js";
import type { LoweringArgs } from "../core/arguments.js";
import { type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor, reshaped, viewOf } from "../core/lazy.js";
import { defineLowerings, lowering, viewLowering } from "../core/lowering.js";
import { isNothing } from "../rules/made.js";

const ROLL = "aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor";
/** Elements move along dimensions, those at the end to the front: two ranges of each dimension. */
function rolled({ self, shifts, dims }: LoweringArgs<typeof ROLL>, call: LoweringCall): LazyTensor {
  const { context, node } = call;
  if (isNothing(self)) return viewOf(self, node, self.shape, (at) => at);
  const isFlat = dims.length === 0;
  const base = isFlat ? reshaped(self, node, [product(self.shape)]) : self;
  const moves = new Map<number, Index>();
  shifts.forEach((shift, i) => {
    const dim = isFlat ? 0 : wrapDimension(dims[i]!, base.shape.length);
    moves.set(dim, add(moves.get(dim) ?? ZERO, size(shift)));
  });
  const source = context.many(base, 2);
  const element = (at: readonly Index[], [move, ...more]: readonly (readonly [number, Index])[]): Scalar => {
    if (move === undefined) return source.element(at);
    const [dim, by] = move;
    const extent = base.shape[dim]!;
    const [here, start] = [at[dim]!, remainder(by, extent)];
    const moved = (place: Index): Scalar => element(at.with(dim, place), more);
    if (fixedValue(start) === undefined) return moved(remainder(subtract(here, by), extent));
    const isBehind = apply("ge", indexScalar(here), indexScalar(start));
    return isZero(start)
      ? moved(here)
      : select(isBehind, moved(subtract(here, start)), moved(add(subtract(here, start), extent)));
  };
  const result = new LazyTensor({
    dtype: self.dtype,
    shape: base.shape,
    node,
    inputs: [source],
    operations: 2,
    element: (at) => element(at, [...moves]),
  });
  context.made(result);
  return isFlat ? reshaped(result, node, self.shape) : result;
}

export const REARRANGEMENTS = defineLowerings([
  viewLowering(["aten::flip(Tensor self, int[] dims) -> Tensor"], ({ self, dims }, call) => {
    const reversed = new Set(dims.map((dim) => wrapDimension(dim, self.shape.length)));
    return viewOf(self, call.node, self.shape, (at) =>
      at.map((index, d) => (reversed.has(d) ? subtract(add(self.shape[d]!, constant(-1)), index) : index)),
    );
  }),
  lowering(ROLL, rolled),
  lowering("aten::repeat(Tensor self, SymInt[] repeats) -> Tensor", (args, call) => {
    const self = call.context.many(args.self);
    const shape = shapeOf(outOf(call));
    const lead = shape.length - self.shape.length;
    const back = (at: readonly Index[]): Index[] =>
      self.shape.map((extent, d) => remainder(at[d + lead]!, extent));
    return viewOf(self, call.node, shape, back, true);
  }),
]);
