/** @file Checks that leave no trace. */
import { not, type SymBool, type SymEnv, symbol } from "@sconce/symbolic";

/** A size of which nothing is known. */
const UNKNOWN = symbol("unknown", { unbacked: true });

const mayHold = (env: SymEnv, condition: SymBool): boolean => !env.knownTrue(not(condition));

/**
 * An environment that takes a condition for true while some sizes meet it: it adds no guard, no
 * assertion and no symbol. For what PyTorch lets through, and no size would make right.
 */
export const withoutQuestions = (env: SymEnv): SymEnv => ({
  guard: (condition) => mayHold(env, condition),
  guardInt: (value) => env.guardInt(value),
  knownTrue: (condition) => env.knownTrue(condition),
  orFalse: (condition) => env.knownTrue(condition),
  orTrue: (condition) => mayHold(env, condition),
  range: (value) => env.range(value),
  simplify: (value) => env.simplify(value),
  freshUnbackedInt: () => UNKNOWN,
  freshUnbackedFloat: () => UNKNOWN,
  addAxiom: () => {},
  check: (condition) => mayHold(env, condition),
});
