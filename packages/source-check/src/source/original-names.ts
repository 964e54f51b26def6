/**
 * @file The names of parameters before a tool renamed them. esbuild, and so tsx and vite, renames
 * what has the name of a variable around it: `x` becomes `x2`. Minifiers rename all of them.
 */
import type { Identifier } from "acorn";
import { type InspectedScript, placeOfOffset, scriptOf } from "./inspected-script.js";
import type { AnyFunction, ParsedFunction } from "./parse-function.js";
import { identifierNames } from "./source-files.js";

type NameAt = (line: number, column: number) => string | undefined;

/** What gives the names of a script; null for one without a source map. */
const names = new WeakMap<InspectedScript, NameAt | null>();

const SHORT = 2;

/**
 * Returns whether names look as if a tool had chosen them: the engine takes 50 ms for the map.
 * Minifiers leave no space between the parameters and the body: `forward(r,n){`, `r=>r.relu()`.
 */
function mayBeRenamed(names: readonly string[], { node, source }: ParsedFunction): boolean {
  if (names.some((name) => /\d$/.test(name))) return true;
  const isMinified = !/\s/.test(source.slice(node.params.at(-1)?.end, node.body.start));
  return isMinified && names.some((name) => name.length <= SHORT);
}

/**
 * Returns the names that parameters have in the source, in their order; undefined for each where no
 * source map says that it has another name.
 */
export function originalNames(
  fn: AnyFunction,
  parsed: ParsedFunction,
  parameters: readonly (Identifier | undefined)[],
): readonly (string | undefined)[] {
  const given = parameters.flatMap((parameter) => parameter?.name ?? []);
  if (!mayBeRenamed(given, parsed)) return [];
  const { source, start } = parsed;
  const own = Function.prototype.toString.call(fn);
  const found = scriptOf(fn);
  if (found === undefined || source.slice(start, start + own.length) !== own) return [];
  const { script, offset: at } = found;
  if (!names.has(script)) names.set(script, identifierNames(script.path, script.text) ?? null);
  const nameAt = names.get(script);
  if (!nameAt) return [];
  return parameters.map((parameter) => {
    if (parameter === undefined) return undefined;
    return nameAt(...placeOfOffset(script, at + parameter.start - start));
  });
}
