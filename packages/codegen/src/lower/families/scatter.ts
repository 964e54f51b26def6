/**
 * @file Operators that write cells into a tensor. Each cell of the result asks which sources point at it: a reduction over
 * the sources, so that every cell is still computed on its own.
 */
import type { DType } from "@sconce/tensor";
import {
  add,
  constant,
  divide,
  type Index,
  multiply,
  remainder,
  size,
  subtract,
} from "../../ir/index-expr.js";
import {
  apply,
  both,
  cast,
  constantScalar,
  indexScalar,
  type ReduceKind,
  type Scalar,
  select,
  TRUE,
} from "../../ir/scalar.js";
import {
  cannot,
  checkedScalar,
  computeType,
  dimension,
  flag,
  type Lowering,
  type LoweringCall,
  type LoweringTable,
  outOf,
  tensorArg,
} from "../call.js";
import { broadcastTo, LazyTensor } from "../lazy.js";
import { inside } from "./contract.js";
import { isNothing, made, placeIn } from "./gather.js";
import { sliceOf } from "./views.js";

interface Writing {
  readonly reduce: ReduceKind;
  /** Whether what was there takes part. */
  readonly includesSelf: boolean;
  readonly isMean?: boolean;
}
const WRITINGS: Readonly<Record<string, ReduceKind>> = {
  add: "sum",
  sum: "sum",
  mean: "sum",
  multiply: "prod",
  prod: "prod",
  amax: "max",
  amin: "min",
};

/** Sums and products of booleans are `any` and `all`. */
const kindFor = (kind: ReduceKind, dtype: DType): ReduceKind =>
  dtype !== "bool" ? kind : kind === "sum" ? "any" : kind === "prod" ? "all" : kind;

interface Sources {
  readonly inputs: readonly LazyTensor[];
  /** The axis of the sources of one cell, what they hold and which of them point at the cell. */
  readonly extents: readonly Index[];
  readonly value: (at: readonly Index[], source: readonly Index[]) => Scalar;
  readonly points: (at: readonly Index[], source: readonly Index[]) => Scalar;
  /** Whether a cell has sources at all; where it does not they may not be read. */
  readonly within?: (at: readonly Index[]) => Scalar;
}

/** The tensor after sources have been written into it. */
export function written(of: LoweringCall, self: LazyTensor, sources: Sources, writing: Writing): LazyTensor {
  const { context } = of;
  const { dtype } = outOf(of);
  const compute = writing.reduce === "last" ? dtype : computeType(dtype);
  context.many(self);
  const result = made(of, {
    inputs: [self, ...sources.inputs],
    operations: 4,
    heavy: true,
    cell: (at) => {
      const own = self.cell(at);
      const { axes, at: source } = context.axes(sources.extents);
      const when = sources.points(at, source);
      const reduction = (kind: ReduceKind, body: Scalar, initial?: Scalar): Scalar => ({
        kind: "reduce",
        dtype: body.dtype,
        reduce: kind,
        axes,
        body,
        when,
        initial,
      });
      const body = cast(sources.value(at, source), compute);
      const initial = writing.includesSelf ? cast(own, compute) : undefined;
      const total = reduction(kindFor(writing.reduce, compute), body, initial);
      const one = constantScalar(1, "int64");
      const count = (): Scalar => reduction("sum", one, writing.includesSelf ? one : undefined);
      const mean = writing.isMean ? meanOf(total, count()) : total;
      const value = writing.includesSelf
        ? mean
        : select(apply("gt", count(), constantScalar(0, "int64")), mean, cast(own, compute));
      return select(sources.within?.(at) ?? TRUE, cast(value, dtype), own);
    },
  });
  context.materialise(result, { hint: { kind: "scatter" } });
  return result;
}
const meanOf = (total: Scalar, count: Scalar): Scalar =>
  apply(total.dtype.startsWith("float") ? "div" : "floor_div", total, cast(count, total.dtype));

