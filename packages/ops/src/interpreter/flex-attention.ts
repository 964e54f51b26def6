/**
 * @file `flex_attention`: attention whose scores and mask are graphs. As PyTorch's CPU kernel, it
 * computes all scores; the blocks of the mask are for kernels that skip some.
 */
import { type Argument, type Graph, isRef, itemsOf, type Node } from "@sconce/ir";
import { type DType, dtypeInfo, numel } from "@sconce/tensor";
import { invalidArgument } from "../rows/errors.js";
import { isScalarFunction } from "../rows/scalar-functions.js";
import {
  type GraphRunner,
  type HigherOrder,
  orNone,
  resolved,
  type Values,
  valuesOf,
} from "./higher-order-call.js";
import { converted } from "./operator-calls.js";
import type { CallArgument, CallKwargs, NestedGraph, NodeArgument, Steps } from "./values.js";

/** A call of an operator with one tensor as result. */
type Call<T> = (target: string, args: readonly CallArgument<T>[], kwargs?: CallKwargs<T>) => Steps<T>;

/** Batch, head, query and key: the dimensions of scores. */
const RANK = 4;

/** The arguments in the order of their positions. */
const NAMES = [
  "query",
  "key",
  "value",
  "score_mod",
  "block_mask",
  "scale",
  "kernel_options",
  "score_mod_other_buffers",
  "mask_mod_other_buffers",
];

export const flexAttention: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  given: readonly NodeArgument<T>[],
  kwargs: CallKwargs<T>,
  node: Node,
) {
  const at = (i: number): NodeArgument<T> => given[i] ?? (kwargs[NAMES[i]!] as NodeArgument<T>);
  const [query, key, value] = [at(0), at(1), at(2)] as readonly T[] as [T, T, T];
  const call: Call<T> = function* (target, args, named = {}) {
    return (yield* resolved(runner.callOperator(`aten.${target}`, args, named, node))) as T;
  };
  const { shape, dtype, strides } = runner.tensors.layoutOf(query);
  const working: DType = dtype === "float64" ? "float64" : "float32";
  const grouped = yield* groupedHeads(runner, call, query, [key, value]);
  const cast = (tensor: T): Steps<T> => converted(runner, tensor, working, node) as Steps<T>;
  const columns = yield* call("transpose.int", [yield* cast(grouped[0]!), -2, -1]);
  const products = yield* call("matmul.default", [yield* cast(query), columns]);
  const scores = yield* call("mul.Tensor", [products, at(5) as CallArgument<T>]);
  const { shape: sizes } = runner.tensors.layoutOf(scores);
  const places = yield* placesOf(call, sizes);
  const mask: OfElement<T> = {
    graph: orNone(at(4)).at(-1) as unknown as NestedGraph,
    buffers: orNone(at(8)),
    dtype: "bool",
  };
  const score: OfElement<T> = { graph: at(3) as NestedGraph, buffers: orNone(at(7)), dtype: working };
  const context: Context<T> = { runner, call, sizes, node };
  const allowed = yield* overPlaces(context, mask, places);
  const changed = yield* overPlaces(context, score, [scores, ...places]);
  const never = yield* call("scalar_tensor.default", [Number.NEGATIVE_INFINITY], {
    dtype: { kind: "dtype", dtype: working },
  });
  const masked = yield* call("where.self", [allowed, changed, never]);
  const all = yield* call("expand.default", [masked, sizes]);
  const weights = yield* converted(runner, yield* call("_safe_softmax.default", [all, -1]), dtype, node);
  const result = yield* call("matmul.default", [
    weights as T,
    yield* converted(runner, grouped[1]!, dtype, node) as Steps<T>,
  ]);
  const greatest = yield* call("amax.default", [all, [-1]]);
  return [
    yield* inOrderOf(call, result, shape, strides),
    yield* inBits(call, yield* call("logsumexp.default", [all, [-1]])),
    yield* inBits(call, greatest),
  ] as Values<T>;
};

/** Keys and values with a head for each head of the query, and a batch for each batch. */
function* groupedHeads<T>(
  { tensors }: GraphRunner<T>,
  call: Call<T>,
  query: T,
  others: readonly T[],
): Steps<readonly T[]> {
  const [batch = 0, heads = 0] = tensors.layoutOf(query).shape;
  const grouped: T[] = [];
  for (const other of others) {
    const sizes = tensors.layoutOf(other).shape;
    const [itsBatch = 0, itsHeads = 0] = sizes;
    if (batch !== itsBatch && !(batch > 1 && itsBatch === 1))
      throw invalidArgument(`Bq and Bkv must broadcast. Got Bq=${batch} and Bkv=${itsBatch}`);
    const count = itsHeads === 0 ? 1 : Math.floor(heads / itsHeads);
    const repeated = count === 1 ? other : yield* call("repeat_interleave.self_int", [other, count, 1]);
    const shape = tensors.layoutOf(repeated).shape;
    grouped.push(yield* call("expand.default", [repeated, [batch, ...shape.slice(1)]]));
  }
  return grouped;
}

