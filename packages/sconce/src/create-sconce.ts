import {
  firstNonfinite,
  type NonfiniteOptions,
  type NonfiniteReport,
  type RandomSource,
} from "@sconce/backend-cpu";
import { type ByteSource, type ReadPt2Options, readPt2 } from "@sconce/formats";
import {
  type Backend,
  type CompileOptions,
  type Executable,
  type ExportedProgram,
  Graph,
  type Node,
  type ParseIrOptions,
  type Problem,
  type PytreeRegistry,
  parseGraph,
  parseIr,
  requireValues,
  sealProgram,
  type TargetOptions,
  type Value,
} from "@sconce/ir";
import { type OperatorTable, refuseOpaque } from "@sconce/ops";
import {
  askBackend,
  type Bisection,
  type BisectOptions,
  bisect,
  type CustomDecompTable,
  type Decompositions,
  opaqueAssumption,
  type Pass,
  type PassManagerOptions,
  type PipelineItem,
  type Plugin,
  parsePipeline,
  type Rule,
  runDecompositions,
} from "@sconce/passes";
import type { DependencyContainer } from "tsyringe";
import { compileOn } from "./backends/compile.js";
import { noBackend, unknownBackend } from "./backends/known-backends.js";
import { createContainer, isInterpreter, kernelsOf, replacements } from "./container.js";
import { freezeSession } from "./freeze.js";
import { createModule, type ProgramModule } from "./module.js";
import {
  BACKENDS,
  DECOMPOSITIONS,
  LOGGER,
  OPERATORS,
  PASS,
  PASS_MANAGER,
  PLUGINS,
  RULE,
  VERIFIER,
} from "./tokens.js";

export interface SconceOptions {
  readonly plugins?: readonly Plugin[];
  /** Backends besides the interpreter. */
  readonly backends?: readonly Backend[];
  /** Source of random numbers of the interpreter; a Mersenne Twister of seed 0 when left out. */
  readonly random?: RandomSource;
  /** Containers that override services; see the tokens. */
  readonly configure?: (container: DependencyContainer) => void;
}

/** A session: the operators, passes and backends that are known, and what can be done with programs. */
export class Sconce {
  readonly container: DependencyContainer;
  #used = false;

  constructor(container: DependencyContainer) {
    this.container = container;
  }

  /**
   * The first work on a program fixes what the session knows: operators and services that are registered later would
   * reach some of it and not the rest, so they are refused (`REGISTRY_FROZEN`).
   */
  #use(): void {
    if (this.#used) return;
    const { container, operators } = this;
    const logger = container.resolve(LOGGER);
    for (const message of replacements(container.resolve(PLUGINS), operators)) logger.warn(message);
    this.#used = true;
    freezeSession(container, operators);
  }

  get operators(): OperatorTable {
    return this.container.resolve(OPERATORS);
  }

  /** Passes by name. */
  get passes(): ReadonlyMap<string, Pass> {
    return new Map(this.container.resolveAll(PASS).map((pass) => [pass.name, pass]));
  }

  /** Rewrite rules by name: the built-in ones and those of plugins. */
  get rules(): ReadonlyMap<string, Rule> {
    return new Map(this.container.resolveAll(RULE).map((rule) => [rule.name, rule]));
  }

  /** Backends by name; the first, the interpreter `cpu` unless overridden, is the default. */
  get backends(): ReadonlyMap<string, Backend> {
    return new Map(this.container.resolve(BACKENDS).map((backend) => [backend.name, backend]));
  }

  /** Classes registered with pytree that the plugins know, by serialized name. */
  get pytreeTypes(): PytreeRegistry {
    return this.container.resolve(PLUGINS).pytreeTypes;
  }

  /** The plugin that a pass, a rule or a backend comes from; undefined for Sconce's own. */
  ownerOf(part: object): string | undefined {
    return this.container.resolve(PLUGINS).ownerOf(part);
  }

  /**
   * Reads a program that PyTorch saved (`torch.export.save`). Calls of custom operators that the session does not know
   * are kept: the program prints and lowers, and `compile` says what it lacks.
   * @throws SconceError with a code for each kind of damage; nothing in a file is ever run
   */
  load(source: ByteSource, options: ReadPt2Options = {}): Promise<ExportedProgram> {
    this.#use();
    return readPt2(source, { operators: this.operators, pytreeTypes: this.pytreeTypes, ...options });
  }

