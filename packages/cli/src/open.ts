/** @file Sessions and program files, as all commands open them. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isSconceError } from "@sconce/errors";
import { openPt2File } from "@sconce/formats/node";
import type { ExportedProgram } from "@sconce/ir";
import type { Plugin } from "@sconce/passes";
import { readSafetensors, type Tensor } from "@sconce/tensor";
import { createSconce, type Sconce } from "sconce";
import { fileError, pluginError, systemCode } from "./errors.js";
import { readBytes } from "./io.js";

/**
 * Opens a session with plugins from module paths; a module exports its plugin as `default` or `plugin`.
 * @throws SconceError `PLUGIN`, `NAME_CLASH`
 */
export async function openSession(modules: readonly string[] = []): Promise<Sconce> {
  return createSconce({ plugins: await Promise.all(modules.map(loadPlugin)) });
}

async function loadPlugin(path: string): Promise<Plugin> {
  let module: { default?: Plugin; plugin?: Plugin };
  try {
    module = (await import(pathToFileURL(resolve(path)).href)) as typeof module;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw pluginError(path, `cannot be loaded: ${why}`, "give the path of a JavaScript module", error);
  }
  const plugin = module.default ?? module.plugin;
  if (typeof plugin?.name === "string") return plugin;
  throw pluginError(path, "exports no plugin", "export an object with a `name` as default or as `plugin`");
}

/**
 * Reads a program file. For viewing, programs with custom operators that nothing here defines are taken too.
 * @throws SconceError `FILE`, and those of the reader with the path in front of the place
 */
export function openProgram(path: string, session: Sconce, viewing = false): Promise<ExportedProgram> {
  const { operators } = session;
  return atFile(path, () => openPt2File(path, { operators, unknownOperators: viewing ? "keep" : "refuse" }));
}

/** Reads a safetensors file. @throws SconceError `FILE`, `SAFETENSORS` */
export function openTensors(path: string): Promise<ReadonlyMap<string, Tensor>> {
  return atFile(path, async () => readSafetensors(await readBytes(path)).tensors);
}

/** Errors of a file told with its path. */
async function atFile<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (isSconceError(error)) throw error.code === "FILE" ? error : error.at(path);
    throw systemCode(error) === undefined ? error : fileError(path, error);
  }
}

/** Collects a repeatable option. */
export const repeatable = (value: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  value,
];