/**
 * Returns the index of each batch, head, query and key, as tensors that broadcast over the scores.
 */
function* placesOf<T>(call: Call<T>, sizes: readonly number[]): Steps<readonly T[]> {
  const places: T[] = [];
  for (const [dim, size] of sizes.entries()) {
    const line = yield* call("arange.default", [size], { dtype: { kind: "dtype", dtype: "int32" } });
    places.push(yield* call("view.default", [line, sizes.map((_, d) => (d === dim ? size : 1))]));
  }
  return places;
}

/** Logarithms to base 2, as the kernels have them. */
const inBits = <T>(call: Call<T>, logarithms: T): Steps<T> => call("div.Tensor", [logarithms, Math.LN2]);

/**
 * Returns a result with its dimensions in memory in the order of the query's, the last one
 * innermost.
 */
function* inOrderOf<T>(
  call: Call<T>,
  result: T,
  { length }: readonly number[],
  strides: readonly number[],
): Steps<T> {
  const outer = Array.from({ length: length - 1 }, (_, dim) => dim).toSorted(
    (a, b) => strides[b]! - strides[a]! || a - b,
  );
  const order = [...outer, length - 1];
  const contiguous = {
    memory_format: { kind: "memory_format", format: "contiguous_format" },
  } as unknown as CallKwargs<T>;
  const laid = yield* call("clone.default", [yield* call("permute.default", [result, order])], contiguous);
  return yield* call("permute.default", [laid, order.map((_, dim) => order.indexOf(dim))]);
}

interface Context<T> {
  readonly runner: GraphRunner<T>;
  readonly call: Call<T>;
  /** The sizes of the scores. */
  readonly sizes: readonly number[];
  readonly node: Node;
}

/** A graph of one element: `score_mod` or `mask_mod`. */
interface OfElement<T> {
  readonly graph: NestedGraph;
  /** What it reads beside the element and its place. */
  readonly buffers: Values<T>;
  /** The dtype of the result where there is no element. */
  readonly dtype: DType;
}

/**
 * A value of a graph of one element: of all elements at once, with four dimensions, or of none in
 * particular.
 */
interface Lanes<T> {
  readonly value: NodeArgument<T>;
  readonly isOfAll: boolean;
}

/**
 * Runs a graph of one element for all elements: its calls at once where they are pointwise,
 * or read a tensor at the places of the elements; otherwise once for each element.
 */
function* overPlaces<T>(context: Context<T>, ofElement: OfElement<T>, inputs: readonly T[]): Steps<T> {
  const { runner, call } = context;
  const given = [
    ...inputs.map((value): Lanes<T> => ({ value, isOfAll: true })),
    ...ofElement.buffers.map((value): Lanes<T> => ({ value, isOfAll: false })),
  ];
  const result = yield* atOnce(context, ofElement.graph.graph, given);
  if (result === undefined) return yield* oneByOne(context, ofElement, inputs);
  const { value, isOfAll } = result;
  if (isOfAll) return value as T;
  const { shape } = runner.tensors.layoutOf(value as T);
  if (shape.length > 0) throw oneElement(shape);
  return yield* call("view.default", [value as T, [1, 1, 1, 1]]);
}

const oneElement = (shape: readonly number[]): Error =>
  invalidArgument(
    `score_mod and mask_mod give one element, and it gives a tensor of shape [${shape.join(", ")}]`,
  );

/** Returns the result for all elements; undefined when a call cannot be run for all at once. */
function* atOnce<T>(
  { runner, call, node: place }: Context<T>,
  graph: Graph,
  given: readonly Lanes<T>[],
): Steps<Lanes<T> | undefined> {
  const values = new Map<string, Lanes<T>>();
  const read = (arg: Argument): Lanes<T> => {
    if (isRef(arg)) return values.get(arg.name) ?? { value: null, isOfAll: false };
    const items = itemsOf(arg)?.map(read);
    if (items === undefined) return { value: arg as NodeArgument<T>, isOfAll: false };
    const value = items.map((item) => item.value as CallArgument<T>);
    return { value, isOfAll: items.some(({ isOfAll }) => isOfAll) };
  };
  let input = 0;
  for (const node of graph.nodes()) {
    if (node.op === "placeholder") values.set(node.name, given[input++]!);
    else if (node.op === "output") {
      const [result] = itemsOf(node.args[0]!) ?? [node.args[0]!];
      return read(result!);
    } else if (node.op !== "call_function") return undefined;
    else {
      const args = node.args.map(read);
      const kwargs = Object.fromEntries(
        Object.entries(node.kwargs).map(([key, arg]) => [key, read(arg).value]),
      );
      const isOfAll = args.some((arg) => arg.isOfAll);
      if (!isOfAll && (isScalarFunction(node.target) || runner.operators.get(node.target) === undefined))
        return undefined;
      const whole = isOfAll ? yield* wholeCall(runner, call, node, args) : args.map(({ value }) => value);
      if (whole === undefined) return undefined;
      const result = runner.callOperator(
        node.target,
        whole as CallArgument<T>[],
        kwargs as CallKwargs<T>,
        place,
      );
      values.set(node.name, { value: yield* resolved(result), isOfAll });
    }
  }
  return undefined;
}