  /**
   * Reads a program of IR text, what `printIr` writes. Calls of what neither PyTorch nor a plugin has are refused, calls
   * of custom operators that the session does not know are kept.
   * @throws SconceError `IR_SYNTAX`, `UNKNOWN_TARGET` with line and column, `IR_TENSOR`
   */
  parseIr(text: string, options: ParseIrOptions = {}): ExportedProgram {
    return parseIr(text, { ...this.#targets(), ...options });
  }

  /** The same for a graph alone. @throws SconceError `IR_SYNTAX`, `UNKNOWN_TARGET` with line and column */
  parseGraph(text: string, options: TargetOptions = {}): Graph {
    return parseGraph(text, { ...this.#targets(), ...options });
  }

  #targets(): TargetOptions {
    this.#use();
    return { operators: this.operators, dialects: this.container.resolve(PLUGINS).dialects };
  }

  /** A fresh copy of the default decomposition table, the plugins' entries included; it sees operators that come later. */
  defaultDecompositions(): CustomDecompTable {
    return this.container.resolve(DECOMPOSITIONS);
  }

  /** `ExportedProgram.run_decompositions`; see `runDecompositions` for the meaning of the table. */
  runDecompositions(
    program: ExportedProgram,
    table: Decompositions = this.defaultDecompositions(),
  ): ExportedProgram {
    this.#use();
    if (this.container.resolve(PLUGINS).plugins.length > 0) sealProgram(program);
    const assumed = opaqueAssumption(program, this.operators);
    if (assumed !== undefined) this.container.resolve(LOGGER).warn(assumed);
    return runDecompositions(program, table, { operators: this.operators });
  }

  /** Runs passes, given as text (`"decompose,repeat(canonicalize,cse),dce"`) or as values. */
  transform(
    program: ExportedProgram,
    passes: string | readonly (Pass | PipelineItem)[],
    options: PassManagerOptions = {},
  ): ExportedProgram {
    this.#use();
    const calls = typeof passes === "string" ? parsePipeline(passes, this.passes, this) : passes;
    return this.container.resolve(PASS_MANAGER).create(options).run(program, calls);
  }

  /**
   * The first of the passes that changes numbers, throws, or leaves an invalid program; its first wrong rewrite; and a small
   * program that shows it.
   */
  bisect(
    program: ExportedProgram,
    passes: string | readonly (Pass | PipelineItem)[],
    options: BisectOptions = {},
  ): Bisection {
    const calls = typeof passes === "string" ? parsePipeline(passes, this.passes, this) : passes;
    return bisect(program, calls, this.container.resolve(PASS_MANAGER).context(), options);
  }

  /** Every problem that the verifier finds, calls that do not fit their operators' shape rules included; none for a valid program. */
  verify(program: ExportedProgram): readonly Problem[] {
    this.#use();
    return this.container.resolve(VERIFIER).verify(program);
  }

  /**
   * Makes a program ready to run, on the first backend when none is named. The backend is asked for every call first, and what
   * its runs return is compared with the program (`BACKEND_OUTPUT`).
   *
   * @throws SconceError `UNKNOWN_BACKEND`, `OPAQUE_OPERATORS`, `UNSUPPORTED_NODES`, `PLUGIN_FAILED`, `NO_VALUES`
   */
  compile(
    program: ExportedProgram,
    backend?: string | Backend,
    options?: CompileOptions,
  ): Promise<Executable> {
    this.#use();
    const chosen = typeof backend === "object" ? backend : this.#backend(backend);
    requireValues(program);
    const owner = this.container.resolve(PLUGINS).ownerOf(chosen);
    refuseOpaque(
      program.graph,
      this.operators,
      ({ node, graph }) => askBackend(chosen, node, graph, owner) === true,
    );
    return compileOn(chosen, program, options, {
      operators: this.operators,
      plugin: owner,
      isInterpreter: isInterpreter(chosen),
    });
  }

  /** The program as a callable with its original calling convention (`ExportedProgram.module()`). */
  async module(program: ExportedProgram, options: ModuleOptions = {}): Promise<ProgramModule> {
    const executable = await this.compile(program, options.backend);
    return createModule(program, executable, options.types ?? this.pytreeTypes);
  }

  /**
   * Runs a program on the interpreter until the result of a call holds NaN or infinity; reports that call, and inputs and
   * weights that hold such values already.
   *
   * @throws SconceError what a run throws before such a result
   */
  firstNonfinite(
    program: ExportedProgram,
    inputs: readonly Value[],
    options: Omit<NonfiniteOptions, "operators" | "kernels"> = {},
  ): Promise<NonfiniteReport> {
    this.#use();
    const { operators } = this;
    const kernels = kernelsOf(this.container.resolve(PLUGINS), operators);
    return firstNonfinite(program, inputs, { ...options, operators, kernels });
  }

  /** Names of the backends that say they run an operator. */
  backendsFor(target: string): readonly string[] {
    const probe: Node = { name: "probe", op: "call_function", target, args: [], kwargs: {}, meta: {} };
    const graph = new Graph([probe]);
    return [...this.backends.values()]
      .filter((backend) => askBackend(backend, probe, graph, this.ownerOf(backend)) === true)
      .map((backend) => backend.name);
  }

  /** By what each backend runs an operator, by the backend's name; a backend that does not say so only `runs` it. */
  waysToRun(target: string): ReadonlyMap<string, string> {
    const { backends } = this;
    return new Map(
      this.backendsFor(target).map((name) => [name, backends.get(name)?.wayOf?.(target) ?? "runs"]),
    );
  }

  #backend(name?: string): Backend {
    const { backends } = this;
    const backend = name === undefined ? backends.values().next().value : backends.get(name);
    if (backend !== undefined) return backend;
    if (name === undefined) throw noBackend();
    throw unknownBackend(name, backends.keys());
  }
}

export interface ModuleOptions {
  readonly backend?: string | Backend;
  /** How values of registered pytree types look in JavaScript; those of the plugins when left out. */
  readonly types?: PytreeRegistry;
}

/** Opens a session. */
export function createSconce(options: SconceOptions = {}): Sconce {
  const container = createContainer(options);
  options.configure?.(container);
  return new Sconce(container);
}
