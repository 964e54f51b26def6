import { checkOptions, markClass, type OptionNames } from "@sconce/errors";
import { type AnyFunction, fieldsOf } from "@sconce/source-check";
import { type DType, isComplexDType, isDType, isFloatDType, showsAsText, Tensor } from "@sconce/tensor";
import type { Device } from "../functions/argument-types.js";
import { invalidArgument } from "../functions/errors.js";
import { installMethods } from "../functions/install.js";
import { COPY } from "../this-copy.js";
import { callOperator, currentTrace } from "../trace/dispatch.js";
import { withoutNotes } from "../trace/state-reads.js";
import { badName, missingState, noForward, noSubmodule, notModule, takenName } from "./errors.js";
import {
  addHook,
  type ForwardHook,
  type ForwardPreHook,
  type HookHandle,
  type HookOptions,
  type KeywordHook,
  type KeywordPreHook,
  type PreHookOptions,
  runHooked,
  type WithKwargs,
} from "./hooks.js";
import { assignState, convertState, emptyStateOf, moveState, placeOf } from "./module-state.js";
import { moduleText } from "./module-text.js";
import { registryOf, startRegistry } from "./registered-names.js";
import {
  buffersOf,
  childrenOf,
  descendants,
  joinPath,
  type NamedModule,
  type NamedTensor,
  namedState,
  noteNumbered,
  parametersOf,
} from "./state.js";
import { Parameter } from "./tensors.js";

installMethods();

/** Options of {@link Module.registerBuffer}. */
export interface BufferOptions {
  /** Whether `stateDict()` holds it. @defaultValue true */
  readonly persistent?: boolean | undefined;
}

const BUFFER: OptionNames<BufferOptions> = { persistent: true };

/** Options of {@link Module.loadStateDict}. */
export interface LoadOptions {
  /** Whether missing and unexpected names are refused. @defaultValue true */
  readonly strict?: boolean | undefined;
  /**
   * Whether the module takes the given tensors themselves: state on the `meta` device gets values
   * so. @defaultValue false
   */
  readonly assign?: boolean | undefined;
}

const LOAD: OptionNames<LoadOptions> = { strict: true, assign: true };

/** Options of {@link Module.namedParameters} and its like. */
export interface StateOptions {
  /** Whether a tensor or module with several names is given once. @defaultValue true */
  readonly removeDuplicate?: boolean | undefined;
}

const STATE: OptionNames<StateOptions> = { removeDuplicate: true };

/** What {@link Module.loadStateDict} left alone, with `strict: false`. */
export interface LoadReport {
  /** Names of the module's state that were not given. */
  readonly missingKeys: readonly string[];
  /** Names that the module does not have. */
  readonly unexpectedKeys: readonly string[];
}

/**
 * A module whose class is not known, of a container or a path: it is called with anything, and its
 * result has no type, as in Python.
 */
// biome-ignore lint/suspicious/noExplicitAny: the class is not known
export type AnyModule = ((...args: readonly any[]) => any) & Module & { forward(...args: any[]): any };

/** A module is called as a function: the call runs its `forward`. */
export interface Module {
  (...args: Parameters<this["forward"]>): ReturnType<this["forward"]>;
  /** Whether the module trains: dropout drops, batch norm takes the statistics of the batch. */
  training: boolean;
}

