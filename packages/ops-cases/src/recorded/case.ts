/**
 * @file Recorded calls: the arguments of one call of one overload, and what PyTorch made of them.
 */
import type { DType } from "@sconce/tensor";

/** A tensor of a case: its elements, and how they lie in memory. */
export interface CaseTensor {
  /** Returns the bytes of the elements in row-major order; null when only the layout is known. */
  readonly tensor: (() => Uint8Array) | null;
  /** The element type. */
  readonly dtype: DType;
  /** Sizes, outermost dimension first. */
  readonly shape: readonly number[];
  /** In elements; contiguous when left out. */
  readonly strides?: readonly number[];
  /** In elements; 0 when left out. */
  readonly storageOffset?: number;
  /** Returns the bytes of the whole storage, where the operator can see more than the elements. */
  readonly storage?: () => Uint8Array;
  /** Path of the argument whose storage this output shares: `args.0`. */
  readonly alias?: string;
}

/** One argument or result of a case. */
export type CaseValue =
  | CaseTensor
  | { readonly int: number | bigint }
  | { readonly float: number }
  | { readonly bool: boolean }
  | { readonly str: string }
  | { readonly none: true }
  | { readonly list: readonly CaseValue[] }
  | { readonly unspecified: true }
  | { readonly dtype: string }
  | { readonly memory_format: string }
  | { readonly layout: string }
  | { readonly device: string };

/** How results are compared: within the tolerances, bit by bit, or by dtype and shape only. */
export type CaseComparison = "close" | "equal" | "meta" | "error";

/** One call of one overload as PyTorch executed it. */
export interface OpCase {
  /** `aten.add.Tensor`. */
  readonly target: string;
  /** Names the case among those of its overload. */
  readonly id: string;
  /** `hand`, `edges`, `empties`, or the entry of PyTorch's OpInfo database that makes the call. */
  readonly source: string;
  /** What is special about the arguments: `empty`, `noncontiguous`, `nonfinite`, ... */
  readonly tags: readonly string[];
  /** Positional arguments. */
  readonly args: readonly CaseValue[];
  /** Keyword arguments by name. */
  readonly kwargs: Readonly<Record<string, CaseValue>>;
  /** How the results are compared. */
  readonly compare: CaseComparison;
  /** Relative tolerance, of PyTorch's value. */
  readonly rtol?: number;
  /** Absolute tolerance. */
  readonly atol?: number;
  /** The results of PyTorch; absent when it rejects the call. */
  readonly outputs?: readonly CaseValue[];
  /** What the call writes to its arguments, by path. */
  readonly mutated?: Readonly<Record<string, CaseValue>>;
  /** The type and the message of PyTorch's refusal. */
  readonly error?: string;
}

/** Returns the dtypes of the tensors among the arguments, each once. */
export function dtypesOf({ args, kwargs }: Pick<OpCase, "args" | "kwargs">): readonly DType[] {
  const found = new Set<DType>();
  const visit = (value: CaseValue): void => {
    if ("tensor" in value) found.add(value.dtype);
    else if ("list" in value) value.list.forEach(visit);
  };
  [...args, ...Object.values(kwargs)].forEach(visit);
  return [...found].sort();
}

/** `aten.silu.default 06d7c2ed9d bfloat16 nonfinite`: the call, its dtypes and its tags. */
export const caseTitle = (one: OpCase): string =>
  [one.target, one.id, ...dtypesOf(one), ...one.tags].join(" ");

/** Returns the cases of each overload, in order. */
export function casesByTarget(cases: readonly OpCase[]): ReadonlyMap<string, readonly OpCase[]> {
  const found = new Map<string, OpCase[]>();
  for (const one of cases) {
    const others = found.get(one.target);
    if (others === undefined) found.set(one.target, [one]);
    else others.push(one);
  }
  return found;
}
