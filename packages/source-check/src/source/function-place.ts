/**
 * @file Where a function is defined, asked of the inspector of V8, for errors and warnings. The
 * first place in a script takes 50 ms.
 */
import { inspect } from "./inspector.js";
import type { AnyFunction } from "./parse-function.js";
import { originalFrame, sourceLines } from "./source-files.js";
import { pathOf, type StackFrame } from "./stack-frames.js";

/** A place of the user's code: `/models/net.ts:12`. */
export type CodePlace = `${string}:${number}`;

/**
 * Returns the place of a line of a function in its source, undefined where the engine does not
 * report it. Tools may have changed the lines: the place is that of the code nearby.
 *
 * @param line the line in the function, counted from 1
 * @param code the code that stands there
 */
export function placeInFunction(fn: AnyFunction, line: number, code: string): CodePlace | undefined {
  const found = frameInFunction(fn, line, code);
  return found && `${found.file}:${found.line}`;
}

/** The frame of a line of a function in its source, with the column of the code in it. */
function frameInFunction(fn: AnyFunction, line: number, code: string): StackFrame | undefined {
  const start = definition(fn);
  if (start === undefined) return undefined;
  const { file } = start;
  const at = start.line + line - 1;
  const column = columnOf(code, sourceLines(file)?.[at - 1]) ?? 1;
  const original = originalFrame({ file, line: at, column, function: undefined });
  if (original.file !== file) return original;
  const found = likeliestLine(file, at, fn, line);
  return found === undefined
    ? undefined
    : { ...original, line: found, column: columnOf(code, sourceLines(file)?.[found - 1]) ?? column };
}

/** The column of code in a line, or of its first word; undefined where the line has neither. */
function columnOf(code: string, line: string | undefined): number | undefined {
  const [token = code] = /[\w$.]+/.exec(code) ?? [];
  for (const text of [code, token]) {
    const at = line?.indexOf(text) ?? -1;
    if (at >= 0) return at + 1;
  }
  return undefined;
}

/** Returns the place of code in a function, as {@link placeInFunction}, with its column. */
export function positionInFunction(
  fn: AnyFunction,
  { line, code }: { readonly line: number; readonly code: string },
): string | undefined {
  const found = frameInFunction(fn, line, code);
  return found && `${found.file}:${found.line}:${found.column}`;
}

/**
 * The line of a file that a line of a function comes from: the one that has its text at its place,
 * else the one that shares most words with it, the nearest one of several. Undefined where no line
 * is alike.
 */
function likeliestLine(file: string, near: number, fn: AnyFunction, line: number): number | undefined {
  const text = String(fn).split("\n")[line - 1]?.trim() ?? "";
  const lines = sourceLines(file) ?? [];
  if (text !== "" && lines[near - 1]?.includes(text)) return near;
  const wanted = words(text);
  let best: { readonly line: number; readonly score: number; readonly distance: number } | undefined;
  lines.forEach((other, i) => {
    const score = text !== "" && other.includes(text) ? SAME_TEXT : likeness(wanted, words(other));
    const distance = Math.abs(i + 1 - near);
    if (score === 0 || (best && (best.score > score || (best.score === score && best.distance <= distance))))
      return;
    best = { line: i + 1, score, distance };
  });
  return best?.line;
}

/** A line with the text itself comes before all lines that are alike. */
const SAME_TEXT = 2;

const words = (text: string): ReadonlySet<string> => new Set(text.match(/[\w$]+/g) ?? []);

/**
 * The part of the words of two lines that they share; 0 for lines that are not alike. A line may
 * have more around a function: all words of the function are in it then.
 */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  const score = shared / Math.max(1, a.size + b.size - shared);
  return score >= 0.5 || (shared === a.size && a.size > 1) ? score : 0;
}

type Definition = Pick<StackFrame, "file" | "line"> | undefined;

/** A report may have many places of one function. */
const definitions = new WeakMap<AnyFunction, { readonly definition: Definition }>();

/** The file and the line in which the text of a function begins, as the engine runs it. */
function definition(fn: AnyFunction): Definition {
  const seen = definitions.get(fn);
  if (seen !== undefined) return seen.definition;
  const place = inspect(fn, (inspected) => inspected.location());
  const found = place && { file: pathOf(place.url), line: place.line };
  definitions.set(fn, { definition: found });
  return found;
}
