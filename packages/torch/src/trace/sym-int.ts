import { markClass } from "@sconce/errors";
import { printExpr, type SymExpr } from "@sconce/symbolic";
import { showsAsText } from "@sconce/tensor";
import { COPY } from "../this-copy.js";
import { symbolicCoercion } from "./errors.js";
import { refusal } from "./refusals.js";

let scope: object | undefined;

/** Runs something whose new symbolic values belong to the trace of a nested graph. */
export function inScope<T>(owner: object, run: () => T): T {
  const outer = scope;
  scope = owner;
  try {
    return run();
  } finally {
    scope = outer;
  }
}

const scopes = new WeakMap<SymbolicValue, object>();

/**
 * Returns the trace of the nested graph in which a value was made; undefined for the program
 * itself.
 */
export const scopeOf = (value: Sym): object | undefined => scopes.get(value);

/**
 * A symbolic number or condition while a program is traced. Arithmetic and comparisons are
 * functions: `sym.add(n, 1)`, `sym.lt(n, 4)`; operators of JavaScript throw `SYMBOLIC_COERCION`.
 */
abstract class SymbolicValue {
  /** The value in terms of the program's symbols. */
  readonly expr: SymExpr;

  constructor(expr: SymExpr) {
    this.expr = expr;
    if (scope !== undefined) scopes.set(this, scope);
  }

  /**
   * Refuses to be taken for a number or a text.
   * @throws SconceError `SYMBOLIC_COERCION`
   */
  [Symbol.toPrimitive](hint: string): string {
    throw refusal(symbolicCoercion(printExpr(this.expr), hint));
  }

  /**
   * Refuses `JSON.stringify`.
   * @throws SconceError `SYMBOLIC_COERCION`
   */
  toJSON(): never {
    throw refusal(symbolicCoercion(printExpr(this.expr), "string"));
  }

  /** Returns the expression as PyTorch prints it: `2*s77`. */
  toString(): string {
    return printExpr(this.expr);
  }
}

/** A dynamic size, or an integer that is read out of a tensor (`torch.SymInt`). */
export class SymInt extends SymbolicValue {
  static {
    markClass(SymInt, "SymInt", COPY);
    showsAsText(SymInt.prototype);
  }

  declare private readonly kind: "SymInt";
}

/** A float that depends on sizes, or is read out of a tensor (`torch.SymFloat`). */
export class SymFloat extends SymbolicValue {
  static {
    markClass(SymFloat, "SymFloat", COPY);
    showsAsText(SymFloat.prototype);
  }

  declare private readonly kind: "SymFloat";
}

/** A condition on dynamic sizes (`torch.SymBool`); `guard(condition)` decides it. */
export class SymBool extends SymbolicValue {
  static {
    markClass(SymBool, "SymBool", COPY);
    showsAsText(SymBool.prototype);
  }

  declare private readonly kind: "SymBool";
}

/** A size or an index: a number where it is static, a {@link SymInt} where it is dynamic. */
export type Size = number | SymInt;
/** Any symbolic value. */
export type Sym = SymInt | SymFloat | SymBool;

/** Returns whether a value is symbolic. */
export const isSym = (value: unknown): value is Sym =>
  value instanceof SymInt || value instanceof SymFloat || value instanceof SymBool;
