/**
 * @file Where tokens of IR text end. Loops over characters: a regular expression that repeats over
 * a long text overflows the stack.
 */

const NEWLINE = 0x0a;
const SLASH = 0x2f;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DOT = 0x2e;
const MINUS = 0x2d;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isLetter = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
const isBlank = (code: number): boolean =>
  code === 0x20 || code === NEWLINE || code === 0x0d || code === 0x09;

/** The end of the line, without its line feed. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** The end of blanks and `//` comments. */
export function blankEnd(text: string, at: number): number {
  for (;;) {
    const code = text.charCodeAt(at);
    if (isBlank(code)) at++;
    else if (code === SLASH && text.charCodeAt(at + 1) === SLASH) at = commentEnd(text, at + 2);
    else return at;
  }
}

/** Most comments are short: a search by the engine costs more than it gains there. */
const SHORT = 32;

function commentEnd(text: string, at: number): number {
  for (let end = at; end < at + SHORT; end++) {
    const code = text.charCodeAt(end);
    if (code === NEWLINE || Number.isNaN(code)) return end;
  }
  return lineEnd(text, at + SHORT);
}

/** The end of an identifier; `at` itself when there is none. */
export function wordEnd(text: string, at: number): number {
  return isLetter(text.charCodeAt(at)) ? wordRest(text, at + 1) : at;
}

function wordRest(text: string, at: number): number {
  for (let code = text.charCodeAt(at); isLetter(code) || isDigit(code); ) code = text.charCodeAt(++at);
  return at;
}

/** The end of `aten.add.Tensor`; `at` itself when there is none. */
export function pathEnd(text: string, at: number): number {
  let end = wordEnd(text, at);
  while (end > at && text.charCodeAt(end) === DOT) {
    const part = wordRest(text, end + 1);
    if (part === end + 1) break;
    end = part;
  }
  return end;
}

/** The end of a string in double quotes, past the closing one; `at` itself when there is none. */
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
  for (let end = at + 1; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) return end + 1;
    if (code === NEWLINE) return at;
    if (code === BACKSLASH && text.charCodeAt(++end) === NEWLINE) return at;
  }
  return at;
}

function digitsEnd(text: string, at: number): number {
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** The end of `-12`, `1.5e-3` or `inf`; `at` itself when there is none. */
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
  for (let i = 0; i < at; i++) {
    if (text.charCodeAt(i) !== NEWLINE) continue;
    line++;
    start = i + 1;
  }
  return [line, at - start + 1];
}
