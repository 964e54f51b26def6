/** @file The interpreter of a session, whose kernels a page loads when it needs them. */

import { partNotLoaded } from "@sconce/errors";
import type { ExportedProgram, Value } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { SESSION_KERNELS } from "#session-kernels";
import type { Calls } from "../sets/kernel-set.js";
import { type CpuParts, callsOf, cpuParts } from "./cpu-parts.js";
import { type Dispatching, type DispatchOptions, dispatcherOf } from "./dispatch-options.js";
import { type NonfiniteOptions, type NonfiniteReport, nonfiniteIn } from "./nonfinite.js";

/** Evaluators, runners and backends over the kernels of a session. */
export const sessionCpu: CpuParts = /* @__PURE__ */ cpuParts(SESSION_KERNELS);

/** Targets that have a kernel, loaded or not. */
export const hasSessionKernel = (target: string): boolean => Object.hasOwn(SESSION_KERNELS.table, target);

/** Loads the kernels that calls of a graph, or any calls, may need. */
export const loadSessionKernels = (calls: Calls, operators: OperatorTable): Promise<void> =>
  SESSION_KERNELS.load(calls, operators);

/** @throws SconceError `PART_NOT_LOADED` where some calls would not find their kernels */
export function requireSessionKernels(calls: Calls, operators: OperatorTable): void {
  if (!SESSION_KERNELS.has(calls, operators)) throw partNotLoaded("a kernel that this call may need");
}

/** See `firstNonfinite`. */
export function sessionNonfinite(
  program: ExportedProgram,
  inputs: readonly Value[],
  options: NonfiniteOptions,
): Promise<NonfiniteReport> {
  const dispatching = async (dispatch: DispatchOptions): Promise<Dispatching> => {
    const dispatcher = dispatcherOf(SESSION_KERNELS, dispatch);
    await SESSION_KERNELS.load(callsOf(program, dispatch), dispatcher.operators);
    return dispatcher;
  };
  return nonfiniteIn(dispatching, program, inputs, options);
}
