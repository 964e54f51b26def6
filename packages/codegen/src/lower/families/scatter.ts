/** @file `scatter` and its relatives: the index of a source is its place along a dimension. */
import { type DType, wrapDimension } from "@sconce/tensor";
import { constant, type Index, ONE, ZERO } from "../../ir/index-expr.js";
import { apply, both, cast, indexScalar, type ReduceKind, type Scalar, TRUE } from "../../ir/scalar.js";
import type { LoweringArgs, Operand } from "../core/arguments.js";
import { cannot, type LoweringCall, outOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { checkedScalar, computeType } from "../core/numbers.js";
import { isNothing, made, placeIn } from "../rules/made.js";
import { inside } from "../rules/window.js";
import { type Writing, written } from "../rules/write.js";

const REDUCTIONS: Readonly<Record<string, ReduceKind>> = {
  add: "sum",
  sum: "sum",
  mean: "sum",
  multiply: "prod",
  prod: "prod",
  amax: "max",
  amin: "min",
};
const LAST: Writing = { reduce: "last", includesSelf: true };
const SUM: Writing = { reduce: "sum", includesSelf: true };
const isHalf = (dtype: DType): boolean => computeType(dtype) !== dtype;
const SUM_OF_STEPS: Writing = { ...SUM, roundsSteps: true };
const writingBy = (name: string, includesSelf: boolean, { dtype }: LazyTensor): Writing => {
  const reduce = REDUCTIONS[name] ?? cannot(`it reduces by "${name}"`);
  if (name === "mean" && dtype === "bool") cannot("PyTorch does not take the mean of bool");
  return { reduce, includesSelf, isMean: name === "mean" };
};

interface ScatterArgs {
  readonly self: LazyTensor;
  readonly dim: number;
  readonly index: LazyTensor;
}
function scattered(call: LoweringCall, args: ScatterArgs, source: Operand, writing: Writing): LazyTensor {
  const { context } = call;
  const { self } = args;
  const index = context.many(args.index, 2);
  if (isNothing(index))
    return made(call, { inputs: [context.reduced(self)], element: (at) => self.element(at) });
  if (self.shape.length !== index.shape.length || self.shape.length === 0)
    return scatteredElement(call, args, source, writing);
  const dim = wrapDimension(args.dim, self.shape.length);
  const { dtype } = outOf(call);
  const values = source instanceof LazyTensor ? [context.many(source)] : [];
  const place = (at: readonly Index[], along: Index): Index[] =>
    at.map((coordinate, d) => (d === dim ? along : coordinate));
  const sources = {
    inputs: [index, ...values],
    extents: [index.shape[dim]!],
    value: (at: readonly Index[], [along]: readonly Index[]): Scalar =>
      valueAt(source, place(at, along!), dtype),
    points: (at: readonly Index[], [along]: readonly Index[]): Scalar =>
      pointsAt(index.element(place(at, along!)), at[dim]!, self.shape[dim]!),
    within: (at: readonly Index[]): Scalar =>
      at.reduce<Scalar>(
        (all, coordinate, d) => (d === dim ? all : both(all, inside(coordinate, index.shape[d]!))),
        TRUE,
      ),
  };
  return written(call, self, sources, writing);
}
/** Returns a 0-d tensor, or one element by a 0-d index. */
function scatteredElement(
  call: LoweringCall,
  { self, index }: ScatterArgs,
  source: Operand,
  writing: Writing,
): LazyTensor {
  const values = source instanceof LazyTensor ? [call.context.many(source)] : [];
  const { dtype } = outOf(call);
  const flat = (tensor: LazyTensor, along: Index): Index[] => tensor.shape.map(() => along);
  const sources = {
    inputs: [index, ...values],
    extents: [index.shape[0] ?? constant(1)],
    value: (_: readonly Index[], [along]: readonly Index[]): Scalar =>
      valueAt(source, source instanceof LazyTensor ? flat(source, along!) : [], dtype),
    points: (at: readonly Index[], [along]: readonly Index[]): Scalar =>
      pointsAt(index.element(flat(index, along!)), at[0] ?? ZERO, self.shape[0] ?? ONE),
  };
  return written(call, self, sources, writing);
}
/**
 * Returns whether an index names a place. It is read as a place, so that passes that check indices
 * see it.
 */
const pointsAt = (index: Scalar, place: Index, extent: Index): Scalar =>
  apply("eq", indexScalar(placeIn(index, extent, false)), indexScalar(place));
const valueAt = (source: Operand, at: readonly Index[], dtype: DType): Scalar =>
  source instanceof LazyTensor ? source.element(at) : checkedScalar(source, dtype);

const INDEX_REDUCE =
  "aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor";
const INDEX_ADD =
  "aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor";
const INDEX_COPY = "aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor";

interface SliceArgs extends ScatterArgs {
  readonly source: LazyTensor;
}
/** Whole slices of the source are written: each place of the index is one of a slice. */
function slicesWritten(
  call: LoweringCall,
  args: SliceArgs,
  writing: Writing,
  scaled: (element: Scalar) => Scalar = (element) => element,
): LazyTensor {
  const [self, source] = [call.context.many(args.self), call.context.many(args.source)];
  const index = call.context.many(args.index, 2);
  if (isNothing(index)) return made(call, { inputs: [self], element: (at) => self.element(at) });
  const dim = wrapDimension(args.dim, self.shape.length);
  const elementAt = (at: readonly Index[], along: Index): Scalar => {
    if (self.shape.length === 0 || source.shape.length === 0)
      return source.element(source.shape.map(() => along));
    return source.element(at.map((place, d) => (d === dim ? along : place)));
  };
  const sources = {
    inputs: [source, index],
    extents: [index.shape[0] ?? constant(1)],
    value: (at: readonly Index[], [along]: readonly Index[]): Scalar => scaled(elementAt(at, along!)),
    points: (at: readonly Index[], [along]: readonly Index[]): Scalar => {
      const place = index.element(index.shape.map(() => along!));
      return pointsAt(place, at[dim] ?? ZERO, self.shape[dim] ?? ONE);
    },
  };
  return written(call, self, sources, writing);
}
/** Returns whether a dimension of several is the first or the last. */
function isOuterOrInner({ self, dim }: SliceArgs): boolean {
  const rank = self.shape.length;
  return rank > 1 && [0, rank - 1].includes(wrapDimension(dim, rank));
}
/** `index_add`; sums of bools are `or`. */
function indexAdded(args: LoweringArgs<typeof INDEX_ADD>, call: LoweringCall): LazyTensor {
  const { dtype } = outOf(call);
  const { alpha } = args;
  // PyTorch hands these calls to `scatter_add`; elsewhere each sum of halves is rounded.
  const isScatter = isOuterOrInner(args) && args.index.dtype === "int64";
  if (alpha === 1) return slicesWritten(call, args, isScatter ? SUM : SUM_OF_STEPS);
  const compute = computeType(dtype);
  // The product is rounded, as that of a separate call.
  return slicesWritten(call, args, SUM_OF_STEPS, (element) =>
    dtype === "bool"
      ? apply("and", element, checkedScalar(alpha, dtype))
      : cast(apply("mul", cast(element, compute), checkedScalar(alpha, compute)), dtype),
  );
}

export const INDEX_SCATTERS = defineLowerings([
  lowering("aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", (args, call) =>
    scattered(call, args, args.src, LAST),
  ),
  lowering("aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", (args, call) =>
    scattered(call, args, args.value, LAST),
  ),
  lowering(
    "aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
    (args, call) => scattered(call, args, args.src, writingBy(args.reduce, true, args.self)),
  ),
  lowering(
    "aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor",
    (args, call) => scattered(call, args, args.value, writingBy(args.reduce, true, args.self)),
  ),
  lowering("aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", (args, call) =>
    scattered(call, args, args.src, SUM),
  ),
  lowering(
    "aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor",
    (args, call) => scattered(call, args, args.src, writingBy(args.reduce, args.include_self, args.self)),
  ),
  lowering(INDEX_REDUCE, (args, call) => {
    const { self, reduce, include_self: includesSelf } = args;
    if (self.dtype === "bool" && (self.shape.length < 2 || !includesSelf))
      cannot("PyTorch does not reduce these slices of bool");
    // Counts are sums as those of `index_add`.
    const rounding = { roundsSteps: true, roundsCounts: isHalf(self.dtype) && !isOuterOrInner(args) };
    return slicesWritten(call, args, { ...writingBy(reduce, includesSelf, self), ...rounding });
  }),
  lowering(INDEX_ADD, indexAdded),
  lowering(INDEX_COPY, (args, call) => slicesWritten(call, args, LAST)),
]);
