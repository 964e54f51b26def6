/** @file Modules of plugins: files, and packages that are installed. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "@sconce/passes";
import { pluginIn } from "@sconce/session/worker-node";
import { pluginError } from "./errors.js";
import { codeOf, loadFailure } from "./plugin-failure.js";

/**
 * Returns the path of a plugin module: `name` as a path from the current folder, or what the
 * installed package of that name exports.
 */
export function pluginPath(name: string): string {
  const isPackage = /^(@[\w.-]+\/)?\w[\w.-]*(\/|$)/.test(name) && !existsSync(name);
  return (isPackage ? packageFile(name) : undefined) ?? resolve(name);
}

/**
 * Returns the file that an installed package exports by a name such as `mylib` or
 * `@mine/mylib/plugin`.
 */
function packageFile(name: string): string | undefined {
  const { resolve: fileOf } = createRequire(join(process.cwd(), "any.js"));
  try {
    return fileOf(name);
  } catch (error) {
    // The package is there, and has no file for `require`: most packages of modules.
    return codeOf(error) === "ERR_PACKAGE_PATH_NOT_EXPORTED"
      ? importedFile(name, fileOf.paths(name))
      : undefined;
  }
}

/** Returns the same of a package whose exports are for `import` only. */
function importedFile(name: string, folders: readonly string[] | null): string | undefined {
  const [, own, rest] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(name)!;
  const folder = folders?.map((one) => join(one, own!)).find((one) => existsSync(join(one, "package.json")));
  if (folder === undefined) return undefined;
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    exports?: Conditions;
  };
  const file = fileFor(exports, `.${rest}`);
  return file === undefined ? undefined : join(folder, file);
}

/** What `exports` of a package holds: a file, or files by entry and condition. */
type Conditions = string | null | { readonly [name: string]: Conditions };

/** Returns the file of an entry under the conditions of `import` in Node. */
function fileFor(value: Conditions | undefined, entry: string): string | undefined {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return undefined;
  if (entry in value) return fileFor(value[entry], entry);
  const condition = Object.keys(value).find((name) => ["node", "import", "default"].includes(name));
  return condition === undefined ? undefined : fileFor(value[condition], entry);
}

/**
 * Loads a plugin module; it exports its plugin as `default` or as `plugin`.
 * @param name a path, or the name of an installed package
 * @throws SconceError `PLUGIN`
 */
export async function loadPlugin(name: string): Promise<Plugin> {
  const path = pluginPath(name);
  let module: object;
  try {
    module = (await import(pathToFileURL(path).href)) as object;
  } catch (error) {
    const fix = "check the path of the module, or install the package of that name";
    if (!existsSync(path)) throw pluginError(name, "does not exist", fix, error);
    throw loadFailure(name, path, error);
  }
  const plugin = pluginIn(module);
  if (plugin !== undefined) return plugin;
  throw pluginError(name, "exports no plugin", "export an object with a `name` as default or as `plugin`");
}
