import type { Budget } from "@sconce/errors";
import { parseFailure, tooLarge } from "../expr/errors.js";
import { type Token, Tokenizer } from "./token.js";

/**
 * Reads the tokens of a text one after the other: what the parsers of expressions and guards share.
 */
export class TokenReader {
  readonly text: string;
  readonly #rest: Tokenizer;
  /** The tokens so far; the last one is the end of the text once that is reached. */
  readonly #tokens: Token[] = [];
  readonly #maxDepth: number;
  #at = 0;
  #depth = 0;
  #isEnded = false;

  constructor(text: string, maxDepth: number, budget: Budget) {
    this.text = text;
    this.#maxDepth = maxDepth;
    this.#rest = new Tokenizer(text, budget);
  }

  /** The next token. @throws SconceError `SYM_PARSE` for a character that starts no token */
  get peek(): Token {
    return this.#token(this.#at)!;
  }

  /** The token after the next one; undefined at the end. */
  get second(): Token | undefined {
    return this.#token(this.#at + 1);
  }

  #token(index: number): Token | undefined {
    const tokens = this.#tokens;
    while (tokens.length <= index && !this.#isEnded) {
      const token = this.#rest.next();
      tokens.push(token);
      this.#isEnded = token.kind === "end";
    }
    return tokens[index];
  }

  /** Moves past so many tokens; negative numbers move back. */
  skip(count = 1): void {
    this.#at += count;
  }

  /** Returns whether the next token is this sign. */
  isSign(text: string): boolean {
    return this.peek.kind === "sign" && this.peek.text === text;
  }

  /** Moves past a sign or a keyword if it comes next; returns whether it did. */
  accept(text: string): boolean {
    const { kind, text: found } = this.peek;
    if ((kind !== "sign" && kind !== "name") || found !== text) return false;
    this.#at++;
    return true;
  }

  /** Moves past a sign or a keyword. @throws SconceError `SYM_PARSE` when another comes next */
  expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected();
  }

  /** Runs `read` one level deeper. @throws SconceError `SYM_TOO_LARGE` */
  nested<T>(read: () => T): T {
    if (++this.#depth > this.#maxDepth) throw tooLarge(`nested more than ${this.#maxDepth} deep`);
    const result = read();
    this.#depth--;
    return result;
  }

  /** Returns the result of a whole text. @throws SconceError `SYM_PARSE` when more follows */
  ended<T>(result: T): T {
    if (this.peek.kind !== "end") throw this.unexpected();
    return result;
  }

  /** Returns the error for a token that may not stand here. */
  unexpected(): Error {
    const { kind, text, offset } = this.peek;
    const what = kind === "end" ? "unexpected end" : `unexpected ${JSON.stringify(text.slice(0, 40))}`;
    return parseFailure(what, this.text, offset);
  }
}
