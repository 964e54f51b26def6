import { isSconceError } from "@sconce/errors";
import {
  parseSrepr,
  printExpr,
  SymExpr,
  type SymValue,
  symbolByName,
  symbolWith,
  toSrepr,
} from "@sconce/symbolic";
import { remember } from "../support/remember.js";
import type { Cursor } from "./cursor.js";

/** The symbols whose assumptions differ from those that their names imply. */
export type Symbols = Map<string, SymExpr>;

const PLAIN_SYMBOL = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Writes expressions so that they read back the same, and collects the symbols that must be
 * declared for it.
 */
export class ExpressionWriter {
  readonly symbols: Symbols = new Map();
  readonly #texts = new Map<string, string>();

  text(value: SymValue): string {
    if (!(value instanceof SymExpr)) return String(value);
    return remember(this.#texts, value.key, () => this.#write(value));
  }

  #write(expr: SymExpr): string {
    this.#declare(expr);
    const exact = toSrepr(expr);
    const plain = printExpr(expr);
    return reads(plain, exact, this.symbols) ? plain : JSON.stringify(exact);
  }

  #declare(expr: SymExpr): void {
    if (expr.op !== "Symbol") {
      for (const arg of expr.args) this.#declare(arg);
    } else if (
      PLAIN_SYMBOL.test(expr.name) &&
      !this.symbols.has(expr.name) &&
      toSrepr(symbolByName(expr.name)) !== toSrepr(expr)
    ) {
      this.symbols.set(expr.name, expr);
    }
  }
}

function reads(text: string, exact: string, symbols: Symbols): boolean {
  try {
    return toSrepr(parseSrepr(text, { symbols: (name) => symbols.get(name) })) === exact;
  } catch {
    return false;
  }
}

/** `symbol s77 positive integer`. */
export function symbolLine(symbol: SymExpr): string {
  const assumptions = symbol.assumptions.map(([name, value]) => (value ? name : `not_${name}`));
  return `symbol ${[symbol.name, ...assumptions].join(" ")}`;
}

type Assumptions = SymExpr["assumptions"];
const ASSUMPTIONS = new Set(["positive", "integer", "nonnegative", "real", "negative", "nonzero"]);

/** Reads what follows the word `symbol`. */
export function parseSymbol(cursor: Cursor, symbols: Symbols): void {
  const name = cursor.word("a symbol");
  const assumptions: Assumptions[number][] = [];
  for (;;) {
    const word = cursor.peekWord();
    const plain = word.replace(/^not_/, "");
    if (!ASSUMPTIONS.has(plain)) break;
    cursor.acceptWord(word);
    assumptions.push([plain as Assumptions[number][0], plain === word]);
  }
  symbols.set(name, symbolWith(name, assumptions));
}

/** Reads an expression: plain text up to the end of its place, or exact text in quotes. */
export function parseExpression(cursor: Cursor, symbols: Symbols): SymValue {
  cursor.skip();
  const start = cursor.at;
  const text = cursor.sees('"') ? cursor.string() : cursor.raw();
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  try {
    return parseSrepr(text, { symbols: (name) => symbols.get(name), budget: cursor.budget });
  } catch (error) {
    if (!isSconceError(error)) throw error;
    if (error.code === "BUDGET_EXCEEDED") throw error.at(cursor.place(start));
    throw cursor.fail(`not an expression: ${error.message}`, start);
  }
}