/**
 * Base class of all models (`torch.nn.Module`). Parameters, buffers and submodules are properties;
 * `forward` computes. A module is called as a function, with the types of its `forward`.
 *
 * @example
 * class Net extends nn.Module {
 *   readonly fc = new nn.Linear(8, 4);
 *   forward(x: Tensor): Tensor {
 *     return this.fc(x).relu();
 *   }
 * }
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor makes a function, and sets `training`
export class Module {
  static {
    markClass(Module, "Module", COPY);
    showsAsText(Module.prototype);
  }

  /** The class as `nn_module_stack` names it; undefined for the name of the class. */
  static readonly torchClass: string | undefined = undefined;

  constructor() {
    const module = ((...args: never[]) => callModule(module, args)) as Module;
    Object.setPrototypeOf(module, new.target.prototype as object);
    // Own properties of functions would hide properties of the module.
    for (const name of ["name", "length"]) Reflect.deleteProperty(module, name);
    module.training = true;
    startRegistry(module);
    // biome-ignore lint/correctness/noConstructorReturn: a module is called as a function
    return module;
  }

  /**
   * Computes the module's result. Subclasses override it.
   * @throws SconceError `NO_FORWARD` when they do not
   */
  forward(..._args: never[]): unknown {
    throw noForward(this.constructor.name);
  }

  /** Returns the text between the module's parentheses: `in_features=8, out_features=4`. */
  extraRepr(): string {
    return "";
  }

  /** Registers a tensor as state that is not learned; null reserves the name. */
  registerBuffer(name: string, tensor: Tensor | null, options: BufferOptions = {}): void {
    checkOptions("registerBuffer", options, BUFFER);
    requireFreeName(this, name);
    registryOf(this).buffers.set(name, options.persistent ?? true);
    setProperty(this, name, tensor);
  }

  /**
   * Registers a tensor as a parameter; null reserves the name.
   * @throws SconceError `LAYER_ARGUMENTS` for the name of a member of all modules
   */
  registerParameter(name: string, parameter: Parameter | null): void {
    requireFreeName(this, name);
    registryOf(this).parameters.add(name);
    setProperty(this, name, parameter);
  }

  /**
   * Registers a submodule under a name that is not an identifier, such as `0`.
   * @throws SconceError `LAYER_ARGUMENTS` for what is not a module, and for the name of a member of
   * all modules
   */
  addModule(name: string, module: Module | null): void {
    if (module !== null && !(module instanceof Module)) throw notModule(this.constructor.name, module);
    requireFreeName(this, name);
    if (/^(boolean|number|string)$/.test(typeof fieldsOf(this)[name]))
      throw takenName(this.constructor.name, name);
    noteNumbered(this, name);
    setProperty(this, name, module);
  }

  /**
   * Returns the module at a path, `encoder.0`; the module itself for the empty path. @throws
   * SconceError `MODULE_PATH`
   */
  getSubmodule(path: string): AnyModule {
    let module: Module = this;
    for (const name of path === "" ? [] : path.split(".")) {
      const next = childrenOf<Module>(module).find(([own]) => own === name)?.[1];
      if (next === undefined) throw noSubmodule(path, name, module.constructor.name);
      module = next;
    }
    return module as AnyModule;
  }

  /**
   * Puts a module at a path, in place of the one that is there or as a new one of its parent.
   * @throws SconceError `MODULE_PATH` where the path has no parent, `LAYER_ARGUMENTS` for what is
   * not a module
   */
  setSubmodule(path: string, module: Module): void {
    const names = path.split(".");
    const name = names.pop()!;
    if (name === "") throw noSubmodule(path, name, this.constructor.name);
    this.getSubmodule(names.join(".")).addModule(name, module);
  }

  /** Its own submodules, each once, with their names, in order of definition. */
  namedChildren(): NamedModule<AnyModule>[] {
    const seen = new Set<Module>();
    const names = withoutNotes(() => childrenOf<Module>(this)).filter(([, child]) => {
      const isNew = !seen.has(child);
      seen.add(child);
      return isNew;
    });
    const children = fieldsOf<AnyModule>(this);
    return names.map(([name]) => [name, children[name]!]);
  }

  /** Its own submodules, each once, in order of definition. */
  children(): AnyModule[] {
    return this.namedChildren().map(([, child]) => child);
  }

  /** Returns the module itself and all below it, each once. */
  modules(): AnyModule[] {
    return this.namedModules().map(([, module]) => module);
  }

  /** Returns the module itself and all below it, with their paths; the module's own is empty. */
  namedModules(options: StateOptions = {}): NamedModule<AnyModule>[] {
    checkOptions("namedModules", options, STATE);
    return descendants<AnyModule>(this as AnyModule, options.removeDuplicate ?? true);
  }

  /** Parameters with their fully qualified names. */
  namedParameters(options: StateOptions = {}): NamedTensor[] {
    checkOptions("namedParameters", options, STATE);
    return namedState(this, parametersOf, options.removeDuplicate ?? true);
  }

  /** Buffers with their fully qualified names, persistent or not. */
  namedBuffers(options: StateOptions = {}): NamedTensor[] {
    checkOptions("namedBuffers", options, STATE);
    return namedState(this, buffersOf, options.removeDuplicate ?? true);
  }

  /** Its parameters, each once. */
  parameters(): Tensor[] {
    return this.namedParameters().map(([, tensor]) => tensor);
  }

  /** Its buffers, each once. */
  buffers(): Tensor[] {
    return this.namedBuffers().map(([, tensor]) => tensor);
  }

  /** Parameters and persistent buffers by their fully qualified names, in PyTorch's order. */
  stateDict(): Map<string, Tensor> {
    const state = new Map<string, Tensor>();
    for (const [path, module] of descendants<Module>(this, false)) {
      const { buffers } = registryOf(module);
      for (const [name, tensor] of parametersOf(module)) state.set(joinPath(path, name), tensor);
      for (const [name, tensor] of buffersOf(module))
        if (buffers.get(name) !== false) state.set(joinPath(path, name), tensor);
    }
    return state;
  }

  /**
   * Copies values into parameters and buffers, by their fully qualified names.
   * @throws SconceError `STATE_DICT` with everything that does not fit
   */
  loadStateDict(
    values: ReadonlyMap<string, Tensor> | Readonly<Record<string, Tensor>>,
    options: LoadOptions = {},
  ): LoadReport {
    checkOptions("loadStateDict", options, LOAD);
    const given = values instanceof Map ? values : new Map(Object.entries(values));
    const own = this.stateDict();
    const missingKeys = [...own.keys()].filter((name) => !given.has(name));
    const unexpectedKeys = [...given.keys()].filter((name) => !own.has(name));
    const strict = options.strict ?? true;
    const wrong = [...own].filter(([name, { shape }]) => {
      const value = given.get(name);
      return value !== undefined && value.shape.join() !== shape.join();
    });
    if (wrong.length > 0 || (strict && missingKeys.length + unexpectedKeys.length > 0)) {
      const sizes = wrong.map(([name, { shape }]) => ({ name, own: shape, given: given.get(name)!.shape }));
      throw missingState(
        this.constructor.name,
        strict ? missingKeys : [],
        strict ? unexpectedKeys : [],
        sizes,
      );
    }
    if (options.assign === true) assignState(this, given);
    else
      for (const [name, target] of own) {
        const value = given.get(name);
        if (value !== undefined) callOperator("aten.copy_.default", [target, value]);
      }
    return { missingKeys, unexpectedKeys };
  }

  /** Sets the mode of training here and below. */
  train(mode = true): this {
    for (const [, module] of descendants<Module>(this, true)) module.training = mode;
    return this;
  }

  /** Sets the mode of evaluation here and below: `train(false)`. */
  eval(): this {
    return this.train(false);
  }

  /** Calls a function with every module, those below first. */
  apply(visit: (module: Module) => void): this {
    for (const [, child] of childrenOf<Module>(this)) child.apply(visit);
    visit(this);
    return this;
  }

  /** Sets whether gradients are recorded for the parameters here and below. */
  requiresGrad_(requiresGrad = true): this {
    for (const [, module] of descendants<Module>(this, true))
      for (const [name, tensor] of parametersOf(module))
        if (tensor.requiresGrad !== requiresGrad)
          setProperty(module, name, new Parameter(tensor, requiresGrad));
    return this;
  }

  /**
   * Gives parameters and buffers of floats or complex numbers another dtype, here and below.
   * Tensors that modules share stay shared. Sconce runs models on the CPU: any other device than
   * "cpu" and "meta" is refused. On "meta", parameters and buffers have no values.
   * @throws SconceError `TORCH_ARGUMENT` for a dtype of integers, and for another device;
   * `NO_VALUES` for state on "meta" that goes to "cpu"
   */
  to(
    target:
      | DType
      | "cpu"
      | "meta"
      | Tensor
      | { readonly dtype?: DType | null; readonly device?: Device | null },
  ): this {
    const { dtype, device } = targetOf(this.constructor.name, target);
    if (dtype !== undefined)
      convertState(this, (own) => (isFloatDType(own) || isComplexDType(own) ? dtype : own));
    return device === null ? this : moveState(this, device);
  }

  /**
   * Gives parameters and buffers new memory on a device: zeros on the CPU, which `loadStateDict`
   * fills, or none on "meta".
   * @throws SconceError `TORCH_ARGUMENT` for another device than "cpu" and "meta"
   */
  toEmpty({ device, recurse = true }: { readonly device: Device; readonly recurse?: boolean }): this {
    return emptyStateOf(this, placeOf(this.constructor.name, device), recurse);
  }

  /** Gives parameters and buffers another dtype, also those of integers. */
  type(dtype: DType): this {
    return convertState(this, () => dtype);
  }

  /** Makes parameters and buffers of floats float32. */
  float(): this {
    return convertState(this, floatsTo("float32"));
  }

  /** Makes parameters and buffers of floats float64. */
  double(): this {
    return convertState(this, floatsTo("float64"));
  }

  /** Makes parameters and buffers of floats float16. */
  half(): this {
    return convertState(this, floatsTo("float16"));
  }

  /** Makes parameters and buffers of floats bfloat16. */
  bfloat16(): this {
    return convertState(this, floatsTo("bfloat16"));
  }

  /** Returns the module itself: models run on the CPU. */
  cpu(): this {
    return this;
  }

  /**
   * Runs a function before each call of `forward`, with the module and its arguments. What the
   * function returns takes the place of the arguments: an array of them, or the only one. With
   * `withKwargs` it is given the keyword arguments too, and returns `[args, kwargs]`.
   *
   * @example layer.registerForwardPreHook((_, [x]) => [x.mul(2)]);
   */
  registerForwardPreHook<M extends Module>(
    this: M,
    hook: KeywordPreHook<M>,
    options: PreHookOptions & WithKwargs,
  ): HookHandle;
  registerForwardPreHook<M extends Module>(
    this: M,
    hook: ForwardPreHook<M>,
    options?: PreHookOptions,
  ): HookHandle;
  registerForwardPreHook(hook: AnyFunction, options?: PreHookOptions): HookHandle {
    return addHook(this, "before", hook, options);
  }

  /**
   * Runs a function after each call of `forward`, with the module, its arguments and its result.
   * What the function returns takes the place of the result. With `withKwargs` it is given the
   * keyword arguments before the result.
   *
   * @example layer.registerForwardHook((_, args, output) => output.relu());
   */
  registerForwardHook<M extends Module>(
    this: M,
    hook: KeywordHook<M>,
    options: HookOptions & WithKwargs,
  ): HookHandle;
  registerForwardHook<M extends Module>(this: M, hook: ForwardHook<M>, options?: HookOptions): HookHandle;
  registerForwardHook(hook: AnyFunction, options?: HookOptions): HookHandle {
    return addHook(this, "after", hook, options);
  }

  /** Returns the module as PyTorch prints it. */
  toString(): string {
    return moduleText(this);
  }
}

