/** @file The arguments of a call, flattened as the program takes them. */
import { isSconceError } from "@sconce/errors";
import {
  dictKeys,
  type ExportedProgram,
  FakeTensor,
  flattenTree,
  type PytreeRegistry,
  type TreeSpec,
} from "@sconce/ir";
import { isNumericArray } from "@sconce/tensor";
import { arraysForTensor, keywordMismatch, keywordsNotObject, noCallingConvention } from "./errors.js";
import { userLeaves } from "./leaf-path.js";

/**
 * Returns the trees of the arguments and of the result.
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

/** Returns the names of the keyword arguments, in the program's order. */
export const keywordsOf = (inSpec: TreeSpec): readonly string[] =>
  (inSpec.children[1]?.context ?? []) as readonly string[];

/**
 * Flattens positional and keyword arguments in the order of the program's user inputs.
 * @throws SconceError `NO_CALLING_CONVENTION`, `KEYWORD_MISMATCH`, `TREE_MISMATCH`, which names
 * nested arrays in the place of a tensor
 */
export function flattenCall(
  program: ExportedProgram,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
  types?: PytreeRegistry,
): unknown[] {
  const { inSpec } = callingConvention(program);
  const given = [args, reorder(kwargs, inSpec)];
  try {
    return flattenTree(given, inSpec, types);
  } catch (error) {
    const leaf = isSconceError(error) ? leafOfArrays(given, inSpec) : undefined;
    if (!isSconceError(error) || leaf === undefined) throw error;
    const { name, place } = userLeaves(program)[leaf.index]!;
    const val = program.graph.find(name)?.meta.val;
    throw val instanceof FakeTensor ? arraysForTensor(error, place, val.dtype, leaf.isCall) : error;
  }
}

/** Nested arrays of numbers that stand where one value belongs. */
interface ArraysLeaf {
  /** Which of the flat inputs it is. */
  readonly index: number;
  /** Whether the list of arguments itself is these arrays: `call([[1, 2], [3, 4]])`. */
  readonly isCall: boolean;
}

/** Returns the first leaf for which nested arrays are given. */
function leafOfArrays(given: readonly unknown[], inSpec: TreeSpec): ArraysLeaf | undefined {
  let count = 0;
  let found: number | undefined;
  const visit = (value: unknown, spec: TreeSpec): void => {
    if (spec.type === null) {
      if (Array.isArray(value) && isNumericArray(value)) found ??= count;
      count++;
      return;
    }
    const keys = dictKeys(spec);
    spec.children.forEach((child, i) => {
      visit(keys === undefined ? childOf(value, i) : childOf(value, keys[i]), child);
    });
  };
  visit(given, inSpec);
  const [args, kwargs] = inSpec.children;
  const takesOne = args?.children.length === 1 && kwargs?.children.length === 0;
  if (
    takesOne &&
    args.children[0]!.type === null &&
    isNumericArray(given[0]) &&
    childOf(given[0], 1) !== undefined
  )
    return { index: 0, isCall: true };
  return found === undefined ? undefined : { index: found, isCall: false };
}

const childOf = (value: unknown, key: unknown): unknown =>
  value instanceof Map
    ? value.get(key)
    : (value as Partial<Record<string, unknown>> | null | undefined)?.[String(key)];

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
