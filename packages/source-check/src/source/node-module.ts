/** @file Modules of Node, where the engine is Node. */

interface NodeProcess {
  getBuiltinModule?(name: string): unknown;
}

/** Returns a module of Node, with the type of the part that is used; undefined in other engines. */
export const nodeModule = <T extends object>(name: string): T | undefined =>
  (globalThis as { process?: NodeProcess }).process?.getBuiltinModule?.(name) as T | undefined;
