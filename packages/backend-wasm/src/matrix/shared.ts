/** @file Functions that the kernels of a module share. */
import type { ModuleBuilder } from "@sconce/wasm";

const FUNCTIONS = new WeakMap<ModuleBuilder, Map<string, number>>();

/** Returns the index of a function, added when a key is first asked for in a module. */
export function shared(module: ModuleBuilder, key: string, add: () => number): number {
  let functions = FUNCTIONS.get(module);
  if (functions === undefined) {
    functions = new Map();
    FUNCTIONS.set(module, functions);
  }
  let index = functions.get(key);
  if (index === undefined) {
    index = add();
    functions.set(key, index);
  }
  return index;
}
