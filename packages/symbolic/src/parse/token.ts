import { type Budget, isDigit, isLetter } from "@sconce/errors";
import { parseFailure, shorten } from "../expr/errors.js";

/** A lexical unit of an expression or guard text. */
export interface Token {
  readonly kind: "name" | "number" | "string" | "sign" | "end";
  /** A string's content without its quotes. */
  readonly text: string;
  readonly offset: number;
}

const NUMBER = /\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?/y;
const STRING = /'([^'\\\n]*)'|"([^"\\\n]*)"/y;
const BLANK = /\s*/y;
const SIGNS = "-+*/%()[]{},.:=<>&|~";
const LONG_SIGNS: ReadonlySet<string> = new Set(["**", "//", "<=", ">=", "==", "!="]);
/** Tokens that are counted at once. */
const COUNTED = 32;

/** Splits a text, as far as something asks. */
export class Tokenizer {
  readonly #text: string;
  readonly #budget: Budget;
  readonly #end: number;
  #at = 0;
  #count = 0;

  constructor(text: string, budget: Budget) {
    this.#text = text;
    this.#budget = budget;
    this.#end = text.trimEnd().length;
  }

  readonly #where = (): string => `character ${this.#at} of ${JSON.stringify(shorten(this.#text))}`;

  /**
   * Returns the next token. @throws SconceError `SYM_PARSE` for a character that starts no token
   */
  next(): Token {
    if (++this.#count % COUNTED === 0) this.#budget.spend("nodes", COUNTED / 10, this.#where);
    const start = this.#skipBlanks();
    if (start >= this.#end) return this.#last();
    const code = this.#text.charCodeAt(start);
    if (isLetter(code)) return this.#name(start);
    if (isDigit(code) || (code === 0x2e && isDigit(this.#text.charCodeAt(start + 1))))
      return this.#matched("number", NUMBER, start);
    if (code === 0x22 || code === 0x27) return this.#matched("string", STRING, start);
    return this.#sign(start);
  }

  #last(): Token {
    this.#budget.spend("nodes", (this.#count % COUNTED) / 10, this.#where);
    return { kind: "end", text: "", offset: this.#text.length };
  }

  #skipBlanks(): number {
    const code = this.#text.charCodeAt(this.#at);
    if (code > 0x20 && code < 0x7f) return this.#at;
    BLANK.lastIndex = this.#at;
    this.#at += BLANK.exec(this.#text)![0].length;
    return this.#at;
  }

  #name(offset: number): Token {
    let end = offset + 1;
    for (;;) {
      const code = this.#text.charCodeAt(end);
      if (!isLetter(code) && !isDigit(code)) break;
      end++;
    }
    this.#at = end;
    return { kind: "name", text: this.#text.slice(offset, end), offset };
  }

  #matched(kind: "number" | "string", pattern: RegExp, offset: number): Token {
    pattern.lastIndex = offset;
    const match = pattern.exec(this.#text);
    if (match === null) throw this.#unexpected(offset);
    this.#at = offset + match[0].length;
    return { kind, text: match[1] ?? match[2] ?? match[0], offset };
  }

  #sign(offset: number): Token {
    const long = this.#text.slice(offset, offset + 2);
    const text = LONG_SIGNS.has(long) ? long : long[0]!;
    if (text.length === 1 && !SIGNS.includes(text)) throw this.#unexpected(offset);
    this.#at = offset + text.length;
    return { kind: "sign", text, offset };
  }

  #unexpected(offset: number): Error {
    return parseFailure("unexpected character", this.#text, offset);
  }
}
