import {
  loadSessionKernels,
  type NonfiniteOptions,
  type NonfiniteReport,
  requireSessionKernels,
  sessionNonfinite,
} from "@sconce/backend-cpu";
import {
  checkOptions,
  finish,
  finishWithPauses,
  LONG_WORK,
  type LongWorkOptions,
  latePart,
  ProgressReport,
  userCallback,
  type Work,
} from "@sconce/errors";
import {
  type Backend,
  type CompileOptions,
  type Executable,
  type ExportedProgram,
  type Graph,
  type Problem,
  requireValues,
  sealProgram,
  type Value,
} from "@sconce/ir";
import { loadValues } from "@sconce/ir/load-values";
import {
  PARSE_GRAPH_OPTIONS,
  PARSE_IR_OPTIONS,
  type ParseGraphOptions,
  type ParseIrOptions,
  parseGraph,
  parseIr,
} from "@sconce/ir/text";
import { callingConvention, refuseOpaque } from "@sconce/ops";
import {
  askBackend,
  BISECTION,
  type Bisection,
  type BisectOptions,
  type Decompositions,
  decompositionSteps,
  opaqueAssumption,
  type Pass,
  type PassManagerOptions,
  type PipelineItem,
  parsePipeline,
  pipelineItems,
  printPipeline,
  type Rule,
} from "@sconce/passes";
import { compileOn } from "./backends/compile.js";
import { compileFailure, requireBackend } from "./backends/errors.js";
import { bisectOptions } from "./bisect-options.js";
import { createModule, type ProgramModule } from "./calls/module.js";
import type { BackendComparison, CompareBackendsOptions } from "./compare/compare-backends.js";
import { requireWorker } from "./errors.js";
import { type ExplainedAttempt, explain } from "./explain.js";
import {
  createSession,
  isInterpreter,
  isOwnBackend,
  kernelsOf,
  type SessionOptions,
} from "./services/container.js";
import { SessionFiles } from "./session-files.js";
import {
  BISECT_ASYNC,
  type BisectAsyncOptions,
  MODULE_OPTIONS,
  type ModuleOptions,
  NONFINITE,
  TRANSFORM_ASYNC,
  type TransformAsyncOptions,
} from "./session-options.js";
import type { WorkerLike } from "./worker/port.js";
import type { TransformInWorkerOptions } from "./worker/transform-in-worker.js";
import type { WorkerBackend } from "./worker/worker-backend.js";

/** What a session is made of; see {@link SessionOptions}. */
export type SconceOptions = SessionOptions;

const COMPARISON = latePart(
  "the module that compares backends",
  () => import("./compare/compare-backends.js"),
);
const PASS_WORKER = latePart(
  "the module that runs passes in workers",
  () => import("./worker/transform-in-worker.js"),
);
const BACKEND_WORKER = latePart(
  "the module that runs backends in workers",
  () => import("./worker/worker-backend.js"),
);

/**
 * A session: the operators, passes and backends that are known, and what can be done with programs.
 */
export class Sconce extends SessionFiles {
  /**
   * Reads a program of IR text, what `printIr` writes. Calls of what neither PyTorch nor a plugin
   * has are refused, calls of custom operators that the session does not know are kept.
   * @throws SconceError `IR_SYNTAX`, `UNKNOWN_TARGET` with line and column, `IR_TENSOR`
   */
  parseIr(text: string, options: ParseIrOptions = {}): ExportedProgram {
    checkOptions("parseIr", options, PARSE_IR_OPTIONS);
    return parseIr(text, { ...this.targets(), ...options });
  }

  /**
   * Returns the same for a graph alone. @throws SconceError `IR_SYNTAX`, `UNKNOWN_TARGET` with line
   * and column
   */
  parseGraph(text: string, options: ParseGraphOptions = {}): Graph {
    checkOptions("parseGraph", options, PARSE_GRAPH_OPTIONS);
    return parseGraph(text, { ...this.targets(), ...options });
  }

