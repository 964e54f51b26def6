/** @file The script that a function stands in, as the engine runs it. */
import { inspect } from "./inspector.js";
import type { AnyFunction } from "./parse-function.js";
import { pathOf } from "./stack-frames.js";

/** A script as the engine runs it, which tools may have made of another file. */
export interface InspectedScript {
  readonly path: string;
  readonly text: string;
  /** Where the lines begin. */
  readonly lines: readonly number[];
}

/** A function in a script. */
export interface ScriptFunction {
  readonly script: InspectedScript;
  /** Where the text of the function begins in the script. */
  readonly offset: number;
}

/** Scripts by the identifiers that the engine gives them; null where it does not show them. */
const scripts = new Map<string, InspectedScript | null>();
const functions = new WeakMap<AnyFunction, ScriptFunction | null>();

/** Returns the script that has a function; undefined where the engine does not report it. */
export function scriptOf(fn: AnyFunction): ScriptFunction | undefined {
  let known = functions.get(fn);
  if (known === undefined) {
    known = find(fn) ?? null;
    functions.set(fn, known);
  }
  return known ?? undefined;
}

function find(fn: AnyFunction): ScriptFunction | undefined {
  const found = inspect(fn, (inspected) => inspected.script((id) => scripts.has(id)));
  if (found === undefined) return undefined;
  const { id, url, text, line, column } = found;
  if (!scripts.has(id)) scripts.set(id, readScript(url, text));
  const script = scripts.get(id);
  if (!script) return undefined;
  const own = Function.prototype.toString.call(fn);
  // The engine names a place within the head of the function.
  const offset = script.text.lastIndexOf(own, script.lines[line]! + column);
  return offset < 0 ? undefined : { script, offset };
}

function readScript(url: string | undefined, text: string | undefined): InspectedScript | null {
  if (url === undefined || text === undefined) return null;
  const ends = [...text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)];
  const lines = [0, ...ends.map(({ 0: end, index }) => index + end.length)];
  return { path: pathOf(url), text, lines };
}

/** Returns the line and the column of an offset of a script, counted from 0. */
export function placeOfOffset(
  { lines }: InspectedScript,
  offset: number,
): readonly [line: number, column: number] {
  const line = lines.findLastIndex((begin) => begin <= offset);
  return [line, offset - lines[line]!];
}
