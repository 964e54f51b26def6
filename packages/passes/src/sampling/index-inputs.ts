/**
 * @file Inputs of a region that its calls use as indices, with the sizes of the dimensions that
 * they index.
 */
import { type Argument, FakeTensor, type Graph, isRef, itemsOf, type Node } from "@sconce/ir";
import { type IntLike, mul } from "@sconce/symbolic";
import { dtypeInfo } from "@sconce/tensor";
import type { RegionPair } from "../changes/region-pair.js";
import { isValuePreserving } from "../changes/value-facts.js";

/** An argument of integers, and the size that they are below. */
interface IndexUse {
  readonly index: Argument | undefined;
  readonly size: IntLike | undefined;
}

type Uses = (
  node: Node,
  shapeOf: (argument: Argument | undefined) => readonly IntLike[],
) => readonly IndexUse[];

/** Of `op(self, dim, index, ...)`. */
const alongDim: Uses = ({ args }, shapeOf) => [
  { index: args[2], size: shapeOf(args[0]).at(Number(args[1])) },
];
/** Of `op(table, index, ...)`, by rows. */
const ofRows: Uses = ({ args }, shapeOf) => [{ index: args[1], size: shapeOf(args[0])[0] }];
/** Of `op(self, index, ...)`, by positions of all elements. */
const ofElements: Uses = ({ args }, shapeOf) => [
  { index: args[1], size: shapeOf(args[0]).reduce<IntLike>((count, size) => mul(count, size), 1) },
];
/** Of `op(self, [index, ...], ...)`. */
const ofDims: Uses = ({ args }, shapeOf) =>
  (itemsOf(args[1] ?? null) ?? []).map((index, d) => ({ index, size: shapeOf(args[0])[d] }));
/** Of `op(scores, target, ...)`: classes are the second dimension, or the only one. */
const ofClasses: Uses = ({ args }, shapeOf) => {
  const shape = shapeOf(args[0]);
  return [{ index: args[1], size: shape[shape.length === 1 ? 0 : 1] }];
};
/** Of calls that are given the size as a number. */
const givenSize =
  (index: number, size: number): Uses =>
  ({ args }) => [{ index: args[index], size: typeof args[size] === "number" ? args[size] : undefined }];

const USES: Readonly<Record<string, Uses>> = {
  embedding: ofRows,
  embedding_bag: ofRows,
  _embedding_bag: ofRows,
  _embedding_bag_forward_only: ofRows,
  embedding_dense_backward: givenSize(1, 2),
  one_hot: givenSize(0, 1),
  index: ofDims,
  _unsafe_index: ofDims,
  index_put: ofDims,
  _unsafe_index_put: ofDims,
  _index_put_impl: ofDims,
  take: ofElements,
  put: ofElements,
  take_along_dim: ({ args }, shapeOf) => [
    typeof args[2] === "number"
      ? { index: args[1], size: shapeOf(args[0]).at(args[2]) }
      : ofElements({ args } as Node, shapeOf)[0]!,
  ],
  index_select: alongDim,
  index_add: alongDim,
  index_copy: alongDim,
  index_fill: alongDim,
  index_reduce: alongDim,
  gather: alongDim,
  scatter: alongDim,
  scatter_add: alongDim,
  scatter_reduce: alongDim,
  nll_loss: ofClasses,
  nll_loss_nd: ofClasses,
  nll_loss2d: ofClasses,
  nll_loss_forward: ofClasses,
  nll_loss2d_forward: ofClasses,
  cross_entropy_loss: ofClasses,
};

/** Sizes that an input has to stay below, by its name. */
export type IndexSizes = ReadonlyMap<string, readonly IntLike[]>;

/** Index inputs of both versions: where both use an input, those before the change count. */
export const indexInputs = ({ before, after }: RegionPair): IndexSizes =>
  new Map([...indicesOf(after.graph), ...indicesOf(before.graph)]);

/** Returns whether what inputs index has another size in another version of a region. */
export function isOtherTable(pair: RegionPair, other: RegionPair): boolean {
  const [sizes, others] = [indexInputs(pair), indexInputs(other)];
  return [...sizes].some(([name, own]) => own.join() !== others.get(name)?.join());
}

function indicesOf(graph: Graph): Map<string, IntLike[]> {
  const found = new Map<string, IntLike[]>();
  const inputs = new Map<string, ReadonlySet<string>>();
  const inputsOf = (argument: Argument | undefined): ReadonlySet<string> =>
    (isRef(argument) ? inputs.get(argument.name) : undefined) ?? NONE;
  const shapeOf = (argument: Argument | undefined): readonly IntLike[] => {
    const val = isRef(argument) ? graph.node(argument.name).meta.val : undefined;
    return val instanceof FakeTensor ? val.shape : [];
  };
  for (const node of graph.nodes()) {
    if (isInteger(node)) {
      if (node.op === "placeholder") inputs.set(node.name, new Set([node.name]));
      else if (handsOn(node))
        inputs.set(node.name, new Set(partsOf(node).flatMap((part) => [...inputsOf(part)])));
    }
    if (node.op !== "call_function") continue;
    for (const { index, size } of USES[nameOf(node)]?.(node, shapeOf) ?? [])
      if (size !== undefined)
        for (const input of inputsOf(index)) found.set(input, [...(found.get(input) ?? []), size]);
  }
  return found;
}

const NONE: ReadonlySet<string> = new Set();

const nameOf = ({ target }: Node): string => /^aten\.(\w+?)_?\./.exec(target)?.[1] ?? "";

const isInteger = ({ meta: { val } }: Node): boolean =>
  val instanceof FakeTensor && dtypeInfo(val.dtype).kind === "int";

/** Views, copies and conversions between integers. */
const handsOn = ({ target }: Node): boolean =>
  isValuePreserving(target) || target === "aten._to_copy.default" || target.startsWith("aten.to.");

const partsOf = ({ args }: Node): readonly Argument[] => itemsOf(args[0] ?? null) ?? [args[0] ?? null];
