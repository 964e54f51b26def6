/**
 * @file The same region at small sizes: equal sizes stay equal, 1 stays 1, sizes in arguments
 * follow.
 */

import { isSconceError } from "@sconce/errors";
import {
  type Argument,
  type ExportedProgram,
  FakeTensor,
  isRef,
  type MetaValue,
  type Node,
  rebuild,
  symContiguousStrides,
} from "@sconce/ir";
import { constantValue, metaOf, type OperatorTable } from "@sconce/ops";
import { STATIC_ENV } from "@sconce/symbolic";
import type { PairInput, RegionPair } from "./region-pair.js";

/** New sizes by old ones. */
type SizeMap = ReadonlyMap<number, number>;

/**
 * Sizes up to `keep` stay; larger ones become numbers from `first` on, in their order, or all
 * `first`.
 */
interface Plan {
  readonly keep: number;
  readonly first: number;
  readonly distinct: boolean;
}

const PLANS: readonly Plan[] = [
  { keep: 8, first: 9, distinct: true },
  { keep: 4, first: 5, distinct: true },
  { keep: 3, first: 4, distinct: true },
  { keep: 3, first: 4, distinct: false },
  { keep: 1, first: 2, distinct: true },
  { keep: 1, first: 2, distinct: false },
];

const RESHAPES: ReadonlySet<string> = new Set([
  "aten.view.default",
  "aten.reshape.default",
  "aten._unsafe_view.default",
]);

/** The largest number of elements in a sampled input. */
export const MAX_ELEMENTS = 1000;
const MAX_CONSTANT = 20_000;

/** Elements of the largest input that is sampled. */
export const largestInput = ({ inputs }: RegionPair): number =>
  largestOf(inputs.filter(({ fixed }) => !fixed));

/** Elements of the largest parameter, buffer or constant. */
export const largestConstant = ({ inputs }: RegionPair): number =>
  largestOf(inputs.filter(({ fixed }) => fixed));

const largestOf = (inputs: readonly PairInput[]): number =>
  Math.max(0, ...inputs.map(({ val }) => (val instanceof FakeTensor ? elementsOf(val) : 0)));

/**
 * Returns whether samples are small enough to be run by the dozen; constants that only one version
 * has keep their sizes.
 */
export const isSmall = (pair: RegionPair): boolean =>
  largestInput(pair) <= MAX_ELEMENTS && largestConstant(pair) <= MAX_CONSTANT;

const elementsOf = ({ shape }: FakeTensor): number =>
  shape.reduce<number>((count, size) => count * (typeof size === "number" ? size : 1), 1);

/**
 * Returns the region at sizes of which no input that is sampled has more than {@link MAX_ELEMENTS};
 * undefined without such.
 */
export function resizedPair(pair: RegionPair, operators: OperatorTable): RegionPair | undefined {
  if (!canResize(pair)) return undefined;
  const pinned = new Set(pair.inputs.flatMap(({ val, isOwn }) => (isOwn ? sizesOf(val) : [])));
  const sizes = new Set([
    ...pair.inputs.flatMap(({ val }) => sizesOf(val)),
    ...literalSizes(pair, operators),
  ]);
  let best: RegionPair | undefined;
  for (const plan of PLANS) {
    const resized = attempt(pair, mapOf(sizes, pinned, factorsOf(pair), plan), operators);
    if (resized === undefined) continue;
    if (best === undefined || largestInput(resized) < largestInput(best)) best = resized;
    if (isSmall(best)) return best;
  }
  return best;
}

/** Only calls of operators with shape rules on tensors of known sizes. */
function canResize({ inputs, before, after }: RegionPair): boolean {
  const isStatic = inputs.every(
    ({ val }) => !(val instanceof FakeTensor) || val.shape.every((size) => typeof size === "number"),
  );
  const isCall = ({ op, target }: Node): boolean =>
    op !== "get_attr" &&
    (op !== "call_function" || target.startsWith("aten.") || target === "operator.getitem");
  return isStatic && [before, after].every(({ graph }) => graph.nodes().every(isCall));
}

const sizesOf = (val: MetaValue | undefined): number[] =>
  val instanceof FakeTensor ? (val.shape as readonly number[]).slice() : [];

