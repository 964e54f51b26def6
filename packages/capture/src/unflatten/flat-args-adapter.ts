/** @file Calls whose arguments have another structure than those of the export. */

import { isSconceError } from "@sconce/errors";
import {
  dictKeys,
  type ExportedProgram,
  flattenValue,
  leafCount,
  pythonTuple,
  type TreeSpec,
} from "@sconce/ir";
import { callingConvention, flattenCall } from "@sconce/ops";
import type { Module } from "@sconce/torch";
import { badAdapter, noAdapter } from "./errors.js";

/** What an adapter is given besides the arguments. */
export interface FlatArgsMetadata {
  /** The module that is called. */
  readonly unflattenedModule: Module;
}

/**
 * Gives a call's arguments the structure of the export (`torch.export.FlatArgsAdapter`): keys of an
 * object in another order, an array in place of an object.
 */
export interface FlatArgsAdapter {
  /**
   * Returns the leaves that the program takes, in the order of `targetSpec`.
   *
   * @param targetSpec the structure of the export: `((args...), {kwargs...})`
   * @param inputSpec the structure of this call
   * @param inputArgs the leaves of this call, in the order of `inputSpec`
   * @param metadata the module that is called
   * @param args the positional arguments of this call, as they were given
   */
  adapt(
    targetSpec: TreeSpec,
    inputSpec: TreeSpec,
    inputArgs: readonly unknown[],
    metadata: FlatArgsMetadata,
    args: readonly unknown[],
  ): readonly unknown[];
  /**
   * Returns names for the leaves that `adapt` returns, for messages. Without them a message has
   * `<unknown location>`.
   */
  getFlatArgPaths?(): readonly string[];
}

/** The leaves of a call, and their places where an adapter made them. */
export interface CallLeaves {
  readonly leaves: readonly unknown[];
  readonly places?: readonly string[] | undefined;
}

/**
 * Flattens the arguments of a call, by an adapter where their structure is another.
 * @throws SconceError `NO_FLAT_ARGS_ADAPTER`, `FLAT_ARGS_ADAPTER`, `KEYWORD_MISMATCH`
 */
export function adaptedLeaves(
  program: ExportedProgram,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
  adapter: FlatArgsAdapter | undefined,
  metadata: FlatArgsMetadata,
): CallLeaves {
  const { inSpec } = callingConvention(program);
  const leaves = fittingLeaves(program, args, kwargs);
  if (leaves !== undefined) return { leaves };
  const given = flattenValue([pythonTuple(...args), kwargs]);
  const inputSpec: TreeSpec = { ...given.spec, type: "builtins.tuple" };
  if (adapter === undefined) throw noAdapter(inSpec, inputSpec);
  const adapted = adapter.adapt(inSpec, inputSpec, given.leaves, metadata, args);
  const count = leafCount(inSpec);
  if (adapted.length !== count) throw badAdapter(adapted.length, count);
  const paths = adapter.getFlatArgPaths?.() ?? [];
  if (paths.length > 0 && paths.length !== count) throw badAdapter(paths.length, count);
  return { leaves: adapted, places: adapted.map((_, i) => `*args.${paths[i] ?? "<unknown location>"}`) };
}

/** The leaves of arguments that have the structure of the export, keys in its order, too. */
function fittingLeaves(
  program: ExportedProgram,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
): readonly unknown[] | undefined {
  const [positional] = callingConvention(program).inSpec.children;
  try {
    const leaves = flattenCall(program, args, kwargs);
    return hasOrderOf(args, positional!) ? leaves : undefined;
  } catch (error) {
    if (isSconceError(error, "TREE_MISMATCH")) return undefined;
    throw error;
  }
}

/** Returns whether the keys of objects have the order of a structure. */
function hasOrderOf(value: unknown, spec: TreeSpec): boolean {
  if (spec.type === null || typeof value !== "object" || value === null) return true;
  const keys = spec.type === "builtins.dict" ? dictKeys(spec)! : undefined;
  if (keys !== undefined) {
    const map = value instanceof Map ? value : new Map(Object.entries(value));
    const own = [...map.keys()];
    return (
      own.every((key, i) => key === keys[i]) &&
      spec.children.every((child, i) => hasOrderOf(map.get(keys[i]), child))
    );
  }
  return !Array.isArray(value) || spec.children.every((child, i) => hasOrderOf(value[i], child));
}
