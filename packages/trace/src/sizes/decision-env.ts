/** @file What lowering decides about sizes that the ranges of a program leave open. */
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import {
  type Bindings,
  type BoolLike,
  envWith,
  evaluateBool,
  freeSymbols,
  type SymEnv,
  SymExpr,
} from "@sconce/symbolic";
import { RetraceEnv } from "./retrace-env.js";

/** A condition on sizes, and what it was taken for. */
export interface SizeDecision {
  /** The condition, in the symbols of the program. */
  readonly condition: SymExpr;
  /** Whether it was taken to hold. */
  readonly truth: boolean;
}

/**
 * Records each decision that example values or defaults made. The lowered program holds for sizes
 * with the same answers.
 */
export class DecisionEnv extends RetraceEnv {
  readonly #decisions = new Map<string, SizeDecision>();

  constructor({ rangeConstraints, symbolHints }: ExportedProgram) {
    super({ ranges: rangeConstraints, hints: symbolHints });
  }

  /** The decisions, each once. */
  get decisions(): readonly SizeDecision[] {
    return [...this.#decisions.values()];
  }

  /** Returns whether a condition holds, and notes what example values or defaults say of it. */
  protected decided(condition: BoolLike, decide: () => boolean): boolean {
    const known = this.staticallyKnown(condition);
    if (known !== undefined) return known;
    const truth = decide();
    if (condition instanceof SymExpr) this.#decisions.set(condition.key, { condition, truth });
    return truth;
  }
  /**
   * Notes defaults, too: shape rules have new symbols for what they leave open, decompositions have
   * one answer.
   */
  override get inDecompositions(): SymEnv {
    return answering(this, (condition, decide) => this.decided(condition, decide));
  }
  override guard(condition: BoolLike): boolean {
    return this.decided(condition, () => super.guard(condition));
  }
  override check(condition: BoolLike): boolean {
    return this.decided(condition, () => super.check(condition));
  }
}

/**
 * Notes what is not known, too: a shape rule that refuses only what is known to differ refuses it
 * in a run, when all sizes are known.
 */
export class RefusalEnv extends DecisionEnv {
  override get inDecompositions(): SymEnv {
    const env = super.inDecompositions;
    return envWith(env, {
      knownTrue: (condition) => this.decided(condition, () => env.knownTrue(condition)),
    });
  }
}

/** Decides a condition that is not a number; `decide` has the answer of the other environment. */
type Answer = (condition: SymExpr, decide: () => boolean) => boolean;

/** Returns an environment whose questions about conditions go through `answer`. */
export function answering(env: SymEnv, answer: Answer): SymEnv {
  const through =
    (decide: (condition: BoolLike) => boolean) =>
    (condition: BoolLike): boolean =>
      condition instanceof SymExpr ? answer(condition, () => decide(condition)) : decide(condition);
  return envWith(env, {
    guard: through((condition) => env.guard(condition)),
    orFalse: through((condition) => env.orFalse(condition)),
    orTrue: through((condition) => env.orTrue(condition)),
    check: through((condition) => env.check(condition)),
  });
}

/**
 * Returns whether decisions are the same at some sizes. Those on sizes that are not known yet count
 * as the same, those on sizes without a value, such as quotients by zero, do not.
 */
export const areDecidedSo = (decisions: readonly SizeDecision[], sizes: Bindings): boolean =>
  decisions.every(({ condition, truth }) => {
    for (const name of freeSymbols(condition).keys()) if (!sizes.has(name)) return true;
    try {
      return evaluateBool(condition, sizes) === truth;
    } catch (error) {
      if (isSconceError(error)) return false;
      throw error;
    }
  });
