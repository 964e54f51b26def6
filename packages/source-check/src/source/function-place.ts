/**
 * @file Where a function is defined, asked of the inspector of V8, for errors and warnings. The
 * first place in a script takes 50 ms.
 */
import { type InspectedScript, placeOfOffset, scriptOf } from "./inspected-script.js";
import { inspect } from "./inspector.js";
import type { AnyFunction } from "./parse-function.js";
import { originalFrame, originalPlaces, sourceLines } from "./source-files.js";
import { pathOf, type StackFrame } from "./stack-frames.js";

/** A place of the user's code: `/models/net.ts:12`. */
export type CodePlace = `${string}:${number}`;

/**
 * Returns the place of a line of a function in its source, undefined where the engine does not
 * report it. Tools may have changed the lines: the place is that of the code nearby.
 *
 * @param place the line in the function and the column in it, counted from 1, and the code there
 */
export function placeInFunction(fn: AnyFunction, place: FunctionPlace): CodePlace | undefined {
  const found = frameInFunction(fn, place);
  return found && `${found.file}:${found.line}`;
}

/** A place in a function. */
export interface FunctionPlace {
  readonly line: number;
  readonly column: number;
  readonly code: string;
}

type Places = NonNullable<ReturnType<typeof originalPlaces>>;
type Place = Pick<StackFrame, "file" | "line" | "column">;

/** What gives the places of a script; null for one without a source map. */
const places = new WeakMap<InspectedScript, Places | null>();

/**
 * Returns the place that the source map of the script gives, which tools may leave in its text
 * alone.
 */
function mappedPlace(fn: AnyFunction, { line, column, code }: FunctionPlace): Place | undefined {
  const found = scriptOf(fn);
  if (found === undefined) return undefined;
  const { script, offset } = found;
  if (!places.has(script)) places.set(script, originalPlaces(script.path, script.text) ?? null);
  const begin =
    String(fn)
      .split("\n")
      .slice(0, line - 1)
      .join("\n").length + (line > 1 ? 1 : 0);
  const original = places.get(script)?.(...placeOfOffset(script, offset + begin + column - 1));
  if (original === undefined) return undefined;
  const at = original.text?.indexOf(code, original.column - 1) ?? -1;
  return at < 0 ? original : { ...original, column: at + 1 };
}

/** Returns the place of code of a function in its source, with the column of the code in it. */
function frameInFunction(fn: AnyFunction, place: FunctionPlace): Place | undefined {
  const mapped = mappedPlace(fn, place);
  if (mapped !== undefined) return mapped;
  const { line, code } = place;
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

/**
 * Returns the column of code in a line, or of its first word; undefined where the line has neither.
 */
function columnOf(code: string, line: string | undefined): number | undefined {
  const [token = code] = /[\w$.]+/.exec(code) ?? [];
  for (const text of [code, token]) {
    const at = line?.indexOf(text) ?? -1;
    if (at >= 0) return at + 1;
  }
  return undefined;
}

/** Returns the place of code in a function, as {@link placeInFunction}, with its column. */
export function positionInFunction(fn: AnyFunction, place: FunctionPlace): string | undefined {
  const found = frameInFunction(fn, place);
  return found && `${found.file}:${found.line}:${found.column}`;
}

/**
 * Returns the line of a file that a line of a function comes from: the one that has its text at its
 * place, else the one that shares most words with it, the nearest one of several. Undefined where
 * no line is alike.
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
 * Returns the part of the words of two lines that they share; 0 for lines that are not alike. A
 * line may have more around a function: all words of the function are in it then.
 */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  const score = shared / Math.max(1, a.size + b.size - shared);
  return score >= 0.5 || (shared === a.size && a.size > 1) ? score : 0;
}

type Definition = Pick<StackFrame, "file" | "line"> | undefined;

/** A report may have many places of one function. */
const definitions = new WeakMap<AnyFunction, { readonly definition: Definition }>();

/** Returns the file and the line in which the text of a function begins, as the engine runs it. */
function definition(fn: AnyFunction): Definition {
  const seen = definitions.get(fn);
  if (seen !== undefined) return seen.definition;
  const place = inspect(fn, (inspected) => inspected.location());
  const found = place && { file: pathOf(place.url), line: place.line };
  definitions.set(fn, { definition: found });
  return found;
}
