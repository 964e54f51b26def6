/**
 * @file Where tokens of IR text end. Loops over characters: a regular expression that repeats over
 * a long text overflows the stack.
 */
import { isDigit, isLetter } from "@sconce/errors";

/** Integers with more digits are refused: reading them takes quadratic time. */
export const MAX_DIGITS = 4000;

const NEWLINE = 0x0a;
const SLASH = 0x2f;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DOT = 0x2e;
const MINUS = 0x2d;

const isBlank = (code: number): boolean =>
  code === 0x20 || code === NEWLINE || code === 0x0d || code === 0x09;

/** Returns the end of the line, without its line feed. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** Returns the end of blanks and `//` comments. */
export function blankEnd(text: string, at: number): number {
  for (;;) {
    const code = text.charCodeAt(at);
    if (isBlank(code)) at++;
    else if (code === SLASH && text.charCodeAt(at + 1) === SLASH) at = commentEnd(text, at + 2);
    else return at;
  }
}

/**
 * The end of a line that no line of a comment follows. It looks at each character twice at most.
 */
const LAST_LINE = /\n(?![ \t]*\/\/)/g;

/** Returns the end of a comment, and of those on the lines below it. */
function commentEnd(text: string, at: number): number {
  LAST_LINE.lastIndex = at;
  return LAST_LINE.exec(text)?.index ?? text.length;
}

/** Returns the end of an identifier; `at` itself when there is none. */
export function wordEnd(text: string, at: number): number {
  return isLetter(text.charCodeAt(at)) ? wordRest(text, at + 1) : at;
}

function wordRest(text: string, at: number): number {
  for (let code = text.charCodeAt(at); isLetter(code) || isDigit(code); ) code = text.charCodeAt(++at);
  return at;
}

/** Returns the end of `aten.add.Tensor`; `at` itself when there is none. */
export function pathEnd(text: string, at: number): number {
  let end = wordEnd(text, at);
  while (end > at && text.charCodeAt(end) === DOT) {
    const part = wordRest(text, end + 1);
    if (part === end + 1) break;
    end = part;
  }
  return end;
}

/**
 * Returns the end of a string in double quotes, past the closing one; `at` itself when there is
 * none.
 */
export function stringEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== QUOTE) return at;
  const plain = text.indexOf('"', at + 1);
  if (plain < 0) return at;
  const body = text.slice(at + 1, plain);
  if (!body.includes("\\")) return body.includes("\n") ? at : plain + 1;
  return escapedEnd(text, at);
}

/** {@link stringEnd} of a string that may hold escaped quotes. */
function escapedEnd(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 || text.slice(at, end).includes("\n") ? at : end + 1;
}

/** Returns whether an odd number of backslashes stands before a character. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

/** Returns the end of digits, of at most one more than a number may have. */
function digitsEnd(text: string, at: number): number {
  const last = at + MAX_DIGITS + 1;
  while (at < last && isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** Returns the end of `-12`, `1.5e-3` or `inf`; `at` itself when there is none. */
export function numberEnd(text: string, at: number): number {
  const start = text.charCodeAt(at) === MINUS ? at + 1 : at;
  if (text.startsWith("inf", start) && wordEnd(text, start) === start + 3) return start + 3;
  let end = digitsEnd(text, start);
  if (end === start) return at;
  if (text.charCodeAt(end) === DOT) end = digitsEnd(text, end + 1);
  const code = text.charCodeAt(end);
  if (code !== 0x65 && code !== 0x45) return end;
  const sign = text.charCodeAt(end + 1);
  const digits = sign === MINUS || sign === 0x2b ? end + 2 : end + 1;
  const exponent = digitsEnd(text, digits);
  return exponent === digits ? end : exponent;
}

/** Line and column of a character, both from 1. */
export function lineAndColumn(text: string, at: number): readonly [line: number, column: number] {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", start)) {
    line++;
    start = next + 1;
  }
  return [line, at - start + 1];
}
