/**
 * @file The expressions of a program: a separate chunk, which only programs with symbols load.
 */
import { type Budget, isSconceError } from "@sconce/errors";
import {
  type BoolLike,
  type FloatLike,
  type IntLike,
  isUnbacked,
  metered,
  parseGuard,
  parseSrepr,
  printExpr,
  type SymExpr,
  scalarKind,
} from "@sconce/symbolic";
import type { Place } from "../json/place.js";
import type { ScalarKind, Symbols } from "./values.js";

const EXPECTED: Readonly<Record<ScalarKind, string>> = {
  int: "an integer",
  float: "a number",
  bool: "a condition",
};

/**
 * The symbols of one program: expressions are parsed once, and example values are collected on the
 * way.
 */
export class SymbolTable implements Symbols {
  /** Example values by symbol name. */
  readonly hints = new Map<string, number>();
  readonly #parsed = new Map<string, IntLike | FloatLike | BoolLike>();
  /** True once a data-dependent symbol has been read. */
  hasUnbacked = false;
  readonly #budget: Budget;
  /** Printed forms of all expressions and their parts. */
  readonly #seen = new Set<string>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  emptyCopy(): SymbolTable {
    return new SymbolTable(this.#budget);
  }

  parse(text: string, place: Place, kind: ScalarKind): number | boolean | SymExpr {
    const expr = this.#parse(text, place);
    const found = scalarKind(expr);
    if (found === kind || (kind === "float" && found === "int")) return expr;
    const shown = JSON.stringify(text.slice(0, 80));
    throw place.fail("PT2_TYPE", `the expression ${shown} is a ${found}, expected ${EXPECTED[kind]}`);
  }

  #parse(text: string, place: Place): number | boolean | SymExpr {
    let expr = this.#parsed.get(text);
    if (expr === undefined) {
      try {
        expr = parseSrepr(text, { budget: this.#budget });
        this.#note(expr, text);
      } catch (error) {
        throw isSconceError(error) ? error.at(place.toString()) : error;
      }
      this.#parsed.set(text, expr);
    }
    return expr;
  }

  #note(expr: number | boolean | SymExpr, text: string): void {
    if (typeof expr !== "object") return;
    metered(
      this.#budget,
      () => `the expression ${JSON.stringify(text.slice(0, 80))}`,
      () => this.#noteParts(expr),
    );
  }

  #noteParts(expr: SymExpr): void {
    const printed = expr.op === "Symbol" ? expr.name : printExpr(expr);
    if (this.#seen.has(printed)) return;
    this.#seen.add(printed);
    this.hasUnbacked ||= isUnbacked(expr);
    for (const arg of expr.args) this.#noteParts(arg);
  }

  hint(expr: SymExpr, value: number): void {
    if (expr.op === "Symbol") this.hints.set(expr.name, value);
  }

  rangeKey(text: string, place: Place): string | undefined {
    let printed: string;
    try {
      printed = printExpr(parseSrepr(text, { maxLength: 1000, budget: this.#budget }));
    } catch (error) {
      if (isSconceError(error, "BUDGET_EXCEEDED")) throw error.at(place.toString());
      throw place.fail("PT2_RANGE", `${JSON.stringify(text.slice(0, 100))} is not a symbol or expression`);
    }
    return this.#seen.has(printed) ? printed : undefined;
  }

  checkGuard(text: string, place: Place): void {
    try {
      parseGuard(text, { budget: this.#budget });
    } catch (error) {
      throw isSconceError(error) ? error.at(place.toString()) : error;
    }
  }
}
