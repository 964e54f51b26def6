/**
 * @file Operators that write elements into a tensor. Each element of the result asks which sources
 * point at it: a reduction over the sources, so that every element is still computed on its own.
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
import { sliceOf } from "./view.js";

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
  /**
   * The axis of the sources of one element, what they hold and which of them point at the element.
   */
  readonly extents: readonly Index[];
  readonly value: (at: readonly Index[], source: readonly Index[]) => Scalar;
  readonly points: (at: readonly Index[], source: readonly Index[]) => Scalar;
  /** Whether an element has sources at all; where it does not they may not be read. */
  readonly within?: (at: readonly Index[]) => Scalar;
}

/** The tensor after sources have been written into it. */
export function written(
  call: LoweringCall,
  self: LazyTensor,
  sources: Sources,
  writing: Writing,
): LazyTensor {
  const { context } = call;
  const { dtype } = outOf(call);
  const compute = writing.reduce === "last" ? dtype : computeType(dtype);
  context.many(self);
  const result = made(call, {
    inputs: [self, ...sources.inputs],
    operations: 4,
    heavy: true,
    element: (at) => {
      const own = self.element(at);
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
  context.materialize(result, { hint: { kind: "scatter" } });
  return result;
}
const meanOf = (total: Scalar, count: Scalar): Scalar =>
  apply(total.dtype.startsWith("float") ? "div" : "floor_div", total, cast(count, total.dtype));

/** `scatter` and its relatives: a source's index says where along the dimension it goes. */
function scattered(call: LoweringCall, source: LazyTensor | unknown, writing: Writing): LazyTensor {
  const { context } = call;
  const self = tensorArg(call, "self");
  const index = context.many(tensorArg(call, "index"), 2);
  if (isNothing(index))
    return made(call, { inputs: [context.reduced(self)], element: (at) => self.element(at) });
  if (self.shape.length !== index.shape.length || self.shape.length === 0)
    return scatteredElement(call, self, source, writing);
  const dim = dimension(Number(call.args["dim"]), self.shape.length);
  const values = source instanceof LazyTensor ? [context.many(source)] : [];
  const place = (at: readonly Index[], along: Index): Index[] =>
    at.map((coordinate, d) => (d === dim ? along : coordinate));
  return written(
    call,
    self,
    {
      inputs: [index, ...values],
      extents: [index.shape[dim]!],
      value: (at, [along]) => valueAt(source, place(at, along!), outOf(call).dtype),
      points: (at, [along]) => pointsAt(index.element(place(at, along!)), at[dim]!, self.shape[dim]!),
      within: (at) =>
        at.reduce<Scalar>(
          (all, coordinate, d) => (d === dim ? all : both(all, inside(coordinate, index.shape[d]!))),
          TRUE,
        ),
    },
    writing,
  );
}
/** A 0-d tensor, or one element by a 0-d index. */
function scatteredElement(
  call: LoweringCall,
  self: LazyTensor,
  source: unknown,
  writing: Writing,
): LazyTensor {
  const index = tensorArg(call, "index");
  const values = source instanceof LazyTensor ? [call.context.many(source)] : [];
  const flat = (tensor: LazyTensor, along: Index): Index[] => tensor.shape.map(() => along);
  return written(
    call,
    self,
    {
      inputs: [index, ...values],
      extents: [index.shape[0] ?? constant(1)],
      value: (_, [along]) =>
        valueAt(source, source instanceof LazyTensor ? flat(source, along!) : [], outOf(call).dtype),
      points: (at, [along]) =>
        at.length === 0 ? TRUE : pointsAt(index.element(flat(index, along!)), at[0]!, self.shape[0]!),
    },
    writing,
  );
}
/**
 * Whether an index names a place. It is read as a place itself, so that those who check indices see
 * it.
 */
const pointsAt = (index: Scalar, place: Index, extent: Index): Scalar =>
  apply("eq", indexScalar(placeIn(index, extent, false)), indexScalar(place));
const valueAt = (source: unknown, at: readonly Index[], dtype: DType): Scalar =>
  source instanceof LazyTensor ? source.element(at) : checkedScalar(source, dtype);

const LAST: Writing = { reduce: "last", includesSelf: true };
const scatter = (source: string, writing: (call: LoweringCall) => Writing): Lowering => ({
  rule: (call) => scattered(call, call.args[source], writing(call)),
});
const byName = (call: LoweringCall, includesSelf: boolean): Writing => {
  const name = String(call.args["reduce"]);
  const reduce = WRITINGS[name] ?? cannot(`it reduces by "${name}"`);
  return { reduce, includesSelf, isMean: name === "mean" };
};

/** `index_reduce`: the index is one for a whole slice of the source. */
const indexReduce: Lowering = {
  rule: (call) => {
    const [self, source] = ["self", "source"].map((name) => call.context.many(tensorArg(call, name))) as [
      LazyTensor,
      LazyTensor,
    ];
    const index = call.context.many(tensorArg(call, "index"), 2);
    if (self.shape.length === 0) return cannot("index_reduce of a 0-d tensor");
    const dim = dimension(Number(call.args["dim"]), self.shape.length);
    const indexAt = (along: Index): Index[] => index.shape.map(() => along);
    return written(
      call,
      self,
      {
        inputs: [source, index],
        extents: [index.shape[0] ?? constant(1)],
        value: (at, [along]) => source.element(at.map((place, d) => (d === dim ? along! : place))),
        points: (at, [along]) => pointsAt(index.element(indexAt(along!)), at[dim]!, self.shape[dim]!),
      },
      byName(call, flag(call, "include_self")),
    );
  },
};

/** A tensor partly overwritten by another one: `over` gives the element that overwrites, if any. */
function overlaid(
  call: LoweringCall,
  place: (at: readonly Index[]) => { readonly is: Scalar; readonly at: readonly Index[] },
): LazyTensor {
  const [self, source] = ["self", "src"].map((name) => call.context.reduced(tensorArg(call, name))) as [
    LazyTensor,
    LazyTensor,
  ];
  const { dtype } = outOf(call);
  return made(call, {
    inputs: [self, source],
    operations: 2,
    element: (at) => {
      const { is, at: from } = place(at);
      return select(is, cast(source.element(from), dtype), self.element(at));
    },
  });
}
const sliceScatter: Lowering = {
  rule: (call) => {
    const self = tensorArg(call, "self");
    const source = tensorArg(call, "src");
    const dim = dimension(Number(call.args["dim"] ?? 0), self.shape.length);
    const { start, step } = sliceOf(call, self.shape[dim]!);
    return overlaid(call, (at) => {
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
  rule: (call) => {
    const self = tensorArg(call, "self");
    const dim = dimension(Number(call.args["dim"]), self.shape.length);
    const given = call.args["index"] as number;
    const index =
      typeof given === "number" && given < 0 ? add(self.shape[dim]!, constant(given)) : size(given);
    return overlaid(call, (at) => ({
      is: apply("eq", indexScalar(at[dim]!), indexScalar(index)),
      at: at.filter((_, d) => d !== dim),
    }));
  },
};
const diagonalScatter: Lowering = {
  rule: (call) => {
    const self = tensorArg(call, "self");
    const rank = self.shape.length;
    const [a, b] = ["dim1", "dim2"].map((name) => dimension(Number(call.args[name]), rank)) as [
      number,
      number,
    ];
    const offset = Number(call.args["offset"] ?? 0);
    return overlaid(call, (at) => ({
      is: apply("eq", indexScalar(add(at[a]!, constant(offset))), indexScalar(at[b]!)),
      at: [...at.filter((_, d) => d !== a && d !== b), offset < 0 ? at[b]! : at[a]!],
    }));
  },
};
/** The elements of the source in the first tensor's shape and dtype. */
const copy: Lowering = {
  rule: (call) => {
    const { dtype } = outOf(call);
    const self = tensorArg(call, "self");
    const source = call.context.once(broadcastTo(tensorArg(call, "src"), call.node, self.shape));
    return made(call, { inputs: [source], operations: 0, element: (at) => cast(source.element(at), dtype) });
  },
};

export const SCATTERS: LoweringTable = {
  "aten.scatter.src": scatter("src", () => LAST),
  "aten.scatter.value": scatter("value", () => LAST),
  "aten.scatter.reduce": scatter("src", (call) => byName(call, true)),
  "aten.scatter.value_reduce": scatter("value", (call) => byName(call, true)),
  "aten.scatter_add.default": scatter("src", () => ({ reduce: "sum", includesSelf: true })),
  "aten.scatter_reduce.two": scatter("src", (call) => byName(call, flag(call, "include_self"))),
  "aten.index_reduce.default": indexReduce,
  "aten.slice_scatter.default": sliceScatter,
  "aten.select_scatter.default": selectScatter,
  "aten.diagonal_scatter.default": diagonalScatter,
  "aten.copy.default": copy,
};