/** Sizes that calls have as arguments. */
function literalSizes({ before, after }: RegionPair, operators: OperatorTable): number[] {
  const found: number[] = [];
  for (const { graph } of [before, after])
    for (const node of graph.nodes())
      if (node.op === "call_function")
        mapSizes(node, operators, (size) => {
          found.push(size);
          return size;
        });
  return found;
}

/** Sizes that reshapes split into others, with those. */
function factorsOf({ before, after }: RegionPair): Map<number, readonly number[]> {
  const factors = new Map<number, readonly number[]>();
  for (const { graph } of [before, after])
    for (const node of graph.nodes()) {
      const source = RESHAPES.has(node.target) ? node.args[0] : undefined;
      const val = isRef(source) ? graph.node(source.name).meta.val : undefined;
      for (const { from, to } of groupsOf(sizesOf(val), sizesOf(node.meta.val))) {
        if (from.length === 1 && to.length > 1) factors.set(from[0]!, to);
        if (to.length === 1 && from.length > 1) factors.set(to[0]!, from);
      }
    }
  return factors;
}

function mapOf(
  sizes: ReadonlySet<number>,
  pinned: ReadonlySet<number>,
  factors: ReadonlyMap<number, readonly number[]>,
  { keep, first, distinct }: Plan,
): SizeMap {
  const map = new Map<number, number>();
  let next = first;
  for (const size of [...sizes].sort((a, b) => a - b)) {
    if (size <= keep || pinned.has(size) || size > 2 ** 31) continue;
    const parts = factors.get(size);
    const whole = parts?.reduce((product, part) => product * (map.get(part) ?? part), 1);
    if (whole !== undefined) map.set(size, whole);
    else map.set(size, Math.min(size, distinct ? next++ : first));
  }
  return map;
}

function attempt(pair: RegionPair, sizes: SizeMap, operators: OperatorTable): RegionPair | undefined {
  const inputs = pair.inputs.map((input): PairInput => {
    const { val, isOwn } = input;
    if (!(val instanceof FakeTensor) || isOwn) return input;
    const shape = val.shape.map((size) => sizes.get(size as number) ?? size);
    return {
      ...input,
      val: new FakeTensor({ ...val, shape, strides: stridesLike(val, shape), storageOffset: 0 }),
    };
  });
  const vals = new Map(inputs.map(({ name, val }) => [name, val]));
  const before = resized(pair.before, vals, sizes, operators);
  const after = before && resized(pair.after, vals, sizes, operators);
  if (before === undefined || after === undefined) return undefined;
  return sameResults(before, after) ? { before, after, inputs } : undefined;
}

/** Strides of another shape with the dimensions in the same order in memory. */
function stridesLike({ strides, shape: old }: FakeTensor, shape: FakeTensor["shape"]): FakeTensor["strides"] {
  if (old.some((size, d) => size !== 1 && strides[d] === 0)) return symContiguousStrides(shape);
  const order = strides.map((_, d) => d).sort((a, b) => Number(strides[b]) - Number(strides[a]) || a - b);
  const packed = symContiguousStrides(order.map((d) => shape[d]!));
  const result = new Array<FakeTensor["strides"][number]>(shape.length);
  order.forEach((d, i) => {
    result[d] = packed[i]!;
  });
  return result;
}

function resized(
  program: ExportedProgram,
  inputs: ReadonlyMap<string, MetaValue | undefined>,
  sizes: SizeMap,
  operators: OperatorTable,
): ExportedProgram | undefined {
  const vals = new Map<string, MetaValue | undefined>();
  const resolve = (argument: Argument): unknown =>
    constantValue(isRef(argument) ? vals.get(argument.name) : argument);
  try {
    const graph = rebuild(program.graph, (node) => {
      if (node.op === "output") return true;
      const sized = node.op === "placeholder" ? node : withSizes(node, sizes, program, vals, operators);
      const val = node.op === "placeholder" ? inputs.get(node.name) : metaValueOf(sized, operators, resolve);
      if (!sameRank(node.meta.val, val)) throw new Unsized();
      vals.set(node.name, val);
      return { ...sized, meta: { ...node.meta, ...(val !== undefined && { val }) } };
    });
    return program.with({ graph });
  } catch (error) {
    // Rules refuse sizes that do not fit together.
    if (error instanceof Unsized || isSconceError(error)) return undefined;
    throw error;
  }
}

class Unsized extends Error {}

