/** @file The interpreter with all kernels loaded. */
import { checkOptions } from "@sconce/errors";
import type { Backend, ExportedProgram, ProgramRunner, Value } from "@sconce/ir";
import { memoryLimit } from "@sconce/ops";
import { ALL_KERNELS } from "../sets/all-kernels.js";
import { type CpuBackendOptions, cpuParts, type Evaluator } from "./cpu-parts.js";
import { DISPATCH, type DispatchOptions, dispatcherOf } from "./dispatch-options.js";
import { DispatchingInterpreter } from "./interpreter.js";
import { type NonfiniteOptions, type NonfiniteReport, nonfiniteIn } from "./nonfinite.js";

const parts = /* @__PURE__ */ cpuParts(ALL_KERNELS);

/**
 * Returns an evaluator with its own random generator. What it needs is made for the first call:
 * most passes evaluate nothing.
 */
export const createEvaluator = (options?: CpuBackendOptions): Evaluator => parts.createEvaluator(options);

/**
 * Runs whole programs on the interpreter, each with the same random numbers: what differential
 * checks run.
 */
export const createRunner = (options?: Omit<CpuBackendOptions, "random">): ProgramRunner =>
  parts.createRunner(options);

let shared: Evaluator | undefined;

/**
 * Runs one of Sconce's own operators on values.
 * @throws SconceError `UNKNOWN_OPERATOR`, `NO_KERNEL`, and what the operator's rules refuse
 */
export const evaluate: Evaluator = (target, args, kwargs) => {
  shared ??= createEvaluator();
  return shared(target, args, kwargs);
};

/**
 * Returns the reference interpreter: every operator by a separate kernel or by its decomposition.
 */
export const cpuBackend = (options?: CpuBackendOptions): Backend => parts.cpuBackend(options);

/**
 * The interpreter of `cpuBackend` as a class, to run a program and see or change what its nodes do:
 * a subclass overrides `runNode`, or the method of one kind of node.
 */
export class CpuInterpreter extends DispatchingInterpreter {
  /** @throws SconceError `CONJUGATE_WRITE`, `NO_SUBGRAPH` */
  constructor(program: ExportedProgram, options: DispatchOptions = {}) {
    checkOptions("CpuInterpreter", options, DISPATCH);
    const { operators, dispatcher } = dispatcherOf(ALL_KERNELS, options);
    super(program, operators, dispatcher, memoryLimit("CpuInterpreter", options.maxBytes));
  }
}

/**
 * Runs a program on the interpreter until the result of a call holds NaN or infinity. Every result
 * is read, those of nested graphs too.
 *
 * @throws SconceError what a run throws before such a result
 */
export const firstNonfinite = (
  program: ExportedProgram,
  inputs: readonly Value[],
  options?: NonfiniteOptions,
): Promise<NonfiniteReport> =>
  nonfiniteIn(async (dispatch) => dispatcherOf(ALL_KERNELS, dispatch), program, inputs, options);
