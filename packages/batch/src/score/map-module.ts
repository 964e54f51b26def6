/** @file Modules of `--map`. */
import { existsSync } from "node:fs";
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
  if (!existsSync(path)) throw badMap(name, "does not exist", "check the path of the module");
  let module: { readonly default?: unknown; readonly map?: unknown };
  try {
    module = (await import(pathToFileURL(path).href)) as typeof module;
  } catch (error) {
    const isTypeScript = /\.[cm]?tsx?$/.test(path);
    const fix = isTypeScript
      ? `correct the module, or compile it and give the JavaScript file; Node 22.18, 23.6 and later run TypeScript, this is ${process.version}`
      : "correct the module";
    throw badMap(name, `cannot be loaded: ${thrownText(error)}`, fix, error);
  }
  const map = (module.default ?? module.map) as BatchMap | undefined;
  const functions = [map?.before, map?.after];
  if (functions.every((one) => one === undefined))
    throw badMap(name, "exports no functions `before` or `after`", EXAMPLE);
  if (functions.some((one) => one !== undefined && typeof one !== "function"))
    throw badMap(name, "exports `before` or `after` that is not a function", EXAMPLE);
  return map!;
}
