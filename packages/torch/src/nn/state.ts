/** @file Parameters, buffers and submodules: the properties of modules, in order of definition. */

import { fieldsOf } from "@sconce/source-check";
import { Tensor } from "@sconce/tensor";
import { withoutNotes } from "../trace/state-reads.js";
import type { ModuleBase } from "./module-base.js";
import { registryOf } from "./registered-names.js";
import { Buffer, Parameter } from "./tensors.js";

/** A tensor with its name. */
export type NamedTensor = readonly [name: string, tensor: Tensor];
/** A module with its path. */
export type NamedModule<M extends ModuleBase = ModuleBase> = readonly [path: string, module: M];

/** `a.b`, or `b` at the root. */
export const joinPath = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/**
 * Returns the properties of a module, in order of definition. JavaScript lists names that are
 * numbers first; those that `addModule` has noted are put in their places.
 */
export function propertiesOf(module: ModuleBase): [string, unknown][] {
  const entries = Object.entries(fieldsOf(module));
  const { numbered } = registryOf(module);
  if (numbered.size === 0) return entries;
  const rank = (name: string, at: number): number => numbered.get(name) ?? at;
  const named = entries.filter(([name]) => !numbered.has(name));
  const places = new Map(named.map(([name], i) => [name, i + 0.5]));
  return entries.toSorted(([a], [b]) => rank(a, places.get(a)!) - rank(b, places.get(b)!));
}

/** Notes the place of a module whose name is a number. */
export function noteNumbered(module: ModuleBase, name: string): void {
  const { numbered } = registryOf(module);
  if (/^(0|[1-9]\d*)$/.test(name) && !numbered.has(name))
    numbered.set(name, Object.keys(module).filter((own) => !/^\d+$/.test(own)).length);
}

/** Returns whether a value is a module; modules are functions. */
const isModule = (value: unknown): value is ModuleBase =>
  typeof value === "function" && registryOf(value) !== undefined;

/** Submodules of a module itself. */
export const childrenOf = <M extends ModuleBase>(module: M): NamedModule<M>[] =>
  propertiesOf(module).filter((entry): entry is [string, M] => isModule(entry[1]));

/** Yields the submodules of a module, each read when the loop gets to it. */
export function* eachChild<M extends ModuleBase>(module: M): Generator<M, undefined> {
  for (const [name] of withoutNotes(() => childrenOf(module))) yield fieldsOf<M>(module)[name]!;
}

/** Parameters of a module itself. */
export function parametersOf(module: ModuleBase): NamedTensor[] {
  const { parameters } = registryOf(module);
  return propertiesOf(module).filter((entry): entry is [string, Tensor] => {
    const [name, value] = entry;
    if (value instanceof Parameter) parameters.add(name);
    return parameters.has(name) && value instanceof Tensor;
  });
}

/** Buffers of a module itself. */
export function buffersOf(module: ModuleBase): NamedTensor[] {
  const { buffers } = registryOf(module);
  return propertiesOf(module).filter((entry): entry is [string, Tensor] => {
    const [name, value] = entry;
    if (value instanceof Buffer && !buffers.has(name)) buffers.set(name, value.persistent ?? true);
    return buffers.has(name) && value instanceof Tensor;
  });
}

/** Tensors of a module itself that are neither parameters nor buffers. */
export function tensorAttributesOf(module: ModuleBase): NamedTensor[] {
  const registered = new Set([...parametersOf(module), ...buffersOf(module)].map(([name]) => name));
  return propertiesOf(module).filter(
    (entry): entry is [string, Tensor] => entry[1] instanceof Tensor && !registered.has(entry[0]),
  );
}

/**
 * Returns a module and all below it, with their paths; one with several paths is given at the
 * first.
 */
export function descendants<M extends ModuleBase>(root: M, removeDuplicate: boolean): NamedModule<M>[] {
  const found: NamedModule<M>[] = [];
  const seen = new Set<M>();
  const visit = (path: string, module: M, above: ReadonlySet<M>): void => {
    if (above.has(module) || (removeDuplicate && seen.has(module))) return;
    seen.add(module);
    found.push([path, module]);
    const below = new Set([...above, module]);
    for (const [name, child] of childrenOf(module)) visit(joinPath(path, name), child, below);
  };
  visit("", root, new Set());
  return found;
}

/** State of a module and all below it. */
export function namedState(
  root: ModuleBase,
  own: (module: ModuleBase) => NamedTensor[],
  removeDuplicate: boolean,
): NamedTensor[] {
  const seen = new Set<Tensor>();
  const named: NamedTensor[] = [];
  for (const [path, module] of descendants(root, removeDuplicate)) {
    for (const [name, tensor] of own(module)) {
      if (removeDuplicate && seen.has(tensor)) continue;
      seen.add(tensor);
      named.push([joinPath(path, name), tensor]);
    }
  }
  return named;
}
