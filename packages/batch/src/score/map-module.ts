/** @file Modules of `--map`. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { thrownText } from "@sconce/errors";
import type { BatchMap } from "../batch-map.js";
import { badMap } from "../errors.js";

const EXAMPLE = "export default defineBatchMap({ before: ..., after: ... })";

/**
 * Loads a module that exports a map as `default` or as `map`.
 * @throws SconceError `BATCH_MAP`
 */
export async function loadMap(name: string): Promise<BatchMap> {
  const path = resolve(name);
  let module: { readonly default?: unknown; readonly map?: unknown };
  try {
    module = (await import(pathToFileURL(path).href)) as typeof module;
  } catch (error) {
    const failed = badMap(name, `cannot be loaded: ${thrownText(error)}`, remedyOf(name, error), error);
    const line = lineOf(path, error);
    throw line === undefined ? failed : failed.at(`${name}:${line}`);
  }
  const map = (module.default ?? module.map) as BatchMap | undefined;
  const functions = [map?.before, map?.after];
  if (functions.every((one) => one === undefined))
    throw badMap(name, "exports no functions `before` or `after`", EXAMPLE);
  if (functions.some((one) => one !== undefined && typeof one !== "function"))
    throw badMap(name, "exports `before` or `after` that is not a function", EXAMPLE);
  return map!;
}

/** Returns the line of a module that a stack names first. */
function lineOf(path: string, error: unknown): number | undefined {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  for (const start of [`${pathToFileURL(path).href}:`, `${path}:`]) {
    const at = stack.indexOf(start);
    const line = at < 0 ? Number.NaN : Number.parseInt(stack.slice(at + start.length), 10);
    if (line > 0) return line;
  }
  return undefined;
}

const COMPILE = "compile it (`npx tsc --noEmit false --outDir dist`) and give the JavaScript file";

/** Returns what to do about a module that Node does not load. */
function remedyOf(name: string, error: unknown): string {
  const text = thrownText(error);
  if (/^Cannot use import statement outside|^Unexpected token 'export'/.test(text))
    return `set "type": "module" in the package.json of its folder, or name it ${name.replace(/\.[jt]s$/, (ending) => `.m${ending.slice(1)}`)}`;
  const [, missing] = / does not provide an export named '(.+?)'/.exec(text) ?? [];
  if (!/\.[cm]?tsx?$/.test(name)) return "correct the module";
  if (missing !== undefined)
    return `correct the import of ${missing}; import a type with \`import { type ${missing} }\``;
  switch ((error as { readonly code?: unknown } | undefined)?.code) {
    case "ERR_UNKNOWN_FILE_EXTENSION":
      return `${COMPILE}, or use a loader that runs in threads: npm install @oxc-node/core, and NODE_OPTIONS="--import @oxc-node/core/register"; Node 22.18, 23.6 and later run TypeScript, this is ${process.version}`;
    case "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING":
      return `${COMPILE}: Node does not run TypeScript below node_modules`;
    case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX":
      return `write it without such syntax, or ${COMPILE}: Node only removes types`;
    default:
      return "correct the module";
  }
}
