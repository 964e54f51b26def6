/** @file The arguments of a call, flattened as the program takes them. */
import { type ExportedProgram, flattenTree, type PytreeRegistry, type TreeSpec } from "@sconce/ir";
import { keywordMismatch, keywordsNotObject, noCallingConvention } from "./errors.js";

/**
 * The trees of the arguments and of the result.
 * @throws SconceError `NO_CALLING_CONVENTION`
 */
export function callingConvention(program: ExportedProgram): {
  readonly inSpec: TreeSpec;
  readonly outSpec: TreeSpec;
  readonly forwardArgNames: readonly string[] | null;
} {
  const root = program.moduleCallGraph.find((entry) => entry.fqn === "")?.signature;
  if (root === null || root === undefined) throw noCallingConvention();
  return root;
}

/** The names of the keyword arguments, in the program's order. */
export const keywordsOf = (inSpec: TreeSpec): readonly string[] =>
  (inSpec.children[1]?.context ?? []) as readonly string[];

/**
 * Flattens positional and keyword arguments in the order of the program's user inputs.
 * @throws SconceError `NO_CALLING_CONVENTION`, `KEYWORD_MISMATCH`, `TREE_MISMATCH`
 */
export function flattenCall(
  program: ExportedProgram,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
  types?: PytreeRegistry,
): unknown[] {
  const { inSpec } = callingConvention(program);
  return flattenTree([args, reorder(kwargs, inSpec)], inSpec, types);
}

/** Keywords in the program's order; other names are refused as PyTorch does. */
function reorder(kwargs: Readonly<Record<string, unknown>>, inSpec: TreeSpec): Record<string, unknown> {
  if (typeof kwargs !== "object" || kwargs === null || Array.isArray(kwargs)) {
    throw keywordsNotObject(kwargs);
  }
  const expected = keywordsOf(inSpec);
  const given = Object.keys(kwargs);
  if (given.length !== expected.length || !expected.every((name) => Object.hasOwn(kwargs, name))) {
    throw keywordMismatch(given, expected);
  }
  return Object.fromEntries(expected.map((name) => [name, kwargs[name]]));
}
