import { FakeTensor, isRef, type Node } from "@sconce/ir";
import type { IntLike } from "@sconce/symbolic";
import { wrapDimension } from "@sconce/tensor";

/**
 * A view that has every element of its tensor once: a permutation of dimensions, or another shape.
 */
export interface Move {
  /** Name of the tensor that is viewed. */
  readonly source: string;
  /** Equal for moves that do the same to what they are given. */
  readonly key: string;
  /** Dimension `i` of the result is `dims[i]` of the tensor; undefined for another shape. */
  readonly dims: readonly number[] | undefined;
}

const PERMUTES = /^aten\.(permute\.default|transpose\.int|t\.default)$/;
const RESHAPES = /^aten\.(view|_unsafe_view|unsqueeze)\.default$|^aten\.squeeze\.(default|dim|dims)$/;

/**
 * Returns what a call moves, when that is all it does. `valOf` gives the value of a node by its
 * name.
 */
export function moveOf(node: Node, valOf: (name: string) => unknown): Move | undefined {
  const source = node.op === "call_function" ? node.args[0] : undefined;
  if (!isRef(source) || !(node.meta.val instanceof FakeTensor)) return undefined;
  if (PERMUTES.test(node.target)) {
    const dims = dimsOf(node, node.meta.val.ndim);
    return dims && { source: source.name, key: `permute ${dims.join()}`, dims };
  }
  const val = RESHAPES.test(node.target) ? valOf(source.name) : undefined;
  if (!(val instanceof FakeTensor) || val.ndim === 0 || node.meta.val.ndim === 0) return undefined;
  const key = `${sizesKey(val.shape)} -> ${sizesKey(node.meta.val.shape)}`;
  return { source: source.name, key, dims: undefined };
}

function dimsOf({ target, args }: Node, ndim: number): readonly number[] | undefined {
  const at = (dim: unknown): number => wrapDimension(Number(dim), ndim);
  if (target === "aten.permute.default") return (args[1] as readonly unknown[]).map(at);
  const dims = Array.from({ length: ndim }, (_, dim) => dim);
  const [a, b] = target === "aten.t.default" ? [0, 1] : [at(args[1]), at(args[2])];
  if (ndim < 2) return undefined;
  [dims[a], dims[b]] = [dims[b]!, dims[a]!];
  return dims;
}

const sizesKey = (sizes: readonly IntLike[]): string =>
  sizes.map((size) => (typeof size === "number" ? size : size.key)).join();

/** Returns whether the dimensions stay where they are. */
export const isIdentity = (dims: readonly number[]): boolean => dims.every((dim, at) => dim === at);
