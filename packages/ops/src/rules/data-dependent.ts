/** @file Sizes and scalars that only the data decide. */
import type { FakeTensor, SymInt } from "@sconce/ir";
import { ge, le, type SymEnv } from "@sconce/symbolic";

type Memo = Map<FakeTensor, unknown>;
const MEMOS = new WeakMap<SymEnv, Map<string, Memo>>();

/** What `make` gave for this tensor before, so that reading a value twice gives one symbol. */
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

/** A new size between `least` and `most` (when that is a number). */
export function freshSize(env: SymEnv, most?: SymInt, least = 0): SymInt {
  const size = env.freshUnbackedInt();
  env.addAxiom(ge(size, least));
  if (typeof most === "number") env.addAxiom(le(size, most));
  return size;
}
