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

function indexingOf(of: LoweringCall, self: LazyTensor): Indexing {
  const given = of.args["indices"] as readonly unknown[];
  const indices = self.shape.map((_, d) => (given[d] instanceof LazyTensor ? given[d] : undefined));
  const present = indices.filter((index) => index !== undefined);
  if (
    given.some((index) => index instanceof LazyTensor && (index.dtype === "bool" || index.dtype === "uint8"))
  )
    return cannot("indexing by a mask gives as many cells as the mask has true ones, which only a run knows");
  if (present.length === 0) return cannot("it has no index");
  const shape = broadcastShape(present.map((index) => index.shape));
  const first = indices.findIndex((index) => index !== undefined);
  const isTogether = indices.slice(first, first + present.length).every((index) => index !== undefined);
  const wide = indices.map((index) =>
    index === undefined ? undefined : of.context.many(broadcastTo(index, of.node, shape), 2),
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
/** Coordinates of the result from those of the index tensors and the dimensions that are taken whole. */
const resultAt = ({ at }: Indexing, source: readonly Index[], rest: readonly Index[]): Index[] => [
  ...rest.slice(0, at),
  ...source,
  ...rest.slice(at),
];

const index: Lowering = {
  rule: (of) => {
    const self = of.context.many(tensorArg(of, "self"));
    const by = indexingOf(of, self);
    const inputs = [self, ...by.indices.filter((tensor) => tensor !== undefined)];
    return made(of, {
      inputs,
      operations: 2,
      cell: (at) => {
        const source = at.slice(by.at, by.at + by.shape.length);
        const rest = [...at.slice(0, by.at), ...at.slice(by.at + by.shape.length)];
        return self.cell(
          self.shape.map((extent, d) => {
            const tensor = by.indices[d];
            return tensor === undefined ? rest.shift()! : placeIn(tensor.cell(source), extent, true);
          }),
        );
      },
    });
  },
};

/** A mask with one value for all cells that it chooses. */
function masked(of: LoweringCall, self: LazyTensor, values: LazyTensor): LazyTensor | undefined {
  const given = of.args["indices"] as readonly unknown[];
  const masks = given.filter((item) => item instanceof LazyTensor);
  const [mask] = masks;
  if (masks.length !== 1 || mask?.dtype !== "bool" || flag(of, "accumulate")) return undefined;
  if (values.shape.some((extent) => fixedValue(extent) !== 1)) return undefined;
  const first = given.indexOf(mask);
  const [chosen, own] = [of.context.many(mask, 2), of.context.reduced(self)];
  const one = of.context.many(values);
  return made(of, {
    inputs: [own, chosen, one],
    operations: 1,
    cell: (at) => {
      const value = cast(one.cell(values.shape.map(() => ZERO)), outOf(of).dtype);
      return select(truth(chosen.cell(at.slice(first, first + mask.shape.length))), value, own.cell(at));
    },
  });
}

/** Sources are the cells of the index tensors; each points at one cell in every dimension that they index. */
const indexPut: Lowering = {
  rule: (of) => {
    const [self, given] = [tensorArg(of, "self"), tensorArg(of, "values")];
    const byMask = masked(of, self, given);
    if (byMask !== undefined) return byMask;
    const by = indexingOf(of, self);
    const whole = self.shape.filter((_, d) => by.indices[d] === undefined);
    const values = of.context.many(broadcastTo(given, of.node, resultAt(by, by.shape, whole)));
    const restOf = (at: readonly Index[]): Index[] => at.filter((_, d) => by.indices[d] === undefined);
    const inputs = [values, ...by.indices.filter((tensor) => tensor !== undefined)];
    const points = (at: readonly Index[], source: readonly Index[]): Scalar =>
      by.indices.reduce<Scalar>((all, tensor, d) => {
        if (tensor === undefined) return all;
        // Read as a place, so that those who check indices see it.
        const place = placeIn(tensor.cell(source), self.shape[d]!, true);
        return both(all, apply("eq", indexScalar(place), indexScalar(at[d]!)));
      }, TRUE);
    const value = (at: readonly Index[], source: readonly Index[]): Scalar =>
      values.cell(resultAt(by, source, restOf(at)));
    const reduce = flag(of, "accumulate") ? "sum" : "last";
    return written(of, self, { inputs, extents: by.shape, value, points }, { reduce, includesSelf: true });
  },
};
export const INDEXINGS: LoweringTable = {
  "aten.index.Tensor": index,
  "aten._unsafe_index.Tensor": index,
  "aten.index_put.default": indexPut,
  "aten._unsafe_index_put.default": indexPut,
};
