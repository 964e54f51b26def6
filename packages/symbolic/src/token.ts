import type { Budget } from "@sconce/errors";
import { parseFailure, shorten } from "./errors.js";

/** A lexical unit of an expression or guard text. */
export interface Token {
  readonly kind: "name" | "number" | "string" | "sign" | "end";
  /** A string's content without its quotes. */
  readonly text: string;
  readonly offset: number;
}

const PATTERN =
  /\s*(?:([A-Za-z_]\w*)|(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|'([^'\\\n]*)'|"([^"\\\n]*)"|(\*\*|\/\/|<=|>=|==|!=|[-+*/%()[\]{},.:=<>&|~]))/y;

/**
 * Splits a text as far as somebody asks; throws SYM_PARSE at the first character that fits nowhere.
 */
export function* tokenize(text: string, budget: Budget): Generator<Token, Token, void> {
  const end = text.trimEnd().length;
  for (let start = 0; start < end; ) {
    PATTERN.lastIndex = start;
    const match = PATTERN.exec(text);
    budget.spend("nodes", 0.1, () => `character ${start} of ${JSON.stringify(shorten(text))}`);
    if (match === null) throw parseFailure("unexpected character", text, start);
    const [whole, name, number, single, double, sign] = match;
    const offset = start + whole.length - whole.trimStart().length;
    start += whole.length;
    if (name !== undefined) yield { kind: "name", text: name, offset };
    else if (number !== undefined) yield { kind: "number", text: number, offset };
    else if (sign !== undefined) yield { kind: "sign", text: sign, offset };
    else yield { kind: "string", text: single ?? double ?? "", offset };
  }
  return { kind: "end", text: "", offset: text.length };
}
