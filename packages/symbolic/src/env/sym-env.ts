import {
  type BoolLike,
  type FloatLike,
  type IntLike,
  isStatic,
  printExpr,
  type SymValue,
} from "../algebra/algebra.js";
import { factsOf } from "../algebra/assumptions.js";
import { dataDependent } from "../expr/errors.js";
import type { SymExpr } from "../expr/expr.js";
import { point, type ValueRange } from "../expr/interval.js";

/** What shape rules ask of their surroundings when a size decides. */
export interface SymEnv {
  /**
   * Whether Python's `min` of two sizes gives an expression, as in exports that are not strict
   * (`_override_builtin_ops`). Otherwise it compares them.
   */
  readonly keepsMin?: boolean;
  /**
   * Decides a condition, recording a guard when only the example values decide it. Throws
   * DATA_DEPENDENT_GUARD.
   */
  guard(condition: BoolLike): boolean;
  /**
   * Decides a condition as PyTorch's C++ asks it: like {@link guard} where hints decide it. Where
   * only the data decide, returns whether it is known to hold.
   */
  guardNatively?(condition: BoolLike): boolean;
  /**
   * Decides a condition without a guard. What is not known of it now is forgotten only when a
   * symbol is replaced: a guard on it is recorded whatever follows from others by then.
   */
  askQuietly?(condition: BoolLike): boolean;
  /**
   * Returns a number for a size, recording that the program now holds for this one only. Throws
   * DATA_DEPENDENT_GUARD.
   */
  guardInt(value: IntLike): number;
  /** True when the condition always holds; never guards. */
  knownTrue(condition: BoolLike): boolean;
  /** Returns the condition's truth if it can be decided, else false. */
  orFalse(condition: BoolLike): boolean;
  /** Returns the condition's truth if it can be decided, else true. */
  orTrue(condition: BoolLike): boolean;
  /** Returns the range of a value. */
  range(value: IntLike | FloatLike): ValueRange;
  /** Returns a value in its simplest form under what is known. */
  simplify<T extends SymValue>(value: T): T;
  /**
   * Makes a symbol for an integer that is known at run time only.
   *
   * @param use what of a view it is, whose bounds only the data decide
   */
  freshUnbackedInt(use?: "length" | "offset"): SymExpr;
  /** Makes a symbol for a float that is known at run time only. */
  freshUnbackedFloat(): SymExpr;
  /** Takes a symbol for the size of something, which messages mention. */
  markSizeLike?(target: SymExpr): void;
  /** Records a condition that holds at run time. */
  addAxiom(condition: BoolLike): void;
  /**
   * Requires a condition (`torch._check`): a guard where hints decide it, a run-time assertion
   * where only the data do. False when it fails.
   */
  check(condition: BoolLike): boolean;
}

const undecided = (value: SymValue, what = "guard on"): Error => {
  const text = printExpr(value);
  return dataDependent(what, text, text, "none");
};

/**
 * A world of numbers: everything is decided at once. Symbolic values pass through, and a condition
 * on one that its symbols' assumptions leave open is refused.
 */
export const STATIC_ENV: SymEnv = {
  guard(condition) {
    if (typeof condition === "boolean") return condition;
    throw undecided(condition);
  },
  guardInt(value) {
    if (isStatic(value)) return value;
    throw undecided(value, "extract specialized integer from");
  },
  knownTrue: (condition) => condition === true,
  orFalse: (condition) => condition === true,
  orTrue: (condition) => condition !== false,
  range(value) {
    if (isStatic(value)) return point(value);
    const { min, max } = factsOf(value);
    return { min, max };
  },
  simplify: (value) => value,
  freshUnbackedInt() {
    throw dataDependent("create an unbacked symbol for a", "size", "size", "none");
  },
  freshUnbackedFloat() {
    throw dataDependent("create an unbacked symbol for a", "float", "float", "none");
  },
  addAxiom: () => {},
  check: (condition) => condition !== false,
};

/** Returns an environment that answers as another one, but for some methods. */
export const envWith = (env: SymEnv, changes: Partial<SymEnv>): SymEnv => ({
  ...(env.keepsMin !== undefined && { keepsMin: env.keepsMin }),
  guard: (condition) => env.guard(condition),
  guardInt: (value) => env.guardInt(value),
  knownTrue: (condition) => env.knownTrue(condition),
  orFalse: (condition) => env.orFalse(condition),
  orTrue: (condition) => env.orTrue(condition),
  range: (value) => env.range(value),
  simplify: (value) => env.simplify(value),
  freshUnbackedInt: (use) => env.freshUnbackedInt(use),
  freshUnbackedFloat: () => env.freshUnbackedFloat(),
  markSizeLike: (target) => env.markSizeLike?.(target),
  addAxiom: (condition) => env.addAxiom(condition),
  check: (condition) => env.check(condition),
  ...changes,
});
