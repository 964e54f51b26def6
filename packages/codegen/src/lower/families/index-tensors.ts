/** @file Indexing by tensors: `x[i, :, j]` read and written. */
import { fixedValue, type Index, ONE, same, ZERO } from "../../ir/index-expr.js";
import { apply, both, cast, indexScalar, type Scalar, select, TRUE } from "../../ir/scalar.js";
import {
  cannot,
  flag,
  type Lowering,
  type LoweringCall,
  type LoweringTable,
  outOf,
  tensorArg,
} from "../call.js";
import { broadcastTo, LazyTensor } from "../lazy.js";
import { truth } from "./elementwise.js";
import { made, placeIn } from "./gather.js";
import { written } from "./scatter.js";

/** Which dimensions tensors index, and where their own dimensions stand in the result. */
interface Indexing {
  readonly indices: readonly (LazyTensor | undefined)[];
  /** What the index tensors are broadcast to. */
  readonly shape: readonly Index[];
  /** Position in the result of the first of those dimensions. */
  readonly at: number;
}

function indexingOf(call: LoweringCall, self: LazyTensor): Indexing {
  const given = call.args["indices"] as readonly unknown[];
  const indices = self.shape.map((_, d) => (given[d] instanceof LazyTensor ? given[d] : undefined));
  const present = indices.filter((index) => index !== undefined);
  if (
    given.some((index) => index instanceof LazyTensor && (index.dtype === "bool" || index.dtype === "uint8"))
  )
    return cannot("indexing by a mask returns a data-dependent shape");
  if (present.length === 0) return cannot("it has no index");
  const shape = broadcastShape(present.map((index) => index.shape));
  const first = indices.findIndex((index) => index !== undefined);
  const isTogether = indices.slice(first, first + present.length).every((index) => index !== undefined);
  const wide = indices.map((index) =>
    index === undefined ? undefined : call.context.many(broadcastTo(index, call.node, shape), 2),
  );
  return { indices: wide, shape, at: isTogether ? first : 0 };
}
/** Extents of 1 give way to others. */
function broadcastShape(shapes: readonly (readonly Index[])[]): Index[] {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, d) => {
    const extents = shapes.map((shape) => shape[d - rank + shape.length] ?? ONE);
    return extents.find((extent) => !same(extent, ONE)) ?? ONE;
  });
}
/**
 * Coordinates of the result from those of the index tensors and the dimensions that are taken
 * whole.
 */
const resultAt = ({ at }: Indexing, source: readonly Index[], rest: readonly Index[]): Index[] => [
  ...rest.slice(0, at),
  ...source,
  ...rest.slice(at),
];

const index: Lowering = {
  rule: (call) => {
    const self = call.context.many(tensorArg(call, "self"));
    const by = indexingOf(call, self);
    const inputs = [self, ...by.indices.filter((tensor) => tensor !== undefined)];
    return made(call, {
      inputs,
      operations: 2,
      element: (at) => {
        const source = at.slice(by.at, by.at + by.shape.length);
        const rest = [...at.slice(0, by.at), ...at.slice(by.at + by.shape.length)];
        return self.element(
          self.shape.map((extent, d) => {
            const tensor = by.indices[d];
            return tensor === undefined ? rest.shift()! : placeIn(tensor.element(source), extent, true);
          }),
        );
      },
    });
  },
};

/** A mask with one value for all elements that it chooses. */
function masked(call: LoweringCall, self: LazyTensor, values: LazyTensor): LazyTensor | undefined {
  const given = call.args["indices"] as readonly unknown[];
  const masks = given.filter((item) => item instanceof LazyTensor);
  const [mask] = masks;
  if (masks.length !== 1 || mask?.dtype !== "bool" || flag(call, "accumulate")) return undefined;
  if (values.shape.some((extent) => fixedValue(extent) !== 1)) return undefined;
  const first = given.indexOf(mask);
  const [chosen, own] = [call.context.many(mask, 2), call.context.reduced(self)];
  const one = call.context.many(values);
  return made(call, {
    inputs: [own, chosen, one],
    operations: 1,
    element: (at) => {
      const value = cast(one.element(values.shape.map(() => ZERO)), outOf(call).dtype);
      return select(
        truth(chosen.element(at.slice(first, first + mask.shape.length))),
        value,
        own.element(at),
      );
    },
  });
}

/**
 * Sources are the elements of the index tensors; each points at one element in every dimension that
 * they index.
 */
const indexPut: Lowering = {
  rule: (call) => {
    const [self, given] = [tensorArg(call, "self"), tensorArg(call, "values")];
    const byMask = masked(call, self, given);
    if (byMask !== undefined) return byMask;
    const by = indexingOf(call, self);
    const whole = self.shape.filter((_, d) => by.indices[d] === undefined);
    const values = call.context.many(broadcastTo(given, call.node, resultAt(by, by.shape, whole)));
    const restOf = (at: readonly Index[]): Index[] => at.filter((_, d) => by.indices[d] === undefined);
    const inputs = [values, ...by.indices.filter((tensor) => tensor !== undefined)];
    const points = (at: readonly Index[], source: readonly Index[]): Scalar =>
      by.indices.reduce<Scalar>((all, tensor, d) => {
        if (tensor === undefined) return all;
        // Read as a place, so that those who check indices see it.
        const place = placeIn(tensor.element(source), self.shape[d]!, true);
        return both(all, apply("eq", indexScalar(place), indexScalar(at[d]!)));
      }, TRUE);
    const value = (at: readonly Index[], source: readonly Index[]): Scalar =>
      values.element(resultAt(by, source, restOf(at)));
    const reduce = flag(call, "accumulate") ? "sum" : "last";
    return written(call, self, { inputs, extents: by.shape, value, points }, { reduce, includesSelf: true });
  },
};
export const INDEXINGS: LoweringTable = {
  "aten.index.Tensor": index,
  "aten._unsafe_index.Tensor": index,
  "aten.index_put.default": indexPut,
  "aten._unsafe_index_put.default": indexPut,
};
