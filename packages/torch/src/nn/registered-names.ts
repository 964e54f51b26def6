/** @file Names that modules have registered: the class of a property's value need not show it. */

/** The registered names of one module. */
interface Registry {
  /** Buffers with whether they are persistent. */
  readonly buffers: Map<string, boolean>;
  /** Parameters. */
  readonly parameters: Set<string>;
  /** Modules with a number for a name, with how many named properties there were before. */
  readonly numbered: Map<string, number>;
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
