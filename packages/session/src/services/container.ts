import {
  createRandomSource,
  hasSessionKernel,
  type KernelTable,
  type RandomSource,
  sessionCpu,
} from "@sconce/backend-cpu";
import {
  checkOptions,
  didYouMean,
  finish,
  isSconceError,
  type OptionNames,
  type SconceError,
  type Work,
} from "@sconce/errors";
import { ATEN, type Backend, type ExportedProgram, type Problem, TRAINING } from "@sconce/ir";
import { decomposes, defaultOperators, memoryLimit, type OperatorTable } from "@sconce/ops";
import {
  builtinPasses,
  builtinRules,
  type CustomDecompTable,
  checkRuleTargets,
  decompositionKeyProblem,
  defaultDecompositions,
  type Evaluator,
  type Pass,
  type PassContext,
  PassManager,
  type PassManagerOptions,
  type Plugin,
  type Rule,
  type SessionBackend,
  verifyCallsSteps,
} from "@sconce/passes";
import { AUTO, WASM } from "../backends/backend-names.js";
import { defaultBackend, ownWasm } from "../backends/default-backend.js";
import { badPlugin } from "../plugins/errors.js";
import { type PluginSet, pluginSet } from "../plugins/plugin-set.js";
import { unknownService } from "./errors.js";
import { type DependencyContainer, instanceCachingFactory, container as root } from "./injection.js";
import type { Override, PassManagers, ServiceOverrides, Services, Verifier } from "./services.js";
import { PLUGINS, SERVICES } from "./tokens.js";

/** What a session is made of. */
export interface SessionOptions {
  readonly plugins?: readonly Plugin[];
  /**
   * Backends besides `auto`, which is the default, `cpu`, the interpreter, and `wasm` with its
   * defaults.
   */
  readonly backends?: readonly Backend[];
  /** Source of random numbers of the interpreter; a Mersenne Twister of seed 0 when left out. */
  readonly random?: RandomSource;
  /** Services in place of the session's own. */
  readonly services?: ServiceOverrides;
  /**
   * Most bytes that the values of a run may take together, on the backends of the session; inputs
   * and weights are not counted. What needs more is refused (`OUT_OF_MEMORY`). 4 GiB when left out.
   */
  readonly maxBytes?: number;
}

const OPTIONS: OptionNames<SessionOptions> = {
  plugins: true,
  backends: true,
  random: true,
  services: true,
  maxBytes: true,
};

/** The parts of a session. */
export interface Session {
  /** Resolved on each read. */
  readonly services: Services;
  readonly plugins: PluginSet;
  /** The built-in passes and those of the plugins, by name. */
  readonly passes: ReadonlyMap<string, Pass>;
  /** The built-in rewrite rules and those of the plugins, by name. */
  readonly rules: ReadonlyMap<string, Rule>;
  /** Most bytes that the values of a run may take. */
  readonly maxBytes: number;
}

/**
 * Composes a session in its own container; nothing is registered on the global one.
 *
 * @throws SconceError `PLUGIN`, `NAME_CLASH`, `UNKNOWN_SERVICE`
 */
export function createSession(options: SessionOptions = {}): Session {
  checkOptions("createSconce", options, OPTIONS);
  const set = pluginSet(options.plugins ?? [], options.backends ?? []);
  const container = root.createChildContainer();
  container.register(PLUGINS, { useValue: set });
  const maxBytes = memoryLimit("createSconce", options.maxBytes);
  const operators = defaultOperators().extend(set.ops);
  const factories = factoriesOf(options, set, operators, maxBytes);
  const overrides = options.services ?? {};
  for (const name of Object.keys(overrides))
    if (!Object.hasOwn(SERVICES, name)) throw unknownService(name, Object.keys(SERVICES));
  for (const name of Object.keys(SERVICES) as (keyof Services)[])
    registerService(container, name, factories, overrides);
  checkRules(set, operators);
  return {
    services: new ContainerServices(container),
    plugins: set,
    passes: passesOf(set),
    rules: rulesOf(set),
    maxBytes,
  };
}

type Factories = { readonly [Name in keyof Services]: (from: DependencyContainer) => Services[Name] };

function registerService<Name extends keyof Services>(
  container: DependencyContainer,
  name: Name,
  factories: Factories,
  overrides: ServiceOverrides,
): void {
  const override = overrides[name];
  const own = factories[name];
  const useFactory = (from: DependencyContainer): Services[Name] =>
    overridden(override as Override<Services[Name]> | undefined, () => own(from));
  const isFresh = name === "decompositions";
  container.register(SERVICES[name], {
    useFactory: isFresh ? useFactory : instanceCachingFactory(useFactory),
  });
}

