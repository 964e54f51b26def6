import { checkOptions, finishWithPauses, ProgressReport, type Work } from "@sconce/errors";
import {
  type Backend,
  COMPILE_OPTIONS,
  type CompileOptions,
  type Executable,
  type ExportedProgram,
  type Graph,
  type Node,
  nodePlace,
  type ProgramRunner,
  type Reason,
} from "@sconce/ir";
import {
  type CallArgument,
  type CallKwargs,
  decomposes,
  isInterpretedCall,
  memoryLimit,
  type OperatorTable,
  prepareInterpreter,
  type RuntimeValue,
  refuseOpaque,
} from "@sconce/ops";
import { withMemoryLimit } from "@sconce/tensor";
import { excludedCall, noKernel } from "../kernel/errors.js";
import { conjugateWriteSteps } from "./conjugate-writes.js";
import type { Dispatcher } from "./dispatch.js";
import { DISPATCH, type DispatchOptions, dispatcherOf, dispatchersOf } from "./dispatch-options.js";
import { DispatchingInterpreter } from "./interpreter.js";

/** Options of {@link cpuBackend}. */
export type CpuBackendOptions = DispatchOptions;

/** Runs one operator on values, as constant folding needs it. */
export type Evaluator = (target: string, args: readonly CallArgument[], kwargs?: CallKwargs) => RuntimeValue;

/**
 * An evaluator with its own random generator. What it needs is made for the first call: most passes
 * evaluate nothing.
 */
export function createEvaluator(options: CpuBackendOptions = {}): Evaluator {
  checkOptions("createEvaluator", options, DISPATCH);
  const dispatching = dispatchersOf(options);
  const maxBytes = memoryLimit("createEvaluator", options.maxBytes);
  let dispatcher: Dispatcher | undefined;
  return (target, args, kwargs) => {
    dispatcher ??= dispatching().dispatcher;
    const own = dispatcher;
    return withMemoryLimit(maxBytes, () => own.call(target, args, kwargs));
  };
}

/**
 * Runs whole programs on the interpreter, each with the same random numbers: what differential
 * checks run.
 */
export function createRunner(options: Omit<CpuBackendOptions, "random"> = {}): ProgramRunner {
  checkOptions("createRunner", options, DISPATCH);
  const dispatching = dispatchersOf(options);
  const maxBytes = memoryLimit("createRunner", options.maxBytes);
  return (program, inputs, see, { maxIterations = Number.POSITIVE_INFINITY } = {}) => {
    const { operators, dispatcher } = dispatching();
    refuseOpaque(program.graph, operators);
    const interpreter = new DispatchingInterpreter(program, operators, dispatcher, maxBytes);
    interpreter.see = see;
    interpreter.maxIterations = maxIterations;
    const outputs = interpreter.runSync(inputs);
    return { outputs, state: interpreter.state, iterations: interpreter.iterations };
  };
}

let shared: Evaluator | undefined;

/**
 * Runs one of Sconce's own operators on values.
 * @throws SconceError `UNKNOWN_OPERATOR`, `NO_KERNEL`, and what the operator's rules refuse
 */
export const evaluate: Evaluator = (target, args, kwargs) => {
  shared ??= createEvaluator();
  return shared(target, args, kwargs);
};

/** The reference interpreter: every operator by a separate kernel or by its decomposition. */
export function cpuBackend(options: CpuBackendOptions = {}): Backend {
  checkOptions("cpuBackend", options, DISPATCH);
  const { operators, dispatcher } = dispatcherOf(options);
  const maxBytes = memoryLimit("cpuBackend", options.maxBytes);
  const supports = (node: Node): true | Reason => {
    const { op, target } = node;
    const known = op !== "call_function" || isInterpretedCall(target) || dispatcher.supports(target);
    return known || { reason: noKernel(target).message };
  };
  return {
    name: "cpu",
    supports: (node: Node, _graph: Graph) => supports(node),
    describeSupport: (target) => dispatcher.describeSupport(target),
    async compile(program: ExportedProgram, compileOptions: CompileOptions = {}): Promise<Executable> {
      checkOptions("compile", compileOptions, COMPILE_OPTIONS);
      const work = compileSteps(program, operators, compileOptions);
      await finishWithPauses(work, "compilation", compileOptions.signal);
      return new DispatchingInterpreter(program, operators, dispatcher, maxBytes, true);
    },
  };
}

/** Refuses programs that the interpreter does not run, and prepares the others. */
function* compileSteps(
  program: ExportedProgram,
  operators: OperatorTable,
  { exclude, onProgress }: CompileOptions,
): Work<void> {
  const { graph } = program;
  refuseOpaque(graph, operators);
  yield;
  const excluded = exclude && graph.nodes().find(({ target }) => exclude.includes(target));
  if (excluded !== undefined)
    throw excludedCall(excluded.target, decomposes(operators, excluded.target)).at(nodePlace(excluded));
  const progress = new ProgressReport("compile", onProgress, 2);
  progress.at(0, "plan");
  yield* prepareInterpreter(program, operators);
  progress.at(1, "check");
  yield* conjugateWriteSteps(graph, operators);
  progress.end();
}
