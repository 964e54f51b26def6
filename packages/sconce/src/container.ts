import "reflect-metadata";
import { cpuBackend, createEvaluator, createRunner, type KernelTable } from "@sconce/backend-cpu";
import { SconceError } from "@sconce/errors";
import { defaultOperators, type OperatorTable } from "@sconce/ops";
import {
  builtinPasses,
  builtinRules,
  defaultDecompositions,
  type Evaluator,
  type PassContext,
  PassManager,
  type PassManagerOptions,
  type Plugin,
} from "@sconce/passes";
import { type DependencyContainer, container as root } from "tsyringe";
import type { SconceOptions } from "./create-sconce.js";
import { BACKEND, DECOMPOSITIONS, EVALUATOR, OPERATORS, PASS, PASS_MANAGER, RULE } from "./tokens.js";

/** Builds a container of its own for one session; the global one is never registered on. */
export function createContainer({
  plugins = [],
  backends = [],
  random,
}: SconceOptions = {}): DependencyContainer {
  checkPlugins(plugins);
  const container = root.createChildContainer();
  const operators = withPluginOps(plugins);
  container.register(OPERATORS, { useValue: operators });
  const passes = [...builtinPasses, ...plugins.flatMap((plugin) => plugin.passes ?? [])];
  refuseClashes(
    "pass",
    passes,
    plugins.map((plugin) => [plugin.name, plugin.passes ?? []]),
  );
  for (const pass of passes) container.register(PASS, { useValue: pass });
  const rules = [...builtinRules, ...plugins.flatMap((plugin) => plugin.rules ?? [])];
  refuseClashes(
    "rule",
    rules,
    plugins.map((plugin) => [plugin.name, plugin.rules ?? []]),
  );
  for (const rule of rules) container.register(RULE, { useValue: rule });
  const kernels = pluginKernels(plugins, operators);
  const allBackends = [
    cpuBackend({ operators, kernels, ...(random && { random }) }),
    ...backends,
    ...plugins.flatMap((plugin) => plugin.backends ?? []),
  ];
  refuseClashes(
    "backend",
    allBackends,
    plugins.map((plugin) => [plugin.name, plugin.backends ?? []]),
  );
  for (const backend of allBackends) container.register(BACKEND, { useValue: backend });
  container.register(DECOMPOSITIONS, { useFactory: (from) => tableWith(from.resolve(OPERATORS), plugins) });
  container.register(EVALUATOR, {
    useFactory: (from) => ({
      evaluate: createEvaluator({ operators: from.resolve(OPERATORS), kernels }) as Evaluator,
      run: createRunner({ operators: from.resolve(OPERATORS), kernels }),
    }),
  });
  container.register(PASS_MANAGER, {
    useFactory: (from) => {
      const context = (): PassContext => ({
        operators: from.resolve(OPERATORS),
        ...from.resolve(EVALUATOR),
        decompositions: () => from.resolve(DECOMPOSITIONS),
        rules: new Map(from.resolveAll(RULE).map((rule) => [rule.name, rule])),
        backends: () => new Map(from.resolveAll(BACKEND).map((backend) => [backend.name, backend])),
      });
      return { context, create: (options?: PassManagerOptions) => new PassManager(context(), options) };
    },
  });
  return container;
}

const PLUGIN_KEYS: ReadonlySet<string> = new Set([
  "name",
  "ops",
  "kernels",
  "passes",
  "rules",
  "decompositions",
  "backends",
]);

/** @throws SconceError `PLUGIN`, `NAME_CLASH` */
function checkPlugins(plugins: readonly Plugin[]): void {
  for (const plugin of plugins) {
    const unknown = Object.keys(plugin).find((key) => !PLUGIN_KEYS.has(key));
    if (unknown === undefined) continue;
    throw new SconceError({
      code: "PLUGIN",
      message: `plugin "${plugin.name}" has a field "${unknown}", which no plugin has`,
      fix: `the fields are: ${[...PLUGIN_KEYS].join(", ")}`,
    });
  }
  const entries = plugins.map((plugin) => [plugin.name, namesOf(plugin)] as const);
  refuseClashes(
    "plugin",
    plugins,
    plugins.map((plugin) => [plugin.name, [plugin]]),
  );
  refuseClashes(
    "decomposition",
    entries.flatMap(([, names]) => names),
    entries,
  );
}

const namesOf = (plugin: Plugin): readonly Named[] =>
  Object.keys(plugin.decompositions ?? {}).map((name) => ({ name }));

function withPluginOps(plugins: readonly Plugin[]): OperatorTable {
  const rows = plugins.flatMap((plugin) => (plugin.ops ?? []).map((op) => ({ name: op.target, op })));
  refuseClashes(
    "operator",
    rows,
    plugins.map((plugin) => [plugin.name, (plugin.ops ?? []).map((op) => ({ name: op.target }))]),
  );
  return defaultOperators().extend(rows.map((row) => row.op));
}

/** @throws SconceError `NAME_CLASH`; `PLUGIN` for a kernel of no operator */
function pluginKernels(plugins: readonly Plugin[], operators: OperatorTable): KernelTable {
  const entries = plugins.map(
    (plugin) => [plugin.name, Object.keys(plugin.kernels ?? {}).map((name) => ({ name }))] as const,
  );
  refuseClashes(
    "kernel",
    entries.flatMap(([, names]) => names),
    entries,
  );
  for (const plugin of plugins) {
    const unknown = Object.keys(plugin.kernels ?? {}).find((name) => operators.get(name) === undefined);
    if (unknown !== undefined) throw unknownTarget(plugin, unknown, "has a kernel for");
  }
  return Object.assign({}, ...plugins.map((plugin) => plugin.kernels ?? {})) as KernelTable;
}

function tableWith(operators: OperatorTable, plugins: readonly Plugin[]) {
  const table = defaultDecompositions(operators);
  for (const plugin of plugins) {
    for (const [target, rule] of Object.entries(plugin.decompositions ?? {})) {
      // A decomposition of an operator that nobody has would never run.
      if (operators.schemaOf(target) === undefined) throw unknownTarget(plugin, target);
      table.set(target, rule);
    }
  }
  return table;
}

const unknownTarget = (plugin: Plugin, target: string, does = "decomposes"): SconceError =>
  new SconceError({
    code: "PLUGIN",
    message: `plugin "${plugin.name}" ${does} ${target}, which is no operator`,
    fix: "write the overload out (aten.relu.default), or define the operator under `ops`",
  });

interface Named {
  readonly name: string;
}

/** @throws SconceError `NAME_CLASH` naming both owners */
function refuseClashes(
  kind: string,
  all: readonly Named[],
  owners: readonly (readonly [string, readonly Named[]])[],
): void {
  const seen = new Set<string>();
  for (const { name } of all) {
    if (seen.has(name)) {
      const plugins = owners
        .filter(([, items]) => items.some((item) => item.name === name))
        .map(([owner]) => `"${owner}"`);
      const who =
        plugins.length > 1 ? `plugins ${plugins.join(" and ")}` : `Sconce and by plugin ${plugins[0] ?? "?"}`;
      throw new SconceError({
        code: "NAME_CLASH",
        message: `${kind} "${name}" is defined by ${who}`,
        fix: "rename one of them",
      });
    }
    seen.add(name);
  }
}
