/** @file Checks that leave no trace. */
import { type BoolLike, envWith, not, type SymEnv, symbol } from "@sconce/symbolic";

/** A size of which nothing is known. */
const UNKNOWN = symbol("unknown", { unbacked: true });

/** Returns whether some sizes may meet a condition. */
export const mayHold = (env: SymEnv, condition: BoolLike): boolean => !env.knownTrue(not(condition));

/**
 * Returns an environment that takes a condition for true while some sizes meet it: it adds no
 * guard, no assertion and no symbol. For what PyTorch lets through, and no size would make right.
 */
export const withoutQuestions = (env: SymEnv): SymEnv =>
  envWith(env, {
    guard: (condition) => mayHold(env, condition),
    orFalse: (condition) => env.knownTrue(condition),
    orTrue: (condition) => mayHold(env, condition),
    freshUnbackedInt: () => UNKNOWN,
    freshUnbackedFloat: () => UNKNOWN,
    markSizeLike: () => {},
    addAxiom: () => {},
    check: (condition) => mayHold(env, condition),
  });
