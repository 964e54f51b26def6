/** @file What a session is made of. */
import { loadSessionKernels } from "@sconce/backend-cpu";
import {
  type Backend,
  type ExportedProgram,
  GraphBuilder,
  type Node,
  type PytreeRegistry,
  requireProgram,
  type TargetOptions,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { askBackend, BISECTION, CHECKER, type CustomDecompTable, type Pass, type Rule } from "@sconce/passes";
import { noBackend, unknownBackend } from "./backends/errors.js";
import { type BackendMemory, LiveExecutables } from "./backends/live-executables.js";
import { type KnownRule, knownRules } from "./explain.js";
import type { PluginSet } from "./plugins/plugin-set.js";
import {
  checkDecompositions,
  isInterpreter,
  isOwnBackend,
  replacements,
  type Session,
} from "./services/container.js";
import type { Services } from "./services/services.js";

/** Services, operators, passes, rules and backends of a session. */
export class SessionParts {
  /** The services, those that replace the session's own included. */
  readonly services: Services;
  /** Passes by name: the built-in ones and those of plugins. */
  readonly passes: ReadonlyMap<string, Pass>;
  /** Rewrite rules by name: the built-in ones and those of plugins. */
  readonly rules: ReadonlyMap<string, Rule>;
  protected readonly plugins: PluginSet;
  protected readonly maxBytes: number;
  protected readonly live = new LiveExecutables();
  #used = false;

  /** See `createSconce`. */
  constructor({ services, plugins, passes, rules, maxBytes }: Session) {
    this.maxBytes = maxBytes;
    this.services = services;
    this.passes = passes;
    this.rules = rules;
    this.plugins = plugins;
  }

  /**
   * The first work on a program fixes the operators of the session: an operator that is registered
   * later would reach some of the work and not the rest, so it is refused (`REGISTRY_FROZEN`).
   */
  protected use(call?: string, program?: ExportedProgram): void {
    if (call !== undefined) requireProgram(program, call);
    if (this.#used) return;
    const { operators } = this;
    const { logger } = this.services;
    checkDecompositions(this.plugins, operators);
    for (const message of replacements(this.plugins, operators)) logger.warn(message);
    this.#used = true;
    operators.freeze(
      "the operators cannot be added: the session was used already, and they would reach some of its work and not the rest",
      "register operators before the first load, transform, compile or verify, or give them to createSconce in a plugin",
    );
  }

  /** The operators of the session, those of its plugins included. */
  get operators(): OperatorTable {
    return this.services.operators;
  }

  /**
   * Backends by name; the first is the default: `auto` unless overridden, which is `wasm` where it
   * runs. The interpreter is `cpu`.
   */
  get backends(): ReadonlyMap<string, Backend> {
    return new Map(this.services.backends.map((backend) => [backend.name, backend]));
  }

  /** Classes registered with pytree that the plugins know, by serialized name. */
  get pytreeTypes(): PytreeRegistry {
    return this.plugins.pytreeTypes;
  }

  /** Returns the plugin that a pass, a rule or a backend comes from; undefined for Sconce's own. */
  ownerOf(part: object): string | undefined {
    return this.plugins.ownerOf(part);
  }

  /**
   * All rules: those of {@link rules}, and those that only a pass applies, such as a `rulePass`.
   */
  get knownRules(): readonly KnownRule[] {
    return knownRules(this);
  }

  /**
   * Returns the memory that the compiled programs of the session hold now, by the name of the
   * backend: those that were disposed of do not count.
   */
  memory(): ReadonlyMap<string, BackendMemory> {
    return this.live.memory(this.backends.keys());
  }

  /**
   * Names of the backends that say they run an operator, without the session's own `auto` and
   * `wasm`, which run what the interpreter runs.
   */
  backendsFor(target: string): readonly string[] {
    const probe: Node = { name: "probe", op: "call_function", target, args: [], kwargs: {}, meta: {} };
    const graph = new GraphBuilder({ unknownTargets: "allow" }).addAll([probe]).build();
    return [...this.backends.values()]
      .filter((backend) => isInterpreter(backend) || !isOwnBackend(backend))
      .filter((backend) => askBackend(backend, probe, graph, this.ownerOf(backend)) === true)
      .map((backend) => backend.name);
  }

  /**
   * Returns how each backend that supports an operator executes it, by the backend's name. The text
   * is `runs` for a backend without `describeSupport`.
   */
  describeSupport(target: string): ReadonlyMap<string, string> {
    const { backends } = this;
    return new Map(
      this.backendsFor(target).map((name) => [name, backends.get(name)?.describeSupport?.(target) ?? "runs"]),
    );
  }

  /**
   * Returns the backend of a name, or the default one.
   * @throws SconceError `UNKNOWN_BACKEND` with the names that the session has
   */
  backend(name?: string): Backend {
    const { backends } = this;
    const backend = name === undefined ? backends.values().next().value : backends.get(name);
    if (backend !== undefined) return backend;
    if (name === undefined) throw noBackend();
    throw unknownBackend(name, backends.keys());
  }

  /**
   * Loads what a page leaves out until it is needed: the kernels that are not used by most
   * programs, and what checks passes. Node has all of it. `load`, `compile`, `transformAsync` and
   * `bisectAsync` load what they need. Wait for this before `transform` folds constants of a
   * program of another origin, before `transform` with `check`, and before `bisect`.
   *
   * @throws SconceError `PART_NOT_LOADED` when a module cannot be loaded
   */
  async prepare(): Promise<void> {
    await Promise.all([loadSessionKernels("any", this.operators), CHECKER.load(), BISECTION.load()]);
  }

  /** Returns the operators and dialects that text may name. */
  protected targets(): TargetOptions {
    this.use();
    return { operators: this.operators, dialects: this.plugins.dialects };
  }

  /**
   * Returns a fresh copy of the default decomposition table, the plugins' entries included; it sees
   * operators that come later.
   */
  defaultDecompositions(): CustomDecompTable {
    return this.services.decompositions;
  }
}