const overridden = <T extends object>(override: Override<T> | undefined, own: () => T): T => {
  if (override === undefined) return own();
  return typeof override === "function" ? (override as (own: T) => T)(own()) : override;
};

/** The services of a container, each resolved when it is read. */
class ContainerServices implements Services {
  readonly #container: DependencyContainer;

  constructor(container: DependencyContainer) {
    this.#container = container;
  }

  get operators() {
    return this.#container.resolve(SERVICES.operators);
  }
  get backends() {
    return this.#container.resolve(SERVICES.backends);
  }
  get decompositions() {
    return this.#container.resolve(SERVICES.decompositions);
  }
  get evaluator() {
    return this.#container.resolve(SERVICES.evaluator);
  }
  get verifier() {
    return this.#container.resolve(SERVICES.verifier);
  }
  get passManagers() {
    return this.#container.resolve(SERVICES.passManagers);
  }
  get clock() {
    return this.#container.resolve(SERVICES.clock);
  }
  get logger() {
    return this.#container.resolve(SERVICES.logger);
  }
  get random() {
    return this.#container.resolve(SERVICES.random);
  }
}

const byName = <T extends { readonly name: string }>(items: readonly T[]): ReadonlyMap<string, T> =>
  new Map(items.map((item) => [item.name, item]));

const passesOf = ({ plugins }: PluginSet): ReadonlyMap<string, Pass> =>
  byName([...builtinPasses, ...plugins.flatMap((plugin) => plugin.passes ?? [])]);

const rulesOf = ({ plugins }: PluginSet): ReadonlyMap<string, Rule> =>
  byName([...builtinRules, ...plugins.flatMap((plugin) => plugin.rules ?? [])]);

/**
 * @throws SconceError `RULE` with the plugin, for a rule that names an operator that is not there
 */
function checkRules({ plugins, dialects }: PluginSet, operators: OperatorTable): void {
  for (const { name, rules = [] } of plugins)
    for (const rule of rules) {
      const label = `rule "${rule.name}" of plugin "${name}"`;
      try {
        checkRuleTargets(label, rule, operators, dialects);
      } catch (error) {
        if (isSconceError(error)) throw error;
        throw badPlugin(
          `plugin "${name}"`,
          `has a rule "${rule.name}" whose patterns cannot be read`,
          "make rules with defineRule",
          error,
        );
      }
    }
}

/** Returns the session's own services. */
function factoriesOf(
  { backends = [], random }: SessionOptions,
  set: PluginSet,
  operators: OperatorTable,
  maxBytes: number,
): Factories {
  const kernels = kernelsOf(set, operators);
  const dialects = byName([TRAINING, ATEN, ...set.dialects.values()]);
  return {
    operators: () => operators,
    clock: () => performance,
    logger: () => ({ warn: (message) => console.warn(message) }),
    random: () => random ?? createRandomSource(0),
    backends: (from) => sessionBackends(from, kernels, backends, maxBytes),
    decompositions: (from) => tableWith(from.resolve(SERVICES.operators), set),
    evaluator: (from) => {
      const options = { operators: from.resolve(SERVICES.operators), kernels, maxBytes };
      return {
        evaluate: sessionCpu.createEvaluator(options) as Evaluator,
        run: sessionCpu.createRunner(options),
      };
    },
    verifier: (from) => {
      const operators = from.resolve(SERVICES.operators);
      return sessionVerifier((program, before) => verifyCallsSteps(program, { operators, dialects, before }));
    },
    passManagers: (from) => passManagers(from, maxBytes),
  };
}

type VerifierSteps = (program: ExportedProgram, before?: ExportedProgram) => Work<readonly Problem[]>;

/** Verifiers of sessions that can pause; what replaces or wraps one cannot. */
const verifierSteps = new WeakMap<Verifier, VerifierSteps>();

function sessionVerifier(steps: VerifierSteps): Verifier {
  const verifier: Verifier = { verify: (program, before) => finish(steps(program, before)) };
  verifierSteps.set(verifier, steps);
  return verifier;
}

const interpreters = new WeakSet<Backend>();
const defaults = new WeakSet<Backend>();

/** True for the interpreter of a session. */
export const isInterpreter = (backend: Backend): boolean => interpreters.has(backend);
/** True for the backends that every session makes: the interpreter, `auto` and `wasm`. */
export const isOwnBackend = (backend: Backend): boolean => isInterpreter(backend) || defaults.has(backend);

/**
 * Returns the default, the interpreter, `wasm`, and the backends that were given; the interpreter
 * is their host. Given backends take the place of those of the same name.
 */
