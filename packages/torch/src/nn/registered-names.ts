/** @file Names that modules have registered: the class of a property's value need not show it. */

import type { AnyFunction } from "@sconce/source-check";

/** A function that runs before or after `forward`. */
export interface Hook {
  readonly run: AnyFunction;
  readonly withKwargs: boolean;
  readonly alwaysCall: boolean;
  /** Whether it is Sconce's: its source is not checked. */
  readonly isOwn: boolean;
}

/** The hooks of a module, in the order in which they run. */
export interface Hooks {
  before: readonly Hook[];
  after: readonly Hook[];
}

/** The registered names of one module. */
interface Registry {
  /** Buffers with whether they are persistent. */
  readonly buffers: Map<string, boolean>;
  /** Parameters. */
  readonly parameters: Set<string>;
  /** Modules with a number for a name, with how many named properties there were before. */
  readonly numbered: Map<string, number>;
  /** The functions around `forward`; undefined where there never were any. */
  hooks?: Hooks;
  /** Whether the properties were read once, so that buffers and parameters are registered. */
  isRead: boolean;
}

const registries = new WeakMap<object, Registry>();

/** Begins the registry of a new module. */
export function startRegistry(module: object): void {
  registries.set(module, { buffers: new Map(), parameters: new Set(), numbered: new Map(), isRead: false });
}

/** Gives a view of a module the registry of the module. */
export function shareRegistry(view: object, module: object): void {
  registries.set(view, registryOf(module));
}

/** The registry of a module. */
export const registryOf = (module: object): Registry => registries.get(module)!;
