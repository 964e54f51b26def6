/** @file The paths of modules while they are traced, for modules with several names. */
import {
  childrenOf,
  isNoted,
  joinPath,
  type Module,
  type NamedModule,
  registryOf,
  shareRegistry,
  stateGetter,
  withoutNotes,
} from "@sconce/torch";

/**
 * The paths of the modules of a model. A module with several names is known by the one that the
 * model reads: `this.b(x)` calls `b`, `this.c(x)` calls `c`.
 *
 * In PyTorch's non-strict mode a read gives an object with a path; here it gives a view of the
 * module. Methods run on the module itself, as its private fields demand, and the path is known
 * while they run. In strict mode the last read decides, as in TorchDynamo, whose variable of a
 * module is shared by all its names.
 */
export class ModulePaths {
  readonly #first = new Map<object, string>();
  readonly #shared = new Set<Module>();
  /** The paths that modules with several are known by at present. */
  readonly #current = new Map<object, string>();
  readonly #firstRead = new Map<object, string>();
  readonly #views = new Map<Module, Map<string, Module>>();
  readonly #isStrict: boolean;
  /** The call of a view that begins. */
  #called: { readonly module: object; readonly path: string } | undefined;

  constructor(modules: readonly NamedModule<Module>[], isStrict: boolean) {
    this.#isStrict = isStrict;
    for (const [path, module] of modules)
      if (this.#first.has(module)) this.#shared.add(module);
      else this.#first.set(module, path);
  }

  /** Returns the path of a module at present; undefined for one that is not of the model. */
  of(module: object): string | undefined {
    return this.#current.get(module) ?? this.#first.get(module);
  }

  /**
   * Returns the path by which a strict export read a module first: it names its parameters and
   * buffers.
   */
  firstRead(module: object): string {
    return this.#firstRead.get(module) ?? this.#first.get(module)!;
  }

  /** Runs a call of a module, which {@link of} knows by the path of the call. */
  during<T>(module: object, run: (path: string | undefined) => T): T {
    const called = this.#called;
    this.#called = undefined;
    if (this.#isStrict) return run(this.of(module));
    const path = called?.module === module ? called.path : this.#first.get(module);
    return path === undefined ? run(path) : this.#within(module, path, () => run(path));
  }

  /** Lets properties note which name of a module is read. The caller restores the properties. */
  install(): void {
    if (this.#shared.size === 0) return;
    for (const module of this.#first.keys() as Iterable<Module>)
      for (const [name, child] of withoutNotes(() => childrenOf<Module>(module)))
        if (this.#shared.has(child)) this.#installOne(module, name, child);
  }

  #installOne(parent: Module, name: string, child: Module): void {
    let value: unknown = child;
    Object.defineProperty(parent, name, {
      enumerable: true,
      configurable: true,
      get: stateGetter(
        () => (value === child && isNoted() ? this.#read(child, parent, name) : value),
        () => {},
      ),
      set: (next: unknown) => {
        value = next;
      },
    });
  }

  #read(module: Module, parent: Module, name: string): Module {
    const path = joinPath(this.of(parent)!, name);
    if (!this.#isStrict) return this.#view(module, path, undefined);
    const note = (): void => {
      this.#current.set(module, path);
      if (!this.#firstRead.has(module)) this.#firstRead.set(module, joinPath(this.firstRead(parent), name));
    };
    if (isContainer(parent)) return this.#view(module, path, note);
    note();
    return module;
  }

  /** Returns a view of a module; what a container holds counts as read only when it is used. */
  #view(module: Module, path: string, note: (() => void) | undefined): Module {
    const views = this.#views.get(module) ?? new Map<string, Module>();
    this.#views.set(module, views);
    const known = views.get(path);
    if (known !== undefined) return known;
    const view: Module = new Proxy(module, {
      apply: (target, self, args): unknown => {
        note?.();
        this.#called = { module, path };
        return Reflect.apply(target, self, args);
      },
      get: (target, key) => {
        note?.();
        return this.#within(module, path, () =>
          this.#part(view, module, key, Reflect.get(target, key, target)),
        );
      },
      set: (target, key, value) => Reflect.set(target, key, value, target),
    });
    shareRegistry(view, module);
    views.set(path, view);
    return view;
  }

  /** Returns what a view gives for a property: methods run on the module. */
  #part(view: Module, module: Module, key: string | symbol, value: unknown): unknown {
    if (typeof value !== "function" || key === "constructor" || registryOf(value) !== undefined) return value;
    const path = this.of(module)!;
    return new Proxy(value, {
      apply: (target, self, args): unknown =>
        this.#within(module, path, () => Reflect.apply(target, self === view ? module : self, args)),
    });
  }

  #within<T>(module: object, path: string, run: () => T): T {
    if (this.#isStrict) return run();
    const outer = this.#current.get(module);
    this.#current.set(module, path);
    try {
      return run();
    } finally {
      if (outer === undefined) this.#current.delete(module);
      else this.#current.set(module, outer);
    }
  }
}

/** Returns whether a module is a list or a dictionary of modules. */
const isContainer = ({ constructor: type }: Module): boolean =>
  (type as typeof Module).torchClass?.startsWith("torch.nn.modules.container.") === true;