  /**
   * `ExportedProgram.run_decompositions`; see `runDecompositions` for the meaning of the table. It
   * takes no options: {@link runDecompositionsAsync} does.
   *
   * @throws SconceError `UNKNOWN_OPTION` for options
   */
  runDecompositions(
    program: ExportedProgram,
    table: Decompositions = this.defaultDecompositions(),
    options: Readonly<Record<string, never>> = {},
  ): ExportedProgram {
    checkOptions("runDecompositions", options, {});
    return finish(this.#lowering("runDecompositions", program, table));
  }

  #lowering(call: string, program: ExportedProgram, table: Decompositions): Work<ExportedProgram> {
    this.use(call, program);
    if (this.plugins.plugins.length > 0) sealProgram(program);
    const assumed = opaqueAssumption(program, this.operators);
    if (assumed !== undefined) this.services.logger.warn(assumed);
    return decompositionSteps(program, table, { operators: this.operators });
  }

  /** Passes that are given as text or as values. */
  #pipeline(passes: string | readonly (Pass | PipelineItem)[]): readonly PipelineItem[] {
    return typeof passes === "string" ? parsePipeline(passes, this.passes, this) : pipelineItems(passes);
  }

  /** Runs passes, given as text (`"decompose,repeat(canonicalize,cse),dce"`) or as values. */
  transform(
    program: ExportedProgram,
    passes: string | readonly (Pass | PipelineItem)[],
    options: PassManagerOptions = {},
  ): ExportedProgram {
    this.use("transform", program);
    const calls = this.#pipeline(passes);
    const manager = this.services.passManagers.create(options);
    if (options.check) requireSessionKernels("any", this.operators);
    return manager.run(program, calls);
  }

  /**
   * As {@link transform}, for programs on which passes take long: lets the event loop in between
   * passes and within the built-in ones, reports progress, and stops when the signal is raised.
   * Nothing of the work is left behind then: programs are never changed.
   *
   * @throws SconceError as {@link transform}; `ABORTED` with the reason of the signal as cause;
   * `OBSERVER_FAILED` for an error of `onProgress`
   */
  async transformAsync(
    program: ExportedProgram,
    passes: string | readonly (Pass | PipelineItem)[],
    options: TransformAsyncOptions = {},
  ): Promise<ExportedProgram> {
    checkOptions("transformAsync", options, TRANSFORM_ASYNC);
    this.use("transformAsync", program);
    const { signal, onProgress, ...managing } = options;
    const calls = this.#pipeline(passes);
    // Passes may make calls that the program does not have.
    await (managing.check ? this.prepare() : loadSessionKernels("any", this.operators));
    if (managing.check || calls.some(readsValues)) await loadValues(program, { signal });
    return this.services.passManagers.create(managing).runAsync(program, calls, { signal, onProgress });
  }

  /**
   * As {@link runDecompositions}, with pauses: see {@link transformAsync}. Progress counts one
   * step.
   *
   * @throws SconceError as {@link runDecompositions}, `ABORTED`
   */
  async runDecompositionsAsync(
    program: ExportedProgram,
    table: Decompositions = this.defaultDecompositions(),
    options: LongWorkOptions = {},
  ): Promise<ExportedProgram> {
    checkOptions("runDecompositionsAsync", options, LONG_WORK);
    const work = this.#lowering("runDecompositionsAsync", program, table);
    const report = userCallback("runDecompositionsAsync", options.onProgress);
    const progress = new ProgressReport("transform", report, 1);
    progress.at(0, "runDecompositions");
    const lowered = await finishWithPauses(work, "transformation", options.signal);
    progress.end();
    return lowered;
  }

  /**
   * As {@link transformAsync}, in a worker of the session's plugins: a pass that does not end, or
   * takes too much memory, ends its worker and not this thread. The passes are those of the worker,
   * by name; this session needs their operators and dialects, and not their code. Steps, history
   * and observers are as without a worker. Observers see a pass that only the worker has without
   * its options. Values of tensors are copied when a pass may read them.
   *
   * @throws SconceError `PASS_TIMEOUT`, `PASS_MEMORY`, `PASS_WORKER`, `PART_NOT_LOADED`, and as
   * {@link transformAsync}; errors of passes come with their code, texts and causes, but as a plain
   * `SconceError`
   */
  async transformInWorker(
    program: ExportedProgram,
    passes: string | readonly (Pass | PipelineItem)[],
    options: TransformInWorkerOptions,
  ): Promise<ExportedProgram> {
    const { checkWorkerOptions, transformInWorker } = await PASS_WORKER.load();
    checkWorkerOptions(options);
    this.use("transformInWorker", program);
    const text = typeof passes === "string" ? passes : printPipeline(pipelineItems(passes));
    const { verifier, logger } = this.services;
    return transformInWorker(program, text, options, {
      passes: this.passes,
      verify: (result) => verifier.verify(result),
      warn: (message) => logger.warn(message),
      requireWorker,
    });
  }

  /**
   * Returns the first of the passes that changes numbers, throws, or leaves an invalid program; its
   * first wrong rewrite; and a small program that shows it.
   */
  bisect(
    program: ExportedProgram,
    passes: string | readonly (Pass | PipelineItem)[],
    options: BisectOptions = {},
  ): Bisection {
    this.use("bisect", program);
    requireSessionKernels("any", this.operators);
    const checked = bisectOptions("bisect", options);
    const steps = BISECTION.require();
    return finish(steps(program, this.#pipeline(passes), this.services.passManagers.context(), checked));
  }

  /**
   * As {@link bisect}, with pauses: see {@link transformAsync}. Progress counts the programs that
   * were tried, of which there may be fewer than the total.
   *
   * @throws SconceError as {@link bisect}, `ABORTED`, `OBSERVER_FAILED`
   */
  async bisectAsync(
    program: ExportedProgram,
    passes: string | readonly (Pass | PipelineItem)[],
    options: BisectAsyncOptions = {},
  ): Promise<Bisection> {
    checkOptions("bisectAsync", options, BISECT_ASYNC);
    const { signal, ...bisecting } = options;
    const checked = bisectOptions("bisectAsync", bisecting);
    this.use("bisectAsync", program);
    const calls = this.#pipeline(passes);
    await Promise.all([this.prepare(), loadValues(program, { signal })]);
    const session = this.services.passManagers.context();
    const work = BISECTION.require()(program, calls, session, checked);
    return finishWithPauses(work, "bisection", signal);
  }

  /**
   * Returns where rules fire in a program, and where they nearly do, with the reason.
   *
   * @param rules names of rules, also of those that only a pass applies; rules; and passes, which
   * represent the rules that they declare. All known rules when left out
   * @throws SconceError `UNKNOWN_RULE`
   */
  explain(program: ExportedProgram, rules?: readonly (string | Rule | Pass)[]): ExplainedAttempt[] {
    this.use("explain", program);
    return explain(program, rules, this);
  }

  /**
   * Returns every problem that the verifier finds, calls that do not fit their operators' shape
   * rules included; none for a valid program. The session gives the operators and dialects, so it
   * takes no options.
   *
   * @throws SconceError `UNKNOWN_OPTION` for options
   */
  verify(program: ExportedProgram, options: Readonly<Record<string, never>> = {}): readonly Problem[] {
    checkOptions("verify", options, {});
    this.use("verify", program);
    return this.services.verifier.verify(program);
  }

  /**
   * Makes a program ready to run, on the first backend when none is named. The backend is asked for
   * every call first, and what its runs return is compared with the program (`BACKEND_OUTPUT`).
   *
   * @throws SconceError `UNKNOWN_BACKEND`, `INVALID_ARGUMENT`, `OPAQUE_OPERATORS`,
   * `UNSUPPORTED_NODES`, `PLUGIN_FAILED`, `NO_VALUES`, `INVALID_PROGRAM` where a backend breaks on
   * an invalid program
   */
  compile(
    program: ExportedProgram,
    backend?: string | Backend,
    options?: CompileOptions,
  ): Promise<Executable> {
    this.use("compile", program);
    const chosen = typeof backend === "object" ? backend : this.backend(backend);
    requireBackend(chosen);
    requireValues(program);
    const owner = this.plugins.ownerOf(chosen);
    const explained = (error: unknown): unknown =>
      compileFailure(error, () => this.services.verifier.verify(program));
    try {
      refuseOpaque(
        program.graph,
        this.operators,
        ({ node, graph }) => askBackend(chosen, node, graph, owner) === true,
      );
    } catch (error) {
      throw explained(error);
    }
    const compiled = async (): Promise<Executable> => {
      await loadValues(program, { signal: options?.signal });
      await loadSessionKernels(program.graph, this.operators);
      return compileOn(chosen, program, options, {
        operators: this.operators,
        plugin: owner,
        isInterpreter: isInterpreter(chosen),
        isOwn: isOwnBackend(chosen),
        maxBytes: this.maxBytes,
        live: this.live,
      });
    };
    return compiled().catch((error: unknown) => {
      throw explained(error);
    });
  }

  /**
   * Returns the program as a callable with its original calling convention
   * (`ExportedProgram.module()`).
   */
  async module(program: ExportedProgram, options: ModuleOptions = {}): Promise<ProgramModule> {
    checkOptions("module", options, MODULE_OPTIONS);
    const { backend, types = this.pytreeTypes, ...compile } = options;
    this.use("module", program);
    callingConvention(program);
    const executable = await this.compile(program, backend, compile);
    return createModule(program, executable, types);
  }

  /**
   * Runs a program on the interpreter until the result of a call holds NaN or infinity; reports
   * that call, and inputs and weights that hold such values already.
   *
   * @throws SconceError what a run throws before such a result
   */
  firstNonfinite(
    program: ExportedProgram,
    inputs: readonly Value[],
    options: Omit<NonfiniteOptions, "operators" | "kernels"> = {},
  ): Promise<NonfiniteReport> {
    checkOptions("firstNonfinite", options, NONFINITE);
    this.use("firstNonfinite", program);
    const { operators } = this;
    const kernels = kernelsOf(this.plugins, operators);
    const maxBytes = options.maxBytes ?? this.maxBytes;
    const run = { ...options, operators, kernels, maxBytes };
    return loadValues(program, { signal: options.signal }).then(() => sessionNonfinite(program, inputs, run));
  }

  /**
   * Runs a program on two backends and compares the values of all its nodes; the first backend is
   * the expected one. Programs that are not functional are functionalized first. Values inside of
   * nested graphs are compared where they leave them. Random numbers of the session start again
   * from a seed in each run.
   *
   * @throws SconceError what `compile` and a run throw
   */
  compareBackends(
    program: ExportedProgram,
    inputs: readonly Value[],
    backends: readonly [string | Backend, string | Backend],
    options: CompareBackendsOptions = {},
  ): Promise<BackendComparison> {
    this.use("compareBackends", program);
    const [first, second] = backends.map((one) => (typeof one === "object" ? one : this.backend(one)));
    const session = {
      operators: this.operators,
      compile: (part: ExportedProgram, backend: Backend, how: CompileOptions) =>
        this.compile(part, backend, how),
      seed: (seed: number) => this.services.random.seed(seed),
    };
    return COMPARISON.load().then(({ compareBackends }) =>
      compareBackends(program, inputs, [first!, second!], session, options),
    );
  }

  /**
   * Returns a backend that compiles and runs programs in a worker: the page stays responsive,
   * whatever the backend. The script of the worker calls `serveSession` with a session;
   * `backendWorker` of `sconce/node` starts one for Sconce's own backends. Tensors are copied once
   * on their way there, and transferred back. Signals and progress work as without a worker. A
   * program goes there as a `.pt2` file, so the session there has to know its operators.
   *
   * @param worker of a page or of Node; it ends with `dispose()` of the backend
   * @param backend the name of a backend of the session there; by default its first
   * @throws SconceError `INVALID_ARGUMENT`, `PART_NOT_LOADED`
   */
  worker(worker: WorkerLike, backend?: string): Promise<WorkerBackend> {
    requireWorker(worker);
    this.use();
    const { operators } = this;
    return BACKEND_WORKER.load().then(({ workerBackend }) =>
      workerBackend(worker, backend, {
        operators,
        save: (program, signal) => this.save(program, { signal }),
      }),
    );
  }
}

/** Returns whether an item of a pipeline has a pass that reads values of the program's state. */
const readsValues = (item: PipelineItem): boolean =>
  "repeat" in item ? item.repeat.some(readsValues) : item.pass.readsValues === true;

/**
 * Opens a session.
 * @throws SconceError `PLUGIN`, `NAME_CLASH`, `UNKNOWN_SERVICE`
 */
export const createSconce = (options: SconceOptions = {}): Sconce => new Sconce(createSession(options));
