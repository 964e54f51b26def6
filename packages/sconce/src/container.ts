import "./reflect.js";
import {
  CPU_KERNELS,
  cpuBackend,
  createEvaluator,
  createRandomSource,
  createRunner,
  type KernelTable,
} from "@sconce/backend-cpu";
import type { SconceError } from "@sconce/errors";
import { ATEN, type Backend, TRAINING } from "@sconce/ir";
import { defaultOperators, type OperatorTable } from "@sconce/ops";
import {
  builtinPasses,
  builtinRules,
  type CustomDecompTable,
  decompositionKeyProblem,
  defaultDecompositions,
  type Evaluator,
  type PassContext,
  PassManager,
  type PassManagerOptions,
  type SessionBackend,
  verifyCalls,
} from "@sconce/passes";
import { type DependencyContainer, instanceCachingFactory, container as root } from "tsyringe";
import type { SconceOptions } from "./create-sconce.js";
import { type PluginSet, pluginSet } from "./plugin-set.js";
import { badPlugin } from "./plugin-shape.js";
import {
  BACKEND,
  BACKENDS,
  CLOCK,
  DECOMPOSITIONS,
  DIALECT,
  EVALUATOR,
  LOGGER,
  OPERATORS,
  PASS,
  PASS_MANAGER,
  type PassManagers,
  PLUGINS,
  RANDOM,
  RULE,
  VERIFIER,
} from "./tokens.js";

/**
 * Builds a container of its own for one session; the global one is never registered on.
 *
 * @throws SconceError `PLUGIN`, `NAME_CLASH`
 */
export function createContainer(options: SconceOptions = {}): DependencyContainer {
  const { plugins = [], backends = [], random } = options;
  const set = pluginSet(plugins, backends);
  const container = root.createChildContainer();
  const operators = defaultOperators().extend(set.ops);
  container.register(OPERATORS, { useValue: operators });
  container.register(PLUGINS, { useValue: set });
  container.register(CLOCK, { useValue: performance });
  container.register(RANDOM, { useFactory: instanceCachingFactory(() => random ?? createRandomSource(0)) });
  container.register(LOGGER, { useValue: { warn: () => {} } });
  registerParts(container, set);
  registerRunning(container, backends, set, kernelsOf(set, operators));
  container.register(DECOMPOSITIONS, { useFactory: (from) => tableWith(from.resolve(OPERATORS), set) });
  container.register(VERIFIER, {
    useFactory: (from) => {
      const dialects = new Map(from.resolveAll(DIALECT).map((rules) => [rules.name, rules]));
      const operators = from.resolve(OPERATORS);
      return { verify: (program, before) => verifyCalls(program, { operators, dialects, before }) };
    },
  });
  container.register(PASS_MANAGER, { useFactory: passManagers });
  return container;
}

function registerParts(container: DependencyContainer, { plugins, dialects }: PluginSet): void {
  const passes = [...builtinPasses, ...plugins.flatMap((plugin) => plugin.passes ?? [])];
  for (const pass of passes) container.register(PASS, { useValue: pass });
  const rules = [...builtinRules, ...plugins.flatMap((plugin) => plugin.rules ?? [])];
  for (const rule of rules) container.register(RULE, { useValue: rule });
  for (const dialect of [TRAINING, ATEN, ...dialects.values()])
    container.register(DIALECT, { useValue: dialect });
}

/** Backends, and the evaluator over the same kernels. */
function registerRunning(
  container: DependencyContainer,
  given: readonly Backend[],
  { plugins }: PluginSet,
  kernels: KernelTable,
): void {
  const further = [...given, ...plugins.flatMap((plugin) => plugin.backends ?? [])];
  container.register(BACKEND, { useFactory: interpreter(kernels) });
  for (const backend of further) container.register(BACKEND, { useValue: backend });
  container.register(BACKENDS, { useFactory: inSession() });
  container.register(EVALUATOR, {
    useFactory: (from) => ({
      evaluate: createEvaluator({ operators: from.resolve(OPERATORS), kernels }) as Evaluator,
      run: createRunner({ operators: from.resolve(OPERATORS), kernels }),
    }),
  });
}

const interpreters = new WeakSet<Backend>();

