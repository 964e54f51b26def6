/** @file Parts of Node, which Deno and Bun have, too. */

/** Returns a part of Node; undefined in pages. */
export function nodePart(name: string): unknown {
  const { process } = globalThis as { readonly process?: { getBuiltinModule?(part: string): unknown } };
  return process?.getBuiltinModule?.(name);
}
