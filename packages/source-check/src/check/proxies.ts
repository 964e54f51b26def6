/** @file Proxies: each use of one runs code, also the check's own. */
import { nodeModule } from "../source/node-module.js";

/** What is used of `node:util`. */
interface Util {
  readonly types: { isProxy(value: unknown): boolean };
}

let ask: ((value: unknown) => boolean) | undefined;

/** Why a proxy is not followed. */
export const PROXY = "a proxy runs code at each use";

/** Names under which test runners give code its imports: proxies that only pass reads on. */
const IMPORT = /^__vi(?:te_ssr)?_import_/;

const imports = new WeakSet<object>();

/** Takes note of a variable: imports may be proxies that are followed. */
export function noteVariable(name: string, value: unknown): void {
  if (typeof value === "object" && value !== null && IMPORT.test(name)) imports.add(value);
}

/** Returns whether a value is a proxy, where the host says so: Node does, browsers do not. */
export function isProxy(value: unknown): boolean {
  ask ??= nodeModule<Util>("node:util")?.types.isProxy ?? (() => false);
  return ask(value) && !imports.has(value as object);
}
