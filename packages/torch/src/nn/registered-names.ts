/** @file Names that modules have registered: the class of a property's value need not show it. */

import type { AnyFunction } from "@sconce/source-check";
import type { Tensor } from "@sconce/tensor";
import type { ModuleBase } from "./module-base.js";

/** A weight that a hook computes before each call, as `nn.utils.weightNorm` adds it. */
export interface NormHook {
  readonly kind: "weight_norm" | "spectral_norm" | "prune";
  /** The name of the weight. */
  readonly name: string;
  /** The names of the tensors that it is computed from. */
  readonly parts: readonly string[];
  /** Computes the weight for a call of the module, or as it is now. */
  readonly compute: (module: ModuleBase, isCall: boolean) => Tensor;
}

/** A function that runs before or after `forward`. */
export interface Hook {
  readonly run: AnyFunction;
  readonly withKwargs: boolean;
  readonly alwaysCall: boolean;
  /** The weight that it computes. Its source is Sconce's, and is not checked. */
  readonly norm: NormHook | undefined;
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

/** Returns the registry of a module. */
export const registryOf = (module: object): Registry => registries.get(module)!;
