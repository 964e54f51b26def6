/** @file Symbols of sizes as constants of JavaScript, with the values that a run shows. */
import { asLinear, SymExpr } from "@sconce/symbolic";
import { sizeNotWritten } from "./errors.js";

/** A size, and the expression of JavaScript that has its value. */
export type ShownSize = readonly [size: unknown, text: string];

/** How names of symbols begin that no program may have: they are given here. */
export const OWN_SYMBOLS = "sconce_value_";

/** Declares symbols in the order in which values show them. */
export class Symbols {
  /** The names of constants, by symbols. */
  readonly names = new Map<string, string>();
  readonly #prefix: string;

  constructor(prefix = "s", known: ReadonlyMap<string, string> = new Map()) {
    this.#prefix = prefix;
    for (const [symbol, name] of known) this.names.set(symbol, name);
  }

  /** Says what a symbol of ours is. */
  set(symbol: string, text: string): void {
    this.names.set(symbol, text);
  }
  /** Says what a symbol of the program is that is not an integer. */
  take(symbol: string, text: string): void {
    if (symbol.startsWith(OWN_SYMBOLS)) throw sizeNotWritten(symbol);
    if (!this.names.has(symbol)) this.names.set(symbol, text);
  }

  /** Returns the declarations of the symbols that these sizes show. */
  learn(shown: readonly ShownSize[]): readonly string[] {
    const lines: string[] = [];
    const name = (symbol: string, text: string): void => {
      if (symbol.startsWith(OWN_SYMBOLS)) throw sizeNotWritten(symbol);
      if (this.names.has(symbol)) return;
      const constant = `${this.#prefix}${this.names.size}`;
      this.names.set(symbol, constant);
      lines.push(`const ${constant}=$(${text})`);
    };
    const open = shown.flatMap(([size, text]) => (size instanceof SymExpr ? [[size, text] as const] : []));
    for (const [expr, text] of open) if (expr.op === "Symbol") name(expr.name, text);
    // A size that is a multiple of a symbol and a number shows the symbol.
    for (const [expr, text] of open) {
      const form = asLinear(expr);
      if (form === undefined) continue;
      const { symbol, coefficient, offset } = form;
      if (Number.isInteger(coefficient) && Number.isInteger(offset))
        name(symbol.name, `(${text}-(${offset}))/(${coefficient})`);
    }
    return lines;
  }
}
