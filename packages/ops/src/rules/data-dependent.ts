/** @file Sizes and scalars that only the data decide. */
import { type FakeTensor, type IntLike, type SymScalar, symBool } from "@sconce/ir";
import { eq, ge, le, MAX_SIZE, type SymEnv } from "@sconce/symbolic";

type Memo = Map<FakeTensor, unknown>;
const MEMOS = new WeakMap<SymEnv, Map<string, Memo>>();

/**
 * Returns what `make` gave for this tensor before, so that reading a value twice gives one symbol.
 */
export function remembered<T>(env: SymEnv, what: string, tensor: FakeTensor, make: () => T): T {
  let memos = MEMOS.get(env);
  if (memos === undefined) {
    memos = new Map();
    MEMOS.set(env, memos);
  }
  let memo = memos.get(what);
  if (memo === undefined) {
    memo = new Map();
    memos.set(what, memo);
  }
  if (!memo.has(tensor)) memo.set(tensor, make());
  return memo.get(tensor) as T;
}

/** Forgets what was read of tensors, since it was written to. */
export function forgetReads(env: SymEnv, isStale: (tensor: FakeTensor) => boolean): void {
  for (const memo of MEMOS.get(env)?.values() ?? [])
    for (const tensor of memo.keys()) if (isStale(tensor)) memo.delete(tensor);
}

/** Returns a condition that only the data decide: a new symbol is 1. */
export function freshBool(env: SymEnv): SymScalar {
  const value = env.freshUnbackedInt();
  env.addAxiom(ge(value, 0));
  env.addAxiom(le(value, 1));
  return symBool(eq(value, 1));
}

/** Returns a new size between `least` and `most`. */
export function freshSize(env: SymEnv, most?: number, least: IntLike = 0): IntLike {
  const size = env.freshUnbackedInt();
  env.addAxiom(ge(size, least));
  if (most !== undefined) env.addAxiom(le(size, most));
  env.markSizeLike?.(size);
  return size;
}

/** Returns the most that a number of elements may be: the largest size where it has no bound. */
export function mostOf(env: SymEnv, numel: IntLike): number {
  const { max } = env.range(numel);
  return Number.isFinite(max) ? max : MAX_SIZE;
}
