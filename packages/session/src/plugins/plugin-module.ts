/** @file Plugins from modules. */
import { thrownText } from "@sconce/errors";
import type { Plugin } from "@sconce/passes";
import { badPlugin } from "./errors.js";

/**
 * Returns the plugin that a module exports as `default` or as `plugin`, or by a name; undefined
 * where it exports none. A session checks its fields.
 */
export function pluginIn(module: object, name?: string): Plugin | undefined {
  const exports = module as Readonly<Record<string, unknown>>;
  const plugin = name === undefined ? (exports["default"] ?? exports["plugin"]) : exports[name];
  return typeof plugin === "object" && plugin !== null ? (plugin as Plugin) : undefined;
}

/**
 * Loads the plugin of a module.
 *
 * @param address a URL; `#NAME` chooses an export in place of `default` or `plugin`
 * @throws SconceError `PLUGIN`
 */
export async function loadPlugin(address: string): Promise<Plugin> {
  const [, url = address, name] = /^(.*?)#(.+)$/s.exec(address) ?? [];
  let module: object;
  try {
    module = (await import(/* @vite-ignore */ url)) as object;
  } catch (error) {
    const fix = "correct the module or its path";
    throw badPlugin(`the plugin ${address}`, `cannot be loaded: ${thrownText(error)}`, fix, error);
  }
  const plugin = pluginIn(module, name);
  if (plugin !== undefined) return plugin;
  const fix = "export an object with a `name` as default or as `plugin`";
  throw badPlugin(`the plugin ${address}`, "exports no plugin", fix);
}
