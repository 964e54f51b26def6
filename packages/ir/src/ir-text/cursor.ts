import { Budget } from "@sconce/errors";
import { irSyntax } from "../graph/errors.js";
import {
  blankEnd,
  lineAndColumn,
  lineEnd,
  MAX_DIGITS,
  numberEnd,
  pathEnd,
  stringEnd,
  wordEnd,
} from "./scan.js";

/** Values, types and graphs nested deeper are refused. */
const MAX_DEPTH = 200;
/** Where a token that begins at a character ends; the character itself when none begins there. */
type Scan = (text: string, at: number) => number;

/** A number as written: a point, an exponent or `inf` marks a float. */
export interface NumberText {
  readonly text: string;
  readonly isFloat: boolean;
  /** As a float; integers may be too large for it to be exact. */
  readonly value: number;
}

/**
 * A place in IR text, and what can be read there. Blanks and comments before a token are skipped.
 */
export class Cursor {
  /** The whole text. */
  readonly text: string;
  /** The position of the next character. */
  at = 0;
  /** The work that is left for reading the text. */
  readonly budget: Budget;
  #depth = 0;

  constructor(text: string, budget: Budget = new Budget(text.length)) {
    this.text = text;
    this.budget = budget;
  }

  readonly #where = (): string => this.place(this.at);

  /** Refuses the text here, with line and column. */
  fail(message: string, at = this.at): Error {
    return irSyntax(message, this.place(at));
  }

  /** `line 2, column 5`. */
  place(at: number): string {
    const [line, column] = lineAndColumn(this.text, at);
    return `line ${line}, column ${column}`;
  }

  /** Returns what stands here, for messages. */
  found(): string {
    this.skip();
    return this.at >= this.text.length
      ? "the end of the text"
      : JSON.stringify(this.text.slice(this.at, this.at + 20));
  }

  /** Moves past white space and comments. */
  skip(): void {
    this.at = blankEnd(this.text, this.at);
  }

  /** Whether only white space and comments are left. */
  get done(): boolean {
    this.skip();
    return this.at >= this.text.length;
  }

  /** True when the sign stands here; does not read it. */
  sees(sign: string): boolean {
    this.skip();
    return this.text.startsWith(sign, this.at);
  }

  /** Returns what `look` gives, and goes back to this place. */
  ahead<T>(look: () => T): T {
    const at = this.at;
    const found = look();
    this.at = at;
    return found;
  }

  /** Moves past a sign if it comes next; returns whether it did. */
  accept(sign: string): boolean {
    if (!this.sees(sign)) return false;
    this.at += sign.length;
    return true;
  }

  /**
   * Moves past a sign.
   * @throws SconceError `IR_SYNTAX` when another comes next
   */
  expect(sign: string): void {
    if (!this.accept(sign)) throw this.fail(`expected "${sign}", found ${this.found()}`);
  }

  /** Returns the identifier here, not read; the empty text when there is none. */
  peekWord(): string {
    this.skip();
    return this.text.slice(this.at, wordEnd(this.text, this.at));
  }

  /** Moves past an identifier if one comes next; returns whether it did. */
  acceptAnyWord(): boolean {
    this.skip();
    return this.#match(wordEnd) !== undefined;
  }

  /** Moves past `aten.add.Tensor` if one comes next; returns how many dots it has. */
  acceptAnyPath(): number {
    this.skip();
    return (this.#match(pathEnd) ?? "").split(".").length - 1;
  }

  /** Moves past a string in double quotes if one comes next; returns whether it did. */
  acceptAnyString(): boolean {
    this.skip();
    return this.#match(stringEnd) !== undefined;
  }

  /** Moves past a whole word if it comes next; returns whether it did. */
  acceptWord(word: string): boolean {
    if (this.peekWord() !== word) return false;
    this.at += word.length;
    return true;
  }

  /**
   * Reads a word; `what` names it in the error.
   * @throws SconceError `IR_SYNTAX`
   */
  word(what: string): string {
    this.skip();
    const word = this.#match(wordEnd);
    if (word === undefined) throw this.fail(`expected ${what}, found ${this.found()}`);
    return word;
  }

  /** `aten.add.Tensor`, or any text in quotes. */
  path(what: string): string {
    if (this.sees('"')) return this.string();
    const path = this.#match(pathEnd);
    if (path === undefined) throw this.fail(`expected ${what}, found ${this.found()}`);
    return path;
  }

  /** `%name` or `%"any name"`. */
  name(): string {
    this.expect("%");
    if (this.text[this.at] === '"') return this.string();
    const name = this.#match(wordEnd);
    if (name === undefined) throw this.fail("expected a name after %");
    return name;
  }

  /**
   * Reads a string in double quotes, with the escapes of JSON.
   * @throws SconceError `IR_SYNTAX`
   */
  string(): string {
    this.skip();
    const start = this.at;
    const text = this.#match(stringEnd);
    if (text === undefined) throw this.fail(`expected a text in double quotes, found ${this.found()}`);
    try {
      return JSON.parse(text) as string;
    } catch {
      throw this.fail("a text in quotes has a bad escape", start);
    }
  }

  /** Returns a number, or undefined when none stands here. */
  number(): NumberText | undefined {
    this.skip();
    const start = this.at;
    const text = this.#match(numberEnd);
    if (text === undefined) return undefined;
    if (text.length > MAX_DIGITS) throw this.fail(`a number of more than ${MAX_DIGITS} digits`, start);
    const value = text.endsWith("inf") ? (text === "inf" ? Infinity : -Infinity) : Number(text);
    return { text, isFloat: /[.eEi]/.test(text), value };
  }

  /**
   * Reads an integer; `what` names it in the error.
   * @throws SconceError `IR_SYNTAX`
   */
  integer(what: string): number {
    const number = this.number();
    const value = Number(number?.text);
    if (number === undefined || number.isFloat || !Number.isSafeInteger(value))
      throw this.fail(`expected ${what}`);
    return value;
  }

  /** Returns the rest of the line. */
  line(): string {
    return (this.#match(lineEnd) ?? "").trim();
  }

  /** Everything up to a comma or a closing bracket of the brackets around. */
  raw(): string {
    this.skip();
    const start = this.at;
    let open = 0;
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at]!;
      if (char === "(" || char === "[" || char === "{") open++;
      else if (char === ")" || char === "]" || char === "}") {
        if (open === 0) break;
        open--;
      } else if ((char === "," && open === 0) || char === "\n") break;
    }
    return this.text.slice(start, this.at).trim();
  }

  /** `item, item, ...` up to the closing sign, which is read; a comma may follow the last. */
  list<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    const start = this.at;
    while (!this.accept(close)) {
      if (items.length > 0) this.expect(",");
      if (items.length > 0 && this.accept(close)) break;
      this.spend(0.25);
      items.push(item());
      this.budget.holds(items.length, this.#where, this.at - start);
    }
    return items;
  }

  /**
   * Runs `read` one level deeper.
   * @throws SconceError `IR_SYNTAX` when the text is nested too deeply
   */
  nested<T>(read: () => T): T {
    this.spend();
    if (++this.#depth > MAX_DEPTH) throw this.fail(`nested more than ${MAX_DEPTH} deep`);
    const result = read();
    this.#depth--;
    return result;
  }

  /**
   * Counts values that are read.
   * @throws SconceError `BUDGET_EXCEEDED`
   */
  spend(count = 1): void {
    this.budget.spend("nodes", count, this.#where);
  }

  #match(scan: Scan): string | undefined {
    const start = this.at;
    this.at = scan(this.text, start);
    return this.at === start ? undefined : this.text.slice(start, this.at);
  }
}