const CONVERSIONS = /^aten\.(clone|detach|alias|_to_copy|to)\./;
const FACTORIES = /^aten\.new_(ones|zeros|full|empty)\./;

/** Returns the arguments of a call for all elements; undefined when there is none. */
function* wholeCall<T>(
  runner: GraphRunner<T>,
  call: Call<T>,
  { target, kwargs }: Node,
  args: readonly Lanes<T>[],
): Steps<readonly NodeArgument<T>[] | undefined> {
  const row = runner.operators.get(target);
  if (row === undefined || row.schema.isMutable || Object.values(kwargs).some(isRef)) return undefined;
  const { tensors } = runner;
  const plain = args.map(({ value }) => value);
  const [self, second] = args;
  if (CONVERSIONS.test(target))
    return self!.isOfAll && !args.slice(1).some(({ isOfAll }) => isOfAll) ? plain : undefined;
  if (FACTORIES.test(target)) {
    const isScalar = Array.isArray(second?.value) && second.value.length === 0;
    return isScalar ? [self!.value, new Array<number>(RANK).fill(1), ...plain.slice(2)] : undefined;
  }
  const aligned = function* (value: NodeArgument<T>): Steps<NodeArgument<T> | undefined> {
    if (!tensors.isTensor(value)) return value;
    const { shape } = tensors.layoutOf(value as T);
    if (shape.length === RANK) return value;
    return shape.length === 0 ? yield* call("view.default", [value as T, [1, 1, 1, 1]]) : undefined;
  };
  const alignAll = function* (
    list: readonly NodeArgument<T>[],
  ): Steps<readonly NodeArgument<T>[] | undefined> {
    const all: NodeArgument<T>[] = [];
    for (const value of list) {
      const one = yield* aligned(value);
      if (one === undefined) return undefined;
      all.push(one);
    }
    return all;
  };
  if (target === "aten.index.Tensor" && !self!.isOfAll) {
    const indices = second!.value as readonly NodeArgument<T>[];
    const isPlaces = (index: NodeArgument<T>): boolean =>
      tensors.isTensor(index) && dtypeInfo(tensors.layoutOf(index as T).dtype).kind === "int";
    if (indices.length !== tensors.layoutOf(self!.value as T).shape.length || !indices.every(isPlaces))
      return undefined;
    const places = yield* alignAll(indices);
    return places === undefined ? undefined : [self!.value, places as CallArgument<T>[]];
  }
  return row.tags.includes("pointwise") && !args.some(isBuffer) ? yield* alignAll(plain) : undefined;

  function isBuffer({ value, isOfAll }: Lanes<T>): boolean {
    return !isOfAll && tensors.isTensor(value) && tensors.layoutOf(value as T).shape.length > 0;
  }
}

/** Runs a graph of one element for each element. */
function* oneByOne<T>(
  { runner, call, sizes }: Context<T>,
  { graph, buffers, dtype }: OfElement<T>,
  inputs: readonly T[],
): Steps<T> {
  const { tensors } = runner;
  const count = numel(sizes);
  if (count === 0) return yield* call("zeros.default", [sizes], { dtype: { kind: "dtype", dtype } });
  const whole: T[] = [];
  for (const input of inputs) whole.push(yield* call("expand.default", [input, sizes]));
  const results: T[] = [];
  for (let i = 0; i < count; i++) {
    let rest = i;
    const place = sizes.toReversed().map((size) => {
      const at = rest % size;
      rest = (rest - at) / size;
      return at;
    });
    const element = (tensor: T): T =>
      place.toReversed().reduce((one, at) => tensors.select(one, 0, at), tensor);
    const result = valuesOf(yield* runner.runGraph(graph, [...whole.map(element), ...buffers]))[0] as T;
    const { shape } = tensors.layoutOf(result);
    if (shape.length > 0) throw oneElement(shape);
    results.push(result);
  }
  return yield* call("view.default", [tensors.stack(results, 0), sizes]);
}
