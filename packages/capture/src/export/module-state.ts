/** @file The state of a module while it is traced: traced tensors stand in its properties. */

import { Tensor } from "@sconce/tensor";
import {
  buffersOf,
  descendants,
  isTracedState,
  joinPath,
  type Module,
  type NamedModule,
  Parameter,
  parametersOf,
  propertiesOf,
  registryOf,
  stateGetter,
  TracedTensor,
  tensorAttributesOf,
  withoutNotes,
} from "@sconce/torch";
import { assignedParameter } from "./errors.js";
import type { ModulePaths } from "./module-paths.js";

/** A parameter or buffer of a module, under one of its names. */
export interface StateEntry {
  readonly kind: "PARAMETER" | "BUFFER";
  readonly fqn: string;
  readonly module: Module;
  readonly property: string;
  readonly value: Tensor;
  /** Buffers only. */
  readonly persistent: boolean | null;
}

/** All parameters, then all buffers, one entry for each name, and constants by their tensors. */
export interface ModuleState {
  readonly entries: readonly StateEntry[];
  /** Names of tensors that are neither. */
  readonly constantNames: ReadonlyMap<Tensor, readonly string[]>;
  readonly modules: readonly NamedModule<Module>[];
}

/** Reads the state of a module and of all below it. */
export function stateOf(root: Module): ModuleState {
  const modules = descendants(root, false);
  const parameters: StateEntry[] = [];
  const buffers: StateEntry[] = [];
  const constantNames = new Map<Tensor, string[]>();
  for (const [path, module] of modules) {
    const registry = registryOf(module);
    for (const [property, value] of parametersOf(module))
      parameters.push({
        kind: "PARAMETER",
        fqn: joinPath(path, property),
        module,
        property,
        value,
        persistent: null,
      });
    for (const [property, value] of buffersOf(module)) {
      const persistent = registry.buffers.get(property) ?? true;
      buffers.push({ kind: "BUFFER", fqn: joinPath(path, property), module, property, value, persistent });
    }
    for (const [property, value] of tensorAttributesOf(module)) {
      const names = constantNames.get(value) ?? [];
      names.push(joinPath(path, property));
      constantNames.set(value, names);
    }
  }
  return { entries: [...parameters, ...buffers], constantNames, modules };
}

/** What a trace left in the properties of modules. */
export interface StateChanges {
  /** Buffers that were assigned, in the order of their first assignment, with their last values. */
  readonly assigned: ReadonlyMap<StateEntry, unknown>;
  /** Paths of other tensors that were assigned: `self.new`. */
  readonly attributes: readonly string[];
  /** Parameters and buffers in the order in which they were read first. */
  readonly read: readonly StateEntry[];
}

/**
 * Runs something with traced tensors in place of the state; puts everything back, whatever
 * happens.
 */
export function withTracedState<T>(
  state: ModuleState,
  traced: ReadonlyMap<StateEntry, TracedTensor>,
  paths: ModulePaths,
  run: () => T,
): { readonly result: T; readonly changes: StateChanges } {
  const before = state.modules.map(([path, module]) => ({ path, module, properties: propertiesOf(module) }));
  const assigned = new Map<StateEntry, unknown>();
  const read = new Set<StateEntry>();
  const known = new Map(state.entries.map((entry) => [entry.fqn, entry]));
  const note = ({ module, property, fqn }: StateEntry): void =>
    void read.add(known.get(joinPath(paths.firstRead(module), property)) ?? known.get(fqn)!);
  for (const [entry, tensor] of traced) replaceProperty(entry, tensor, assigned, note);
  paths.install();
  try {
    const result = run();
    return { result, changes: { assigned, attributes: changedAttributes(before, state), read: [...read] } };
  } finally {
    for (const { module, properties } of before) restore(module, properties);
  }
}

type Properties = readonly [string, unknown][];

/** Buffers take note of assignments; a parameter only takes another parameter, as in PyTorch. */
function replaceProperty(
  entry: StateEntry,
  tensor: TracedTensor,
  assigned: Map<StateEntry, unknown>,
  note: (read: StateEntry) => void,
): void {
  const { module, property, kind } = entry;
  const { fake } = tensor;
  let value: unknown = tensor;
  Object.defineProperty(module, property, {
    enumerable: true,
    configurable: true,
    get: stateGetter(
      () => value,
      () => note(entry),
    ),
    set: (next: unknown) => {
      value = next;
      if (kind === "PARAMETER") {
        if (next !== tensor && !isParameter(next)) throw assignedParameter(entry.fqn);
        // What an in-place operator returns is the buffer itself, with the operator's node.
      } else if (next === tensor && tensor.fake === fake) assigned.delete(entry);
      // The copy reads the node of this moment: later in-place operators write to the same memory.
      else assigned.set(entry, next instanceof TracedTensor ? new TracedTensor(next.fake) : next);
    },
  });
}

const isParameter = (value: unknown): boolean =>
  value === null || value instanceof Parameter || (value instanceof Tensor && isTracedState(value));

function restore(module: Module, properties: Properties): void {
  const known = new Map(properties);
  for (const name of Object.keys(module)) if (!known.has(name)) Reflect.deleteProperty(module, name);
  for (const [name, value] of properties) {
    const now = Object.getOwnPropertyDescriptor(module, name);
    if (now?.value === value && now?.writable === true) continue;
    Object.defineProperty(module, name, { value, enumerable: true, configurable: true, writable: true });
  }
}

/** Properties that hold another tensor than before, and are neither parameters nor buffers. */
function changedAttributes(
  before: readonly { readonly path: string; readonly module: Module; readonly properties: Properties }[],
  state: ModuleState,
): string[] {
  const own = new Map<Module, Set<string>>();
  for (const { module, property } of state.entries)
    own.set(module, (own.get(module) ?? new Set()).add(property));
  return before.flatMap(({ path, module, properties }) => {
    const values = new Map(properties);
    return withoutNotes(() => propertiesOf(module))
      .filter(([name, value]) => value instanceof TracedTensor && values.get(name) !== value)
      .filter(([name]) => own.get(module)?.has(name) !== true)
      .map(([name]) => `self.${joinPath(path, name)}`);
  });
}
