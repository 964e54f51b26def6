/**
 * @file The plugins of a session taken together: clashes are refused, and every function says whose
 * it is when it throws.
 */
import { isSconceError } from "@sconce/errors";
import type { DialectRules, MetaValue, OpSchema, PytreeRegistry } from "@sconce/ir";
import { DIALECTS } from "@sconce/ir/verify";
import { defaultOperators, isOutOfMemory, type OpDefinition, resultProblem } from "@sconce/ops";
import { builtinPasses, builtinRules, type Decomposition, ownedEntry, type Plugin } from "@sconce/passes";
import { badPart, badPlugin, nameClash, pluginFailed } from "./errors.js";
import { kernelProblem } from "./plugin-results.js";
import { describeValue, readPlugin } from "./plugin-shape.js";

interface Named {
  readonly name: string;
}

/** What all plugins of a session add to it. */
export interface PluginSet {
  readonly plugins: readonly Plugin[];
  readonly ops: readonly OpDefinition[];
  readonly dialects: ReadonlyMap<string, DialectRules>;
  readonly pytreeTypes: PytreeRegistry;
  /** Functions by target, with the plugin's name. */
  readonly decompositions: readonly (readonly [target: string, entry: Decomposition, plugin: string])[];
  readonly kernels: readonly (readonly [target: string, kernel: Callable, plugin: string])[];
  /** Returns the plugin that a pass, a rule or a backend is of. */
  ownerOf(part: object): string | undefined;
}

type Callable = (...args: never[]) => unknown;

/**
 * Reads and checks plugins.
 *
 * @throws SconceError `PLUGIN`, `NAME_CLASH`
 */
export function pluginSet(given: readonly Plugin[], backends: readonly Named[]): PluginSet {
  if (!Array.isArray(given))
    throw badPlugin(
      "`plugins` of createSconce",
      `is ${describeValue(given)}, not a list`,
      "write `plugins: [plugin]`",
    );
  const plugins = given.map(readPlugin);
  const owned = (namesOf: (plugin: Plugin) => readonly string[]): Owned[] =>
    plugins.map((plugin) => [`plugin "${plugin.name}"`, namesOf(plugin)]);
  const sconce = (names: readonly string[]): Owned => ["Sconce", names];
  const session: Owned = ["the `backends` of createSconce", names(backends)];
  const clashes: readonly (readonly [string, readonly Owned[]])[] = [
    ["plugin", owned(({ name }) => [name])],
    ["pass", [sconce(["repeat", ...names(builtinPasses)]), ...owned(({ passes }) => names(passes))]],
    ["rule", [sconce(names(builtinRules)), ...owned(({ rules }) => names(rules))]],
    ["dialect", [sconce([...DIALECTS.keys()]), ...owned(({ dialects }) => names(dialects))]],
    ["backend", [sconce(["cpu"]), session, ...owned((plugin) => names(plugin.backends))]],
    ["pytree type", owned(({ pytreeTypes }) => names(pytreeTypes))],
    ["operator", owned(({ ops = [] }) => ops.map(({ target }) => target))],
    ["kernel", owned(({ kernels = {} }) => Object.keys(kernels))],
    ["decomposition", owned(({ decompositions = {} }) => Object.keys(decompositions))],
  ];
  for (const [kind, lists] of clashes) refuseClashes(kind, lists);
  const dialects = new Map(plugins.flatMap((one) => one.dialects ?? []).map((rules) => [rules.name, rules]));
  for (const plugin of plugins) refuseUnknownDialects(plugin, dialects);
  const pytreeTypes = new Map(
    plugins.flatMap((one) => one.pytreeTypes ?? []).map((type) => [type.name, type]),
  );
  return {
    plugins,
    dialects,
    pytreeTypes,
    ...functionsOf(plugins, schemasOf(plugins)),
    ownerOf: ownersOf(plugins),
  };
}

type Owned = readonly [owner: string, names: readonly string[]];

const names = (items: readonly Named[] = []): string[] => items.map(({ name }) => name);

/** @throws SconceError `NAME_CLASH` naming both owners */
function refuseClashes(kind: string, owned: readonly Owned[]): void {
  const owners = new Map<string, string>();
  for (const [owner, items] of owned) {
    for (const name of items) {
      const first = owners.get(name);
      if (first !== undefined) throw nameClash(kind, name, first, owner);
      owners.set(name, owner);
    }
  }
}

