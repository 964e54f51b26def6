import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { SconceError } from "@sconce/errors";
import { openPt2File } from "@sconce/formats/node";
import type { ExportedProgram, OperatorLookup, OpSchema } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { Plugin } from "@sconce/passes";
import { createSconce, type Sconce } from "sconce";

/** Opens a session with plugins from module paths; a module exports its plugin as `default` or `plugin`. */
export async function openSession(modules: readonly string[] = []): Promise<Sconce> {
  return createSconce({ plugins: await Promise.all(modules.map(loadPlugin)) });
}

async function loadPlugin(path: string): Promise<Plugin> {
  let module: { default?: Plugin; plugin?: Plugin };
  try {
    module = (await import(pathToFileURL(resolve(path)).href)) as typeof module;
  } catch (error) {
    throw new SconceError({ code: "PLUGIN", message: `cannot load the plugin ${path}: ${(error as Error).message}`, cause: error });
  }
  const plugin = module.default ?? module.plugin;
  if (typeof plugin?.name === "string") return plugin;
  throw new SconceError({
    code: "PLUGIN", message: `${path} exports no plugin`, fix: "export an object with a `name` as default",
  });
}

/**
 * Reads a program file. Viewing commands read programs with custom operators that nothing here defines; the others
 * refuse them.
 */
export function openProgram(path: string, session: Sconce, viewing = false): Promise<ExportedProgram> {
  return openPt2File(path, { operators: viewing ? forViewing(session.operators) : session.operators });
}

/** Takes any operator of a namespace that nothing here defines, so that a program can be looked at without its plugin. */
function forViewing(operators: OperatorTable): OperatorLookup {
  const namespaces = new Set([...operators].map((row) => row.schema.namespace));
  return {
    schemaOf: (target) => operators.schemaOf(target) ?? (namespaces.has(target.split(".")[0]!) ? undefined : opaqueSchema(target)),
    tagsOf: (target) => operators.tagsOf(target),
  };
}

function opaqueSchema(target: string): OpSchema {
  const [namespace = "", name = "", overload = "default"] = target.split(".");
  return { namespace, name, overload, target, args: [], returns: [], isMutable: false, isView: false };
}

/** Collects a repeatable option. */
export const repeatable = (value: string, previous: readonly string[]): readonly string[] => [...previous, value];
