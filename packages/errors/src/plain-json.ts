/**
 * @file JSON of a few fields, from people or files, as plain values: bounded in depth and work
 * before `JSON.parse` sees it.
 */
import type { Budget } from "./budget.js";

/** How {@link parsePlainJson} reads, and what it throws. */
export interface PlainJsonOptions {
  /** What the values count on. */
  readonly budget: Budget;
  /** Makes the error for a fault at a character. */
  readonly fail: (message: string, at: number, cause?: unknown) => Error;
  /** Containers that may be nested. Default 200. */
  readonly depth?: number | undefined;
  /** Whether an object may not have a key twice; otherwise the last one counts. */
  readonly unique?: boolean | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Reads JSON as `JSON.parse` does, after one pass that bounds its depth and its number of values.
 * Keys such as `__proto__` become own properties: read fields with `Object.hasOwn` or destructuring
 * of known names only.
 */
export function parsePlainJson(text: string, options: PlainJsonOptions): unknown {
  scan(text, options);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { message } = cause as Error;
    // Some engines say where.
    const at = Number(/ at position (\d+)/.exec(message)?.[1] ?? 0);
    throw options.fail(`it is not JSON: ${message.slice(0, 200)}`, at, cause);
  }
}

/** Containers that are open: their commas, and the keys of objects where these are unique. */
type Open = { commas: number; readonly start: number; readonly keys: Set<string> | undefined }[];

function scan(text: string, { budget, fail, depth = 200, unique = false }: PlainJsonOptions): void {
  const open: Open = [];
  const where = (): string => `character ${at}`;
  let at = 0;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      budget.spend("nodes", 1, where);
      const end = stringEnd(text, at);
      if (unique) checkKey(text, at, end, open, fail);
      at = end;
    } else if (code === 0x5b || code === 0x7b) {
      budget.spend("nodes", 1, where);
      open.push({ commas: 0, start: at, keys: code === 0x7b && unique ? new Set() : undefined });
      if (open.length > depth) throw fail(`it is nested more than ${depth} deep`, at);
    } else if (code === 0x5d || code === 0x7d) open.pop();
    else if (code === COMMA) {
      budget.spend("nodes", 0.25, where);
      const container = open.at(-1);
      if (container !== undefined) budget.holds(++container.commas, where, at - container.start);
    }
  }
}

/** Returns the closing quote of a string, or the end of the text. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end, start)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, quote: number, start: number): boolean {
  let first = quote;
  while (first - 1 > start && text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (quote - first) % 2 === 1;
}

function checkKey(
  text: string,
  start: number,
  end: number,
  open: Open,
  fail: PlainJsonOptions["fail"],
): void {
  const keys = open.at(-1)?.keys;
  let next = end + 1;
  while (text.charCodeAt(next) <= 0x20) next++;
  if (keys === undefined || text.charCodeAt(next) !== COLON) return;
  const raw = text.slice(start, end + 1);
  const key = raw.includes("\\") ? unescaped(raw) : raw.slice(1, -1);
  if (keys.has(key)) throw fail(`the key ${JSON.stringify(key.slice(0, 100))} comes twice`, start);
  keys.add(key);
}

/** Returns a string that `JSON.parse` refuses later counts as it is. */
function unescaped(raw: string): string {
  try {
    return JSON.parse(raw) as string;
  } catch {
    return raw;
  }
}
