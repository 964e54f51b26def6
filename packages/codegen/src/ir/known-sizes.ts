/** @file Sizes under the values of symbols. */
import { isSconceError } from "@sconce/errors";
import { type Bindings, evaluateBool, evaluateInt, type SymExpr } from "@sconce/symbolic";
import type { SizeValues } from "./index-range.js";

/** Sizes and conditions; each size is evaluated once. */
export class KnownSizes implements SizeValues {
  readonly #sizes: Bindings;
  readonly #known = new Map<SymExpr, number>();

  constructor(sizes: Bindings) {
    this.#sizes = sizes;
  }

  /** Returns a size as an exact integer, or NaN if it has no value or is beyond 2^53. */
  size(expr: SymExpr): number {
    let value = this.#known.get(expr);
    if (value === undefined) {
      value = this.#evaluate(expr);
      this.#known.set(expr, value);
    }
    return value;
  }
  #evaluate(expr: SymExpr): number {
    const value = this.#tried(() => evaluateInt(expr, this.#sizes));
    return value !== undefined && Number.isSafeInteger(value) ? value : Number.NaN;
  }
  /** Returns whether a condition holds; undefined if it has no value. */
  truth(condition: SymExpr): boolean | undefined {
    return this.#tried(() => evaluateBool(condition, this.#sizes));
  }
  #tried<T>(evaluate: () => T): T | undefined {
    try {
      return evaluate();
    } catch (error) {
      if (isSconceError(error)) return undefined;
      throw error;
    }
  }
}

/** No size is known. */
export const NO_SIZES: SizeValues = new KnownSizes(new Map());
