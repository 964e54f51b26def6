/** @file What a draft saw of operators without a right fake (`get_op_profiles`). */
import { type Argument, FakeTensor, type Graph, isRef, type MetaValue } from "@sconce/ir";
import type { DType } from "@sconce/tensor";

/** What a fake needs to know of a tensor. */
export interface TensorProfile {
  /** The number of dimensions. */
  readonly rank: number;
  /** The element type. */
  readonly dtype: DType;
}

/** One kind of call of an operator. */
export interface OperatorProfile {
  /** The arguments, keywords last; null for what is not a tensor. */
  readonly args: readonly (TensorProfile | null)[];
  /** The results. */
  readonly results: readonly (TensorProfile | null)[];
}

/** Returns the kinds of calls of some operators, by target. */
export function operatorProfiles(
  graph: Graph,
  targets: ReadonlySet<string>,
): ReadonlyMap<string, readonly OperatorProfile[]> {
  const found = new Map<string, Map<string, OperatorProfile>>();
  for (const { target, args, kwargs, meta } of graph.nodes()) {
    if (!targets.has(target)) continue;
    const values = [...args, ...Object.values(kwargs)].map((arg) => knownValue(graph, arg));
    const results = Array.isArray(meta.val) ? (meta.val as readonly MetaValue[]) : [meta.val];
    const profile = { args: values.map(profileOf), results: results.map(profileOf) };
    const known = found.get(target) ?? new Map<string, OperatorProfile>();
    found.set(target, known.set(JSON.stringify(profile), profile));
  }
  return new Map([...found].map(([target, profiles]) => [target, [...profiles.values()]]));
}

const knownValue = (graph: Graph, arg: Argument): MetaValue | undefined =>
  isRef(arg) ? graph.node(arg.name).meta.val : undefined;

const profileOf = (value: MetaValue | undefined): TensorProfile | null =>
  value instanceof FakeTensor ? { rank: value.ndim, dtype: value.dtype } : null;
