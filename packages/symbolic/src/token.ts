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

/** Splits a text; throws SYM_PARSE at the first character that fits nowhere. */
export function tokenize(text: string, budget: Budget): readonly Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  PATTERN.lastIndex = 0;
  while (PATTERN.lastIndex < end) {
    const start = PATTERN.lastIndex;
    const match = PATTERN.exec(text);
    budget.spend("nodes", 0.1, () => `character ${start} of ${JSON.stringify(shorten(text))}`);
    if (match === null) throw parseFailure("unexpected character", text, start);
    const [whole, name, number, single, double, sign] = match;
    const offset = start + whole.length - whole.trimStart().length;
    if (name !== undefined) tokens.push({ kind: "name", text: name, offset });
    else if (number !== undefined) tokens.push({ kind: "number", text: number, offset });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign, offset });
    else tokens.push({ kind: "string", text: single ?? double ?? "", offset });
  }
  tokens.push({ kind: "end", text: "", offset: text.length });
  return tokens;
}
