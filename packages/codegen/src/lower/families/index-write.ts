/** @file Elements written where index tensors or a mask point. */
import { fixedValue, flatIndex, type Index, product, ZERO } from "../../ir/index-expr.js";
import {
  apply,
  both,
  cast,
  constantScalar,
  indexScalar,
  type Scalar,
  select,
  TRUE,
} from "../../ir/scalar.js";
import type { LoweringArgs } from "../core/arguments.js";
import { type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { broadcastTo, LazyTensor, reshaped } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { truth } from "../rules/elements.js";
import { indexingOf, resultAt } from "../rules/indexing.js";
import { made, placeIn } from "../rules/made.js";
import { sumOf } from "../rules/reduce.js";
import { written } from "../rules/write.js";

const INDEX_PUT =
  "aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor";
type IndexPutArgs = LoweringArgs<typeof INDEX_PUT>;

/** Returns a mask with one value for all elements that it chooses. */
function maskFill(
  call: LoweringCall,
  { self, indices, values, accumulate }: IndexPutArgs,
): LazyTensor | undefined {
  const masks = indices.filter((item) => item !== null);
  const [mask] = masks;
  if (masks.length !== 1 || mask?.dtype !== "bool" || accumulate) return undefined;
  if (values.shape.some((extent) => fixedValue(extent) !== 1)) return undefined;
  const first = indices.indexOf(mask);
  const [chosen, own] = [call.context.many(mask, 2), call.context.reduced(self)];
  const one = call.context.many(values);
  return made(call, {
    inputs: [own, chosen, one],
    operations: 1,
    element: (at) => {
      const value = cast(one.element(values.shape.map(() => ZERO)), outOf(call).dtype);
      const isChosen = truth(chosen.element(at.slice(first, first + mask.shape.length)));
      return select(isChosen, value, own.element(at));
    },
  });
}

/**
 * Sources are the elements of the index tensors; each points at one element in every dimension that
 * they index.
 */
function indexPut(args: IndexPutArgs, call: LoweringCall): LazyTensor {
  const byMask = maskFill(call, args);
  if (byMask !== undefined) return byMask;
  const { self, accumulate } = args;
  const by = indexingOf(call, self, args.indices);
  const isWhole = (d: number): boolean => by.indices[d] === null;
  const whole = self.shape.filter((_, d) => isWhole(d));
  const values = call.context.many(broadcastTo(args.values, call, resultAt(by, by.shape, whole)));
  const points = (at: readonly Index[], source: readonly Index[]): Scalar =>
    by.indices.reduce<Scalar>((all, tensor, d) => {
      if (tensor === null) return all;
      // Read as a place, so that passes that check indices see it.
      const place = placeIn(tensor.element(source), self.shape[d]!, true);
      return both(all, apply("eq", indexScalar(place), indexScalar(at[d]!)));
    }, TRUE);
  const sources = {
    inputs: [values, ...by.indices.filter((tensor) => tensor !== null)],
    extents: by.shape,
    points,
    value: (at: readonly Index[], source: readonly Index[]): Scalar =>
      values.element(
        resultAt(
          by,
          source,
          at.filter((_, d) => isWhole(d)),
        ),
      ),
  };
  return written(call, self, sources, {
    reduce: accumulate ? "sum" : "last",
    includesSelf: true,
    roundsSteps: true,
  });
}

const MASKED_SCATTER = "aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor";
/**
 * Elements of the mask take those of the source in order: the number of true elements up to an
 * element is its place in the source.
 */
function maskedScatter(args: LoweringArgs<typeof MASKED_SCATTER>, call: LoweringCall): LazyTensor {
  const { context, node } = call;
  const shape = shapeOf(outOf(call));
  const self = context.many(broadcastTo(args.self, call, shape));
  const mask = context.many(broadcastTo(args.mask, call, shape));
  const source = context.many(args.source);
  const count = product(source.shape);
  const line = reshaped(source, node, [count]);
  const counts = countsOf(call, mask, shape);
  return made(call, {
    inputs: [self, mask, source, counts],
    operations: 2,
    element: (at) => {
      const before = apply("sub", counts.element([flatIndex(at, shape)]), constantScalar(1, "int64"));
      // True elements have been counted once at least.
      const from = placeIn(apply("max", before, constantScalar(0, "int64")), count, false);
      return select(truth(mask.element(at)), line.element([from]), self.element(at));
    },
  });
}
/** Returns how many elements of a mask are true up to each place, in memory. */
function countsOf({ context, node }: LoweringCall, mask: LazyTensor, shape: readonly Index[]): LazyTensor {
  const elements = reshaped(mask, node, [product(shape)]);
  const counts = new LazyTensor({
    dtype: "int64",
    shape: elements.shape,
    node,
    inputs: [mask],
    heavy: true,
    element: ([place]) => {
      const { axes, at } = context.axes(elements.shape);
      const body = cast(truth(elements.element(at)), "int64");
      const when = apply("le", indexScalar(at[0]!), indexScalar(place!));
      return sumOf(axes, body, when);
    },
  });
  context.made(counts);
  context.materialize(counts, { hint: { kind: "scan", axis: "i0" } });
  return counts;
}

export const INDEX_WRITES = defineLowerings([
  lowering(
    [
      INDEX_PUT,
      "aten::_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
    ],
    indexPut,
  ),
  lowering(MASKED_SCATTER, maskedScatter),
]);
