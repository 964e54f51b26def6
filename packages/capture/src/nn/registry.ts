/** @file What modules have registered besides the properties that say so themselves. */

/** The registered names of one module. */
interface Registry {
  /** Buffers with whether they are persistent. */
  readonly buffers: Map<string, boolean>;
  /** Parameters. */
  readonly parameters: Set<string>;
}

const registries = new WeakMap<object, Registry>();

/** Begins the registry of a new module. */
export function startRegistry(module: object): void {
  registries.set(module, { buffers: new Map(), parameters: new Set() });
}

/** The registry of a module. */
export const registryOf = (module: object): Registry => registries.get(module)!;