function metaValueOf(
  node: Node,
  operators: OperatorTable,
  resolve: (argument: Argument) => unknown,
): MetaValue | undefined {
  if (node.target !== "operator.getitem")
    return metaOf(operators, node.target, node.args, node.kwargs, STATIC_ENV, resolve as never);
  const source = resolve(node.args[0]!);
  if (!Array.isArray(source)) throw new Unsized();
  return (source as readonly MetaValue[])[Number(node.args[1])];
}

function withSizes(
  node: Node,
  sizes: SizeMap,
  { graph }: ExportedProgram,
  vals: ReadonlyMap<string, MetaValue | undefined>,
  operators: OperatorTable,
): Node {
  const source = RESHAPES.has(node.target) ? node.args[0] : undefined;
  if (!isRef(source)) return mapSizes(node, operators, (size) => sizes.get(size) ?? size);
  const [old, now] = [sizesOf(graph.node(source.name).meta.val), sizesOf(vals.get(source.name))];
  const shape = reshaped(old, now, sizesOf(node.meta.val), sizes);
  return { ...node, args: [source, shape, ...node.args.slice(2)] };
}

/** Returns the target of a reshape for a source of another shape. */
function reshaped(old: number[], now: number[], target: number[], sizes: SizeMap): number[] {
  let at = 0;
  return groupsOf(old, target).flatMap(({ from, to }) => {
    const product = now.slice(at, at + from.length).reduce((a, b) => a * b, 1);
    at += from.length;
    if (to.length === 1) return [product];
    const mapped = to.map((size) => sizes.get(size) ?? size);
    if (mapped.reduce((a, b) => a * b, 1) !== product) throw new Unsized();
    return mapped;
  });
}

interface Group {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** Runs of dimensions with equal products, as short as possible. */
function groupsOf(from: readonly number[], to: readonly number[]): Group[] {
  const groups: Group[] = [];
  let [i, j] = [0, 0];
  while (i < from.length || j < to.length) {
    const [startI, startJ] = [i, j];
    let a = i < from.length ? from[i++]! : 1;
    let b = j < to.length ? to[j++]! : 1;
    while (a !== b && (i < from.length || j < to.length)) {
      if (a < b && i < from.length) a *= from[i++]!;
      else if (j < to.length) b *= to[j++]!;
      else if (i < from.length) a *= from[i++]!;
    }
    groups.push({ from: from.slice(startI, i), to: to.slice(startJ, j) });
  }
  return groups;
}

/** Returns the call with each size among its arguments changed. */
function mapSizes(node: Node, operators: OperatorTable, change: (size: number) => number): Node {
  const schema = operators.get(node.target)?.schema ?? operators.schemaOf(node.target);
  if (schema === undefined) return node;
  const isSize = (index: number, key?: string): boolean => {
    const parameter = key === undefined ? schema.args[index] : schema.args.find(({ name }) => name === key);
    return parameter?.type.base === "SymInt";
  };
  const mapped = (argument: Argument): Argument => {
    if (Array.isArray(argument)) return (argument as readonly Argument[]).map(mapped);
    return typeof argument === "number" && Number.isInteger(argument) ? change(argument) : argument;
  };
  const kwargs = Object.entries(node.kwargs).map(([key, value]) => [
    key,
    isSize(-1, key) ? mapped(value) : value,
  ]);
  return {
    ...node,
    args: node.args.map((arg, i) => (isSize(i) ? mapped(arg) : arg)),
    kwargs: Object.fromEntries(kwargs) as Node["kwargs"],
  };
}

function sameRank(a: MetaValue | undefined, b: MetaValue | undefined): boolean {
  if (a instanceof FakeTensor) return b instanceof FakeTensor && a.dtype === b.dtype && a.ndim === b.ndim;
  if (Array.isArray(a))
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => sameRank(item as MetaValue, b[i] as MetaValue))
    );
  return !(b instanceof FakeTensor) && !Array.isArray(b);
}

function sameResults(before: ExportedProgram, after: ExportedProgram): boolean {
  const shapes = ({ graph, userOutputs }: ExportedProgram): string[] =>
    userOutputs.map((value) => ("name" in value ? sizesOf(graph.find(value.name)?.meta.val).join() : ""));
  return shapes(before).join(";") === shapes(after).join(";");
}