/** A pass that names a dialect that does not exist could never run. */
function refuseUnknownDialects(plugin: Plugin, dialects: ReadonlyMap<string, DialectRules>): void {
  for (const { name, requires, ensures } of plugin.passes ?? []) {
    for (const dialect of [requires, ensures]) {
      if (dialect === undefined || dialects.has(dialect) || DIALECTS.has(dialect)) continue;
      const known = [...DIALECTS.keys(), ...dialects.keys()].filter((one) => one !== "");
      throw badPlugin(
        `plugin "${plugin.name}"`,
        `has a pass "${name}" that names the dialect ${dialect}, which nothing defines`,
        `list it under \`dialects\`; known are: ${known.join(", ")}`,
      );
    }
  }
}

/** What a kernel is given besides its arguments. */
interface KernelCall {
  readonly meta?: MetaValue;
}

type SchemaOf = (target: string) => OpSchema | undefined;

function schemasOf(plugins: readonly Plugin[]): SchemaOf {
  const own = new Map(plugins.flatMap(({ ops = [] }) => ops.map((op) => [op.target, op.schema] as const)));
  return (target) => own.get(target) ?? defaultOperators().schemaOf(target);
}

function functionsOf(
  plugins: readonly Plugin[],
  schemaOf: SchemaOf,
): Pick<PluginSet, "ops" | "decompositions" | "kernels"> {
  return {
    ops: plugins.flatMap((plugin) => (plugin.ops ?? []).map((op) => guardedOp(plugin.name, op))),
    decompositions: plugins.flatMap(({ name, decompositions = {} }) =>
      Object.entries(decompositions).map(
        ([target, run]) =>
          [target, guardedEntry(name, target, run as Decomposition, schemaOf(target)), name] as const,
      ),
    ),
    kernels: plugins.flatMap(({ name, kernels = {} }) =>
      Object.entries(kernels).map(
        ([target, run]) =>
          [
            target,
            guarded(name, `the kernel of ${target}`, run, (value, given: readonly unknown[]) =>
              kernelProblem(schemaOf(target), value, (given[1] as KernelCall | undefined)?.meta),
            ),
            name,
          ] as const,
      ),
    ),
  };
}

function guardedOp(plugin: string, op: OpDefinition): OpDefinition {
  const { target, schema, meta, decompose } = op;
  return Object.freeze({
    ...op,
    meta:
      meta &&
      guarded(
        plugin,
        `the shape rule of ${target}`,
        meta,
        (value) => resultProblem(schema, value),
        "SHAPE_RULE",
      ),
    decompose: decompose && guardedEntry(plugin, target, decompose, schema),
  });
}

function guardedEntry<A extends unknown[], R>(
  plugin: string,
  target: string,
  run: (...args: A) => R,
  schema: OpSchema | undefined,
): (...args: A) => R {
  const problem = (value: unknown): string | undefined => resultProblem(schema, value);
  const what = `the decomposition of ${target}`;
  return ownedEntry(guarded(plugin, what, run, problem, "DECOMPOSITION_RESULT"), plugin);
}

/**
 * Returns a plugin's function that is named, with the plugin, when it throws or returns what its
 * schema does not have. Typed errors are what it says on purpose and pass; so does running out of
 * memory. Those with `named` are what the function's own check found: they get the plugin's name.
 */
function guarded<A extends unknown[], R>(
  plugin: string,
  what: string,
  run: (...args: A) => R,
  problemOf: (result: unknown, args: A) => string | undefined,
  named?: string,
): (...args: A) => R {
  return (...args: A): R => {
    let result: R;
    try {
      result = run(...args);
    } catch (error) {
      if (isSconceError(error, named) && named !== undefined && error.message.startsWith(what))
        throw badPart(plugin, what, error.message.slice(what.length).trim(), error);
      throw isSconceError(error) || isOutOfMemory(error) ? error : pluginFailed(plugin, what, error);
    }
    const problem = problemOf(result, args);
    if (problem === undefined) return result;
    throw badPart(plugin, what, problem);
  };
}

function ownersOf(plugins: readonly Plugin[]): PluginSet["ownerOf"] {
  const owners = new Map<object, string>();
  for (const { name, passes = [], rules = [], backends = [] } of plugins)
    for (const part of [...passes, ...passes.flatMap((pass) => pass.rules ?? []), ...rules, ...backends])
      owners.set(part, name);
  return (part) => owners.get(part);
}