/** `scatter` and its relatives: a source's index says where along the dimension it goes. */
function scattered(of: LoweringCall, source: LazyTensor | unknown, writing: Writing): LazyTensor {
  const { context } = of;
  const self = tensorArg(of, "self");
  const index = context.many(tensorArg(of, "index"), 2);
  if (isNothing(index)) return made(of, { inputs: [context.reduced(self)], cell: (at) => self.cell(at) });
  if (self.shape.length !== index.shape.length || self.shape.length === 0)
    return scatteredCell(of, self, source, writing);
  const dim = dimension(Number(of.args["dim"]), self.shape.length);
  const values = source instanceof LazyTensor ? [context.many(source)] : [];
  const place = (at: readonly Index[], along: Index): Index[] =>
    at.map((coordinate, d) => (d === dim ? along : coordinate));
  return written(
    of,
    self,
    {
      inputs: [index, ...values],
      extents: [index.shape[dim]!],
      value: (at, [along]) => valueAt(source, place(at, along!), outOf(of).dtype),
      points: (at, [along]) => pointsAt(index.cell(place(at, along!)), at[dim]!, self.shape[dim]!),
      within: (at) =>
        at.reduce<Scalar>(
          (all, coordinate, d) => (d === dim ? all : both(all, inside(coordinate, index.shape[d]!))),
          TRUE,
        ),
    },
    writing,
  );
}
/** A 0-d tensor, or one cell by a 0-d index. */
function scatteredCell(of: LoweringCall, self: LazyTensor, source: unknown, writing: Writing): LazyTensor {
  const index = tensorArg(of, "index");
  const values = source instanceof LazyTensor ? [of.context.many(source)] : [];
  const flat = (tensor: LazyTensor, along: Index): Index[] => tensor.shape.map(() => along);
  return written(
    of,
    self,
    {
      inputs: [index, ...values],
      extents: [index.shape[0] ?? constant(1)],
      value: (_, [along]) =>
        valueAt(source, source instanceof LazyTensor ? flat(source, along!) : [], outOf(of).dtype),
      points: (at, [along]) =>
        at.length === 0 ? TRUE : pointsAt(index.cell(flat(index, along!)), at[0]!, self.shape[0]!),
    },
    writing,
  );
}
/** Whether an index names a place. It is read as a place itself, so that those who check indices see it. */
const pointsAt = (index: Scalar, place: Index, extent: Index): Scalar =>
  apply("eq", indexScalar(placeIn(index, extent, false)), indexScalar(place));
const valueAt = (source: unknown, at: readonly Index[], dtype: DType): Scalar =>
  source instanceof LazyTensor ? source.cell(at) : checkedScalar(source, dtype);

const LAST: Writing = { reduce: "last", includesSelf: true };
const scatter = (source: string, writing: (of: LoweringCall) => Writing): Lowering => ({
  rule: (of) => scattered(of, of.args[source], writing(of)),
});
const byName = (of: LoweringCall, includesSelf: boolean): Writing => {
  const name = String(of.args["reduce"]);
  const reduce = WRITINGS[name] ?? cannot(`it reduces by "${name}"`);
  return { reduce, includesSelf, isMean: name === "mean" };
};

/** `index_reduce`: the index is one for a whole slice of the source. */
const indexReduce: Lowering = {
  rule: (of) => {
    const [self, source] = ["self", "source"].map((name) => of.context.many(tensorArg(of, name))) as [
      LazyTensor,
      LazyTensor,
    ];
    const index = of.context.many(tensorArg(of, "index"), 2);
    if (self.shape.length === 0) return cannot("index_reduce of a 0-d tensor");
    const dim = dimension(Number(of.args["dim"]), self.shape.length);
    const indexAt = (along: Index): Index[] => index.shape.map(() => along);
    return written(
      of,
      self,
      {
        inputs: [source, index],
        extents: [index.shape[0] ?? constant(1)],
        value: (at, [along]) => source.cell(at.map((place, d) => (d === dim ? along! : place))),
        points: (at, [along]) => pointsAt(index.cell(indexAt(along!)), at[dim]!, self.shape[dim]!),
      },
      byName(of, flag(of, "include_self")),
    );
  },
};

