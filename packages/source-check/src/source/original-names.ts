/**
 * @file The names of parameters before a tool renamed them. esbuild, and so tsx and vite, renames
 * what has the name of a variable around it: `x` becomes `x2`. Minifiers rename all of them.
 */
import type { Identifier } from "acorn";
import { inspect } from "./inspector.js";
import type { AnyFunction, ParsedFunction } from "./parse-function.js";
import { identifierNames } from "./source-files.js";
import { pathOf } from "./stack-frames.js";

/** A script with a source map. */
interface MappedScript {
  readonly text: string;
  /** Where the lines begin. */
  readonly lines: readonly number[];
  readonly nameAt: (line: number, column: number) => string | undefined;
}

/** Scripts by the identifiers that the engine gives them; null for those without a map. */
const scripts = new Map<string, MappedScript | null>();

const SHORT = 2;

/**
 * Whether names look as if a tool had chosen them: the engine takes 50 ms for the map. Minifiers
 * leave no space between the parameters and the body: `forward(r,n){`, `r=>r.relu()`.
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
  const names = parameters.flatMap((parameter) => parameter?.name ?? []);
  if (!mayBeRenamed(names, parsed)) return [];
  const { source, start } = parsed;
  const own = Function.prototype.toString.call(fn);
  const found = inspect(fn, (inspected) => inspected.script((id) => scripts.has(id)));
  if (found === undefined) return [];
  const { id, url, text, line, column } = found;
  if (!scripts.has(id)) scripts.set(id, readScript(url, text));
  const script = scripts.get(id);
  if (!script) return [];
  // The engine names a place within the head of the function.
  const at = script.text.lastIndexOf(own, script.lines[line]! + column);
  if (at < 0 || source.slice(start, start + own.length) !== own) return [];
  return parameters.map((parameter) => {
    if (parameter === undefined) return undefined;
    const offset = at + parameter.start - start;
    const row = script.lines.findLastIndex((begin) => begin <= offset);
    return script.nameAt(row, offset - script.lines[row]!);
  });
}

function readScript(url: string | undefined, text: string | undefined): MappedScript | null {
  if (url === undefined || text === undefined) return null;
  const nameAt = identifierNames(pathOf(url), text);
  if (nameAt === undefined) return null;
  const ends = [...text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)];
  return { text, lines: [0, ...ends.map(({ 0: end, index }) => index + end.length)], nameAt };
}