function sessionBackends(
  from: DependencyContainer,
  kernels: KernelTable,
  given: readonly Backend[],
  maxBytes: number,
): readonly Backend[] {
  const operators = from.resolve(SERVICES.operators);
  const host = sessionCpu.cpuBackend({ operators, kernels, random: from.resolve(SERVICES.random), maxBytes });
  interpreters.add(host);
  const set = from.resolve(PLUGINS);
  const context = (): PassContext => from.resolve(SERVICES.passManagers).context();
  const further = [...given, ...set.plugins.flatMap((plugin) => plugin.backends ?? [])].map((backend) =>
    isSessionBackend(backend) ? backend.inSession(context(), host) : backend,
  );
  const whyHost = (program: ExportedProgram): string | undefined => ownKernel(program, set, operators);
  const automatic = further.find(({ name }) => name === AUTO) ?? defaultBackend({ host, context, whyHost });
  defaults.add(automatic);
  const own = further.some(({ name }) => name === WASM) ? [] : [ownWasm({ host, context })];
  for (const backend of own) defaults.add(backend);
  return [automatic, host, ...own, ...further.filter((backend) => backend !== automatic)];
}

/**
 * Returns why the interpreter has to run a program: a plugin has a kernel for a call that has loops
 * too.
 */
function ownKernel(
  program: ExportedProgram,
  { kernels }: PluginSet,
  operators: OperatorTable,
): string | undefined {
  if (kernels.length === 0) return undefined;
  const calls = program.opHistogram();
  const found = kernels.find(
    ([target]) => calls.has(target) && (hasSessionKernel(target) || decomposes(operators, target)),
  );
  return found && `plugin "${found[2]}" has a kernel for ${found[0]}, which the interpreter runs`;
}

const isSessionBackend = (backend: Backend): backend is SessionBackend =>
  typeof (backend as Partial<SessionBackend>).inSession === "function";

function passManagers(from: DependencyContainer, maxBytes: number): PassManagers {
  const set = from.resolve(PLUGINS);
  const rules = rulesOf(set);
  const context = (): PassContext => ({
    operators: from.resolve(SERVICES.operators),
    ...from.resolve(SERVICES.evaluator),
    decompositions: () => from.resolve(SERVICES.decompositions),
    rules,
    backends: () => byName(from.resolve(SERVICES.backends)),
    verify: (program, before) => {
      const verifier = from.resolve(SERVICES.verifier);
      const steps = verifierSteps.get(verifier);
      return steps === undefined ? verifier.verify(program, before) : steps(program, before);
    },
    clock: from.resolve(SERVICES.clock),
    maxBytes,
    ownerOf: set.plugins.length > 0 ? set.ownerOf : undefined,
    warn: (message) => from.resolve(SERVICES.logger).warn(message),
  });
  return { context, create: (options?: PassManagerOptions) => new PassManager(context(), options) };
}

/** @throws SconceError `PLUGIN` for a kernel of no operator */
export function kernelsOf({ kernels }: PluginSet, operators: OperatorTable): KernelTable {
  for (const [target, , plugin] of kernels)
    if (operators.get(target) === undefined) throw unknownTarget(plugin, target, operators);
  return Object.fromEntries(kernels) as KernelTable;
}

function tableWith(operators: OperatorTable, plugins: PluginSet): CustomDecompTable {
  const table = defaultDecompositions(operators);
  checkDecompositions(plugins, operators);
  for (const [target, entry] of plugins.decompositions) table.set(target, entry);
  return table;
}

/** @throws SconceError `PLUGIN` for a decomposition of what no call has */
export function checkDecompositions({ decompositions }: PluginSet, operators: OperatorTable): void {
  for (const [target, entry, plugin] of decompositions) {
    // An entry that no call has would never run.
    const problem = decompositionKeyProblem(target, entry, operators);
    if (problem !== undefined)
      throw badPlugin(
        `plugin "${plugin}"`,
        `has a decomposition of ${target}, which ${problem.message}`,
        problem.fix,
      );
  }
}

const unknownTarget = (plugin: string, target: string, operators: OperatorTable): SconceError =>
  badPlugin(
    `plugin "${plugin}"`,
    `has a kernel for ${target}, which is not an operator`,
    didYouMean(
      target,
      Array.from(operators, (row) => row.target),
      "write the overload out (aten.relu.default), or define the operator under `ops`",
    ),
  );

/** Returns what of Sconce's own the plugins replace: allowed, and worth a warning. */
export function replacements({ kernels, decompositions }: PluginSet, operators: OperatorTable): string[] {
  if (kernels.length + decompositions.length === 0) return [];
  const table = defaultDecompositions(operators);
  return [
    ...kernels
      .filter(([target]) => hasSessionKernel(target))
      .map(([target, , plugin]) => `plugin "${plugin}" replaces the kernel of ${target}`),
    ...decompositions
      .filter(([target]) => table.has(target))
      .map(([target, , plugin]) => `plugin "${plugin}" replaces the decomposition of ${target}`),
  ];
}
