/** @file Modules of models, for `sconce export`. */
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { isSconceError, thrownText } from "@sconce/errors";
import { modelError } from "./errors.js";
import { loadFailure, placeOf } from "./plugin-failure.js";
import { pluginPath } from "./plugin-module.js";

/** What a module of a model exports. */
export interface ModelModule {
  /** A module, or a function. */
  readonly model: unknown;
  /** Example arguments. */
  readonly args: readonly unknown[];
  readonly kwargs?: unknown;
  readonly dynamicShapes?: unknown;
}

const EXAMPLE = "export `const model = new Net()` and `const args = [torch.randn(2, 8)]`";

/**
 * Loads a module that exports `model` and `args`, and may export `kwargs` and `dynamicShapes`; or
 * one whose default is an object of these, or a function that gives it.
 *
 * @throws SconceError `MODEL_MODULE`
 */
export async function loadModel(name: string): Promise<ModelModule> {
  const path = pluginPath(name);
  if (!existsSync(path)) throw modelError(name, "does not exist", "check the path of the module");
  const module = await imported(name, path);
  const given = "model" in module ? module : module["default"];
  const found = (
    typeof given === "function" && !isModel(given) ? await runOf(name, async () => given()) : given
  ) as unknown;
  if (typeof found !== "object" || found === null || !("model" in found))
    throw modelError(name, "exports no `model`", EXAMPLE);
  const { args } = found as { args?: unknown };
  if (!Array.isArray(args)) throw modelError(name, "exports no array `args`", EXAMPLE);
  return found as ModelModule;
}

/** Modules of models are functions, too, and so are their classes. */
const isModel = (value: object): boolean =>
  "forward" in value || "forward" in ((value as { readonly prototype?: object }).prototype ?? {});

/** Where the packages of Sconce lie. */
const PACKAGES = new URL("../../", import.meta.url).href;

/**
 * Runs code of a module of a model. What it throws is an error of the module, unless Sconce throws
 * it.
 *
 * @throws SconceError `MODEL_MODULE`
 */
export async function runOf<T>(name: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const [, thrower = ""] =
      /^ +at .*?(file:\/\/\/\S*)/m.exec((error as Error | undefined)?.stack ?? "") ?? [];
    if (isSconceError(error) || thrower.startsWith(PACKAGES)) throw error;
    const failed = modelError(name, `throws: ${thrownText(error)}`, "correct the module", error);
    const place = placeOf(pluginPath(name), error);
    throw place === undefined ? failed : failed.at(place);
  }
}

async function imported(name: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    if (isSconceError(error)) throw error;
    const failure = loadFailure(name, path, error);
    const fix = failure.fix ?? "correct the module";
    const failed = modelError(name, `cannot be loaded: ${thrownText(error)}`, fix, error);
    throw failure.where === undefined ? failed : failed.at(failure.where);
  }
}