/**
 * Refuses a name that all modules have a member of. Names may come from files: such a one would
 * take the place of a method, or of the prototype. Refuses names that are empty or have a dot, too.
 * @throws SconceError `LAYER_ARGUMENTS`
 */
export function requireFreeName(module: Module, name: string): void {
  if (name === "" || name.includes(".")) throw badName(module.constructor.name, name);
  if (name in Module.prototype) throw takenName(module.constructor.name, name);
}

const floatsTo =
  (dtype: DType) =>
  (own: DType): DType =>
    isFloatDType(own) ? dtype : own;

/** Returns the dtype and the device that `module.to` is given. */
function targetOf(
  owner: string,
  target: Parameters<Module["to"]>[0],
): { readonly dtype: DType | undefined; readonly device: Device | null } {
  const given =
    typeof target === "string" ? (isDType(target) ? { dtype: target } : { device: target }) : target;
  const device = given instanceof Tensor ? null : (given?.device ?? null);
  const dtype = given?.dtype ?? undefined;
  if (dtype === undefined && device === null)
    throw invalidArgument(
      `${owner}.to`,
      "the dtype or device is undefined",
      "check its name: `torch.float16`",
    );
  if (dtype !== undefined && !isFloatDType(dtype) && !isComplexDType(dtype))
    throw invalidArgument(
      `${owner}.to`,
      `nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.${dtype}`,
      "use `type(dtype)` to convert all of the state",
    );
  return { dtype, device: device === null ? null : placeOf(owner, device) };
}

function setProperty(module: Module, name: string, value: unknown): void {
  fieldsOf(module)[name] = value;
}

function callModule(module: Module, args: never[]): unknown {
  const registry = registryOf(module);
  // A tensor that `forward` assigns to a property does not show that it was a buffer.
  if (!registry.isRead)
    withoutNotes(() => {
      registry.isRead = true;
      parametersOf(module);
      buffersOf(module);
    });
  const trace = currentTrace();
  const forward = (...given: readonly unknown[]): unknown => module.forward(...(given as never[]));
  const run = (): unknown => runHooked(module, args, forward);
  return trace?.inModule === undefined ? run() : trace.inModule(module, args, run);
}