/** True for the interpreter of a session. */
export const isInterpreter = (backend: Backend): boolean => interpreters.has(backend);

/** The interpreter over the container's services, made anew only when one of them is overridden. */
function interpreter(kernels: KernelTable): (from: DependencyContainer) => Backend {
  let made: { readonly operators: unknown; readonly random: unknown; readonly backend: Backend } | undefined;
  return (from) => {
    const [operators, random] = [from.resolve(OPERATORS), from.resolve(RANDOM)];
    if (made?.operators !== operators || made.random !== random)
      made = { operators, random, backend: cpuBackend({ operators, kernels, random }) };
    interpreters.add(made.backend);
    return made.backend;
  };
}

/** The backends, those that can with the session's parts; the first one, the interpreter, is their host. */
function inSession(): (from: DependencyContainer) => Backend[] {
  const bound = new WeakMap<Backend, { readonly host: Backend; readonly backend: Backend }>();
  return (from) => {
    const backends = from.resolveAll(BACKEND);
    const host = backends[0]!;
    return backends.map((backend) => {
      if (backend === host || !isSessionBackend(backend)) return backend;
      let known = bound.get(backend);
      if (known?.host !== host) {
        const context = passManagers(from).context();
        known = { host, backend: backend.inSession(context, host) };
        bound.set(backend, known);
      }
      return known.backend;
    });
  };
}

const isSessionBackend = (backend: Backend): backend is SessionBackend =>
  typeof (backend as Partial<SessionBackend>).inSession === "function";

const passManagers = (from: DependencyContainer): PassManagers => {
  const { plugins, ownerOf } = from.resolve(PLUGINS);
  const context = (): PassContext => ({
    operators: from.resolve(OPERATORS),
    ...from.resolve(EVALUATOR),
    decompositions: () => from.resolve(DECOMPOSITIONS),
    rules: new Map(from.resolveAll(RULE).map((rule) => [rule.name, rule])),
    backends: () => new Map(from.resolve(BACKENDS).map((backend) => [backend.name, backend])),
    verify: (program, before) => from.resolve(VERIFIER).verify(program, before),
    clock: from.resolve(CLOCK),
    ownerOf: plugins.length > 0 ? ownerOf : undefined,
    warn: (message) => from.resolve(LOGGER).warn(message),
  });
  return { context, create: (options?: PassManagerOptions) => new PassManager(context(), options) };
};

/** @throws SconceError `PLUGIN` for a kernel of no operator */
export function kernelsOf({ kernels }: PluginSet, operators: OperatorTable): KernelTable {
  for (const [target, , plugin] of kernels)
    if (operators.get(target) === undefined) throw unknownTarget(plugin, target, "has a kernel for");
  return Object.fromEntries(kernels) as KernelTable;
}

function tableWith(operators: OperatorTable, { decompositions }: PluginSet): CustomDecompTable {
  const table = defaultDecompositions(operators);
  for (const [target, entry, plugin] of decompositions) {
    // An entry that no call has would never run.
    const problem = decompositionKeyProblem(target, entry, operators);
    if (problem !== undefined)
      throw badPlugin(
        `plugin "${plugin}"`,
        `has a decomposition of ${target}, which ${problem.message}`,
        problem.fix,
      );
    table.set(target, entry);
  }
  return table;
}

const unknownTarget = (plugin: string, target: string, does: string): SconceError =>
  badPlugin(
    `plugin "${plugin}"`,
    `${does} ${target}, which is no operator`,
    "write the overload out (aten.relu.default), or define the operator under `ops`",
  );

/** What of Sconce's own the plugins replace: allowed, and worth a warning. */
export function replacements({ kernels, decompositions }: PluginSet, operators: OperatorTable): string[] {
  if (kernels.length + decompositions.length === 0) return [];
  const table = defaultDecompositions(operators);
  return [
    ...kernels
      .filter(([target]) => Object.hasOwn(CPU_KERNELS, target))
      .map(([target, , plugin]) => `plugin "${plugin}" replaces the kernel of ${target}`),
    ...decompositions
      .filter(([target]) => table.has(target))
      .map(([target, , plugin]) => `plugin "${plugin}" replaces the decomposition of ${target}`),
  ];
}
