import {
  type Executable,
  type ExportedProgram,
  flattenTree,
  type PytreeRegistry,
  type RunOptions,
  type TreeSpec,
  unflattenTree,
  type Value,
} from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { keywordMismatch, keywordsNotObject, noCallingConvention } from "./errors.js";

/** A program that is called as the Python module was: positional arguments, then keywords. */
export interface ProgramModule {
  /**
   * Calls with positional and keyword arguments, containers as arrays, objects and Maps; gives the
   * outputs likewise.
   */
  call(
    args: readonly unknown[],
    kwargs?: Readonly<Record<string, unknown>>,
    options?: RunOptions,
  ): Promise<unknown>;
  /** The same with the outputs' leaves in order, not put back into containers. */
  callFlat(
    args: readonly unknown[],
    kwargs?: Readonly<Record<string, unknown>>,
    options?: RunOptions,
  ): Promise<readonly Value[]>;
  /** The compiled program. */
  readonly executable: Executable;
  /**
   * Current parameters, buffers and constants; buffers that the program mutates change from call to
   * call.
   */
  readonly state: ReadonlyMap<string, Tensor>;
}

/** @throws SconceError `NO_CALLING_CONVENTION` */
export function createModule(
  program: ExportedProgram,
  executable: Executable,
  types?: PytreeRegistry,
): ProgramModule {
  const root = program.moduleCallGraph.find((entry) => entry.fqn === "")?.signature;
  if (root === null || root === undefined) {
    throw noCallingConvention();
  }
  const callFlat: ProgramModule["callFlat"] = (args, kwargs = {}, options) => {
    const leaves = flattenTree([args, reorder(kwargs, root.inSpec)], root.inSpec, types) as Value[];
    return executable.run(leaves, options);
  };
  return {
    executable,
    state: executable.state,
    callFlat,
    call: async (args, kwargs, options) =>
      unflattenTree(await callFlat(args, kwargs, options), root.outSpec, types),
  };
}

/** Keywords in the program's order; other names are refused as PyTorch does. */
function reorder(kwargs: Readonly<Record<string, unknown>>, inSpec: TreeSpec): Record<string, unknown> {
  if (typeof kwargs !== "object" || kwargs === null || Array.isArray(kwargs)) {
    throw keywordsNotObject(kwargs);
  }
  const expected = (inSpec.children[1]?.context ?? []) as readonly string[];
  const given = Object.keys(kwargs);
  if (given.length !== expected.length || !expected.every((name) => Object.hasOwn(kwargs, name))) {
    throw keywordMismatch(given, expected);
  }
  return Object.fromEntries(expected.map((name) => [name, kwargs[name]]));
}
