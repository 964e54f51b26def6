import { checkOptions, finish, finishWithPauses, ProgressReport, type Work } from "@sconce/errors";
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
  type PreparedProgram,
  preparationSteps,
  type RuntimeValue,
  refuseOpaque,
  whyNotRun,
} from "@sconce/ops";
import { type DType, withMemoryLimit } from "@sconce/tensor";
import { excludedCall, noKernel } from "../kernel/errors.js";
import type { Calls, KernelSet } from "../sets/kernel-set.js";
import { conjugateWriteSteps, refuseConjugateWrites } from "./conjugate-writes.js";
import type { Dispatcher } from "./dispatch.js";
import { DISPATCH, type DispatchOptions, dispatcherOf, dispatchersOf } from "./dispatch-options.js";
import { DispatchingInterpreter } from "./interpreter.js";

/** Options of {@link cpuBackend}. */
export type CpuBackendOptions = DispatchOptions;

/**
 * Runs one operator on values, as constant folding needs it. `autocast` is the dtype of the mixed
 * precision region that the call is in; null or undefined for none.
 */
export type Evaluator = (
  target: string,
  args: readonly CallArgument[],
  kwargs?: CallKwargs,
  autocast?: DType | null,
) => RuntimeValue;

/** What an interpreter over a set of kernels gives. */
export interface CpuParts {
  /** See `createEvaluator`. */
  readonly createEvaluator: (options?: CpuBackendOptions) => Evaluator;
  /** See `createRunner`. */
  readonly createRunner: (options?: Omit<CpuBackendOptions, "random">) => ProgramRunner;
  /** See `cpuBackend`. */
  readonly cpuBackend: (options?: CpuBackendOptions) => Backend;
}

/** Makes evaluators, runners and backends over a set of kernels. */
export const cpuParts = (own: KernelSet): CpuParts => ({
  createEvaluator: (options = {}) => evaluatorOf(own, options),
  createRunner: (options = {}) => runnerOf(own, options),
  cpuBackend: (options = {}) => backendOf(own, options),
});

function evaluatorOf(own: KernelSet, options: CpuBackendOptions): Evaluator {
  checkOptions("createEvaluator", options, DISPATCH);
  const dispatching = dispatchersOf(own, options);
  const maxBytes = memoryLimit("createEvaluator", options.maxBytes);
  let dispatcher: Dispatcher | undefined;
  return (target, args, kwargs, autocast = null) => {
    dispatcher ??= dispatching().dispatcher;
    const used = dispatcher;
    used.autocast = autocast;
    return withMemoryLimit(maxBytes, () => used.call(target, args, kwargs));
  };
}

/** Programs are prepared once for runs with many inputs, and again when operators were added. */
function preparedOnce(): (program: ExportedProgram, operators: OperatorTable) => PreparedProgram {
  const known = new WeakMap<ExportedProgram, { readonly version: number; readonly ready: PreparedProgram }>();
  return (program, operators) => {
    const { version } = operators;
    const before = known.get(program);
    if (before?.version === version) return before.ready;
    refuseOpaque(program.graph, operators);
    const ready = finish(preparationSteps(program, operators));
    refuseConjugateWrites(program.graph, operators);
    known.set(program, { version, ready });
    return ready;
  };
}

function runnerOf(own: KernelSet, options: Omit<CpuBackendOptions, "random">): ProgramRunner {
  checkOptions("createRunner", options, DISPATCH);
  const dispatching = dispatchersOf(own, options);
  const readyFor = preparedOnce();
  const maxBytes = memoryLimit("createRunner", options.maxBytes);
  return (program, inputs, see, { maxIterations = Number.POSITIVE_INFINITY } = {}) => {
    const { operators, dispatcher } = dispatching();
    const ready = readyFor(program, operators);
    const interpreter = new DispatchingInterpreter(program, operators, dispatcher, maxBytes, ready);
    interpreter.see = see;
    interpreter.maxIterations = maxIterations;
    const outputs = interpreter.runSync(inputs);
    return { outputs, state: interpreter.state, iterations: interpreter.iterations };
  };
}

function backendOf(own: KernelSet, options: CpuBackendOptions): Backend {
  checkOptions("cpuBackend", options, DISPATCH);
  const { operators, dispatcher } = dispatcherOf(own, options);
  const maxBytes = memoryLimit("cpuBackend", options.maxBytes);
  const supports = (node: Node): true | Reason => {
    const { op, target } = node;
    const refused = op === "call_function" ? whyNotRun(node) : undefined;
    if (refused !== undefined) return { reason: refused };
    const known = op !== "call_function" || isInterpretedCall(target) || dispatcher.supports(target);
    return known || { reason: noKernel(target).message };
  };
  return {
    name: "cpu",
    leavesTensors: true,
    supports: (node: Node, _graph: Graph) => supports(node),
    describeSupport: (target) => dispatcher.describeSupport(target),
    async compile(program: ExportedProgram, compileOptions: CompileOptions = {}): Promise<Executable> {
      checkOptions("compile", compileOptions, COMPILE_OPTIONS);
      await own.load(callsOf(program, options), operators);
      const work = compileSteps(program, operators, compileOptions);
      const ready = await finishWithPauses(work, "compilation", compileOptions.signal);
      return new DispatchingInterpreter(program, operators, dispatcher, maxBytes, ready);
    },
  };
}

/** Refuses programs that the interpreter does not run, and prepares the others. */
function* compileSteps(
  program: ExportedProgram,
  operators: OperatorTable,
  { exclude, onProgress }: CompileOptions,
): Work<PreparedProgram> {
  const { graph } = program;
  refuseOpaque(graph, operators);
  yield;
  const excluded = exclude && graph.nodes().find(({ target }) => exclude.includes(target));
  if (excluded !== undefined)
    throw excludedCall(excluded.target, decomposes(operators, excluded.target)).at(nodePlace(excluded));
  const progress = new ProgressReport("compile", onProgress, 2);
  progress.at(0, "plan");
  const ready = yield* preparationSteps(program, operators);
  progress.at(1, "check");
  yield* conjugateWriteSteps(graph, operators);
  progress.end();
  return ready;
}

/** Returns what a run of a program calls: operators whose kernels stand aside are decomposed. */
export const callsOf = (program: ExportedProgram, { withoutKernels = [] }: DispatchOptions): Calls =>
  withoutKernels.length > 0 ? "any" : program.graph;