/** A tensor with cells of another one over it: `over` tells where those are, if a cell has one. */
function overlaid(
  of: LoweringCall,
  place: (at: readonly Index[]) => { readonly is: Scalar; readonly at: readonly Index[] },
): LazyTensor {
  const [self, source] = ["self", "src"].map((name) => of.context.reduced(tensorArg(of, name))) as [
    LazyTensor,
    LazyTensor,
  ];
  const { dtype } = outOf(of);
  return made(of, {
    inputs: [self, source],
    operations: 2,
    cell: (at) => {
      const { is, at: from } = place(at);
      return select(is, cast(source.cell(from), dtype), self.cell(at));
    },
  });
}
const sliceScatter: Lowering = {
  rule: (of) => {
    const self = tensorArg(of, "self");
    const source = tensorArg(of, "src");
    const dim = dimension(Number(of.args["dim"] ?? 0), self.shape.length);
    const { start, step } = sliceOf(of, self.shape[dim]!);
    return overlaid(of, (at) => {
      const offset = subtract(at[dim]!, start);
      const from = divide(offset, step);
      const isStep = remainder(offset, step);
      const is = both(
        inside(offset, multiply(source.shape[dim]!, step)),
        isStep.terms.length === 0 && isStep.constant === 0
          ? TRUE
          : apply("eq", indexScalar(isStep), constantScalar(0, "int64")),
      );
      return { is, at: at.map((index, d) => (d === dim ? from : index)) };
    });
  },
};
const selectScatter: Lowering = {
  rule: (of) => {
    const self = tensorArg(of, "self");
    const dim = dimension(Number(of.args["dim"]), self.shape.length);
    const given = of.args["index"] as number;
    const index =
      typeof given === "number" && given < 0 ? add(self.shape[dim]!, constant(given)) : size(given);
    return overlaid(of, (at) => ({
      is: apply("eq", indexScalar(at[dim]!), indexScalar(index)),
      at: at.filter((_, d) => d !== dim),
    }));
  },
};
const diagonalScatter: Lowering = {
  rule: (of) => {
    const self = tensorArg(of, "self");
    const rank = self.shape.length;
    const [a, b] = ["dim1", "dim2"].map((name) => dimension(Number(of.args[name]), rank)) as [number, number];
    const offset = Number(of.args["offset"] ?? 0);
    return overlaid(of, (at) => ({
      is: apply("eq", indexScalar(add(at[a]!, constant(offset))), indexScalar(at[b]!)),
      at: [...at.filter((_, d) => d !== a && d !== b), offset < 0 ? at[b]! : at[a]!],
    }));
  },
};
/** The cells of the source in the first tensor's shape and dtype. */
const copy: Lowering = {
  rule: (of) => {
    const { dtype } = outOf(of);
    const self = tensorArg(of, "self");
    const source = of.context.once(broadcastTo(tensorArg(of, "src"), of.node, self.shape));
    return made(of, { inputs: [source], operations: 0, cell: (at) => cast(source.cell(at), dtype) });
  },
};

export const SCATTERS: LoweringTable = {
  "aten.scatter.src": scatter("src", () => LAST),
  "aten.scatter.value": scatter("value", () => LAST),
  "aten.scatter.reduce": scatter("src", (of) => byName(of, true)),
  "aten.scatter.value_reduce": scatter("value", (of) => byName(of, true)),
  "aten.scatter_add.default": scatter("src", () => ({ reduce: "sum", includesSelf: true })),
  "aten.scatter_reduce.two": scatter("src", (of) => byName(of, flag(of, "include_self"))),
  "aten.index_reduce.default": indexReduce,
  "aten.slice_scatter.default": sliceScatter,
  "aten.select_scatter.default": selectScatter,
  "aten.diagonal_scatter.default": diagonalScatter,
  "aten.copy.default": copy,
};
