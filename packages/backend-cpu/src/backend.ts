import type {
  Backend,
  CompileOptions,
  Executable,
  ExportedProgram,
  Graph,
  Node,
  ProgramRunner,
  Reason,
} from "@sconce/ir";
import { decomposes, defaultOperators, isScalarFunction, type OperatorTable } from "@sconce/ops";
import { HIGHER_ORDER } from "./control-flow.js";
import { type CallKwargs, Dispatcher } from "./dispatch.js";
import { excludedCall, noKernel } from "./errors.js";
import { CpuExecutable } from "./executable.js";
import type { AnyKernel, CallArgument, KernelTable, RandomSource, RuntimeValue } from "./kernel.js";
import { createRandomSource } from "./kernels/random-source.js";
import { CPU_KERNELS } from "./kernels.js";
import { CPU_REFUSALS } from "./refusals.js";

/** Options of {@link cpuBackend}. */
export interface CpuBackendOptions {
  /** Operators that programs may use; Sconce's own when left out. */
  readonly operators?: OperatorTable;
  /** Further kernels, of custom operators or in place of built-in ones. */
  readonly kernels?: KernelTable;
  /** Operators whose kernels stand aside, so that their decompositions run: for comparing the two. */
  readonly withoutKernels?: readonly string[];
  /** Source of random numbers; a generator of seed 0 when left out. */
  readonly random?: RandomSource;
}

/** Runs one operator on values, as constant folding needs it. */
export type Evaluator = (target: string, args: readonly CallArgument[], kwargs?: CallKwargs) => RuntimeValue;

function dispatcherOf(options: CpuBackendOptions): Dispatcher {
  const { operators = defaultOperators(), kernels = {}, withoutKernels = [] } = options;
  const table: Record<string, AnyKernel> = { ...CPU_KERNELS, ...kernels };
  for (const target of withoutKernels) delete table[target];
  const refusals = new Map(CPU_REFUSALS);
  for (const target in kernels) refusals.delete(target);
  const random = options.random ?? createRandomSource(0);
  return new Dispatcher({ operators, random, kernels: table, refusals });
}

/** An evaluator with its own random generator. */
export function createEvaluator(options: CpuBackendOptions = {}): Evaluator {
  const dispatcher = dispatcherOf(options);
  return (target, args, kwargs) => dispatcher.call(target, args, kwargs);
}

/** Runs whole programs on the interpreter, each with the same random numbers: what differential checks run. */
export function createRunner(options: Omit<CpuBackendOptions, "random"> = {}): ProgramRunner {
  const operators = options.operators ?? defaultOperators();
  return (program, inputs, see) => {
    const executable = new CpuExecutable(program, operators, dispatcherOf({ ...options, operators }));
    return { outputs: executable.runSync(inputs, see), state: executable.state };
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

/** The reference interpreter: every operator by a kernel of its own or by its decomposition. */
export function cpuBackend(options: CpuBackendOptions = {}): Backend {
  const operators = options.operators ?? defaultOperators();
  const dispatcher = dispatcherOf({ ...options, operators });
  const supports = (node: Node): true | Reason => {
    const { op, target } = node;
    const known =
      op !== "call_function" ||
      target === "operator.getitem" ||
      isScalarFunction(target) ||
      HIGHER_ORDER.has(target) ||
      target.startsWith("torch.") ||
      dispatcher.supports(target);
    return known || { reason: noKernel(target).message };
  };
  return {
    name: "cpu",
    supports: (node: Node, _graph: Graph) => supports(node),
    wayOf: (target) => dispatcher.wayOf(target),
    async compile(program: ExportedProgram, compileOptions: CompileOptions = {}): Promise<Executable> {
      for (const node of program.graph.nodes()) {
        if (compileOptions.exclude?.includes(node.target))
          throw excludedCall(node.target, decomposes(operators, node.target)).at(`node "${node.name}"`);
      }
      return new CpuExecutable(program, operators, dispatcher);
    },
  };
}
