import { markClass } from "@sconce/errors";
import { printExpr, type SymExpr } from "@sconce/symbolic";
import { showsAsText } from "@sconce/tensor";
import { COPY } from "../this-copy.js";
import { symbolicCoercion } from "./errors.js";

/**
 * A dynamic size, or an integer that is read out of a tensor, while a program is traced
 * (`torch.SymInt`). Arithmetic and comparisons are functions: `sym.add(n, 1)`, `sym.lt(n, 4)`;
 * operators of JavaScript throw `SYMBOLIC_COERCION`.
 */
export class SymInt {
  static {
    markClass(SymInt, "SymInt", COPY);
  }

  /** The value in terms of the program's symbols. */
  readonly expr: SymExpr;

  constructor(expr: SymExpr) {
    this.expr = expr;
  }

  /**
   * Refuses to be taken for a number, text or a truth value. @throws SconceError
   * `SYMBOLIC_COERCION`
   */
  [Symbol.toPrimitive](hint: string): never {
    throw symbolicCoercion(printExpr(this.expr), hint);
  }

  /** The expression as PyTorch prints it: `2*s77`. */
  toString(): string {
    return printExpr(this.expr);
  }

  static {
    showsAsText(SymInt.prototype);
  }
}

/** A size or an index: a number where it is static, a {@link SymInt} where it is dynamic. */
export type Size = number | SymInt;
