/** @file Modules that hold modules. */

import { fieldsOf } from "@sconce/source-check";
import { type FirstItems, Tensor } from "@sconce/tensor";
import { withoutNotes } from "../../trace/state-reads.js";
import { badPlace, moduleInsteadOfList, noItem, takenName } from "../errors.js";
import { type AnyModule, Module } from "../module.js";
import { className, indented } from "../module-text.js";
import { childrenOf, eachChild } from "../state.js";
import { Parameter } from "../tensors.js";

/** Returns the module at a place of a container; negative places count from the end. */
function childAt(owner: Module, index: number): unknown {
  const children = withoutNotes(() => childrenOf(owner));
  const [name] = children.at(index) ?? [];
  if (name === undefined) throw noItem(owner.constructor.name, index, children.length);
  return fieldsOf(owner)[name];
}

/** Returns the modules at some places of a container, as `Array.prototype.slice` chooses them. */
const childrenAt = (owner: Module, start?: number, end?: number): [string, Module][] =>
  withoutNotes(() => childrenOf<Module>(owner))
    .slice(start, end)
    .map(([name]) => [name, fieldsOf<Module>(owner)[name]!]);

/** The modules by their places: `layers[0]`. */
export interface Sequential extends FirstItems<AnyModule> {}

/** Calls modules one after another (`torch.nn.Sequential`). */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: modules are properties
export class Sequential extends Module {
  static override readonly torchClass: string = "torch.nn.modules.container.Sequential";

  /** @param modules in order, or one object of modules by name */
  constructor(...modules: Module[] | [named: Readonly<Record<string, Module>>]) {
    super();
    const [first] = modules;
    if (modules.length === 1 && typeof first === "object") {
      for (const [name, module] of Object.entries(first)) this.addModule(name, module);
    } else for (const [i, module] of (modules as Module[]).entries()) this.addModule(String(i), module);
  }

  /** Adds a module at the end. */
  append(module: Module): this {
    this.addModule(String(this.size), module);
    return this;
  }

  override forward(input: Tensor): Tensor {
    let value: unknown = input;
    for (const module of eachChild<AnyModule>(this)) value = module(value);
    return value as Tensor;
  }

  /** How many modules it holds. */
  get size(): number {
    return withoutNotes(() => childrenOf(this)).length;
  }

  /**
   * Returns the module at a place, as `modules[i]` in Python; negative places count from the end.
   * @throws SconceError `MODULE_PATH` for a place that has none
   */
  at(index: number): AnyModule {
    return childAt(this, index) as AnyModule;
  }

  /** Returns the modules at some places, as `modules[start:end]` in Python. */
  slice(start?: number, end?: number): Sequential {
    return new Sequential(Object.fromEntries(childrenAt(this, start, end)));
  }

  /** Yields the modules, in order. */
  [Symbol.iterator](): IterableIterator<AnyModule> {
    return eachChild<AnyModule>(this as AnyModule);
  }
}

/** The modules by their places: `layers[0]`. */
export interface ModuleList<M extends Module = AnyModule> extends FirstItems<M> {}

/** A list of modules, which the owner calls (`torch.nn.ModuleList`). */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: modules are properties
export class ModuleList<M extends Module = AnyModule> extends Module {
  static override readonly torchClass: string = "torch.nn.modules.container.ModuleList";

  constructor(modules: Iterable<M> = []) {
    super();
    if (modules instanceof Module) throw moduleInsteadOfList(modules.constructor.name);
    let i = 0;
    for (const module of modules) this.addModule(String(i++), module);
  }

  /** Adds a module at the end. */
  append(module: M): this {
    this.addModule(String(this.size), module);
    return this;
  }

  /**
   * Puts a module in front of the one at a place; at the end, where there is none at it.
   * @throws SconceError `LAYER_ARGUMENTS` for a place that is negative or not a whole number
   */
  insert(index: number, module: M): this {
    if (!Number.isInteger(index) || index < 0) throw badPlace("ModuleList.insert", index);
    const all = [...this];
    all.splice(index, 0, module);
    for (const [i, one] of all.entries()) this.addModule(String(i), one);
    return this;
  }

  /** Adds modules at the end. */
  extend(modules: Iterable<M>): this {
    for (const module of modules) this.append(module);
    return this;
  }

  /**
   * Returns the module at a place; negative places count from the end.
   * @throws SconceError `MODULE_PATH` for a place that has none
   */
  at(index: number): M {
    return childAt(this, index) as M;
  }

  /** Returns the modules at some places, as `modules[start:end]` in Python. */
  slice(start?: number, end?: number): ModuleList<M> {
    return new ModuleList(childrenAt(this, start, end).map(([, module]) => module as M));
  }

  /** How many modules it holds. */
  get size(): number {
    return withoutNotes(() => childrenOf(this)).length;
  }

  /** Yields the modules, in order. */
  [Symbol.iterator](): IterableIterator<M> {
    return eachChild<Module>(this) as IterableIterator<Module> as IterableIterator<M>;
  }

  /** Yields the modules with their places, as `enumerate` gives them. */
  *entries(): IterableIterator<[number, M]> {
    let i = 0;
    for (const module of this) yield [i++, module];
  }

  /** Returns the modules as PyTorch prints them: neighbors of the same text in one line. */
  override toString(): string {
    const groups: { first: number; last: number; text: string }[] = [];
    [...this].forEach((module, i) => {
      const text = String(module);
      const before = groups.at(-1);
      if (before?.text === text) before.last = i;
      else groups.push({ first: i, last: i, text });
    });
    const lines = groups.map(({ first, last, text }) =>
      indented(first === last ? `(${first}): ${text}` : `(${first}-${last}): ${last - first + 1} x ${text}`),
    );
    const name = className(this);
    return lines.length === 0 ? `${name}()` : `${name}(\n${lines.join("\n")}\n)`;
  }

  /** Calls a function with each module and its place, and lists what it returns. */
  map<T>(each: (module: M, index: number) => T): T[] {
    return Array.from(this, each);
  }
}

/** Members that module dicts have in Python, whose names PyTorch refuses. */
const PYTHON_MEMBERS: ReadonlySet<string> = new Set(
  "T_destination add_module apply bfloat16 buffers call_super_init children clear compile cpu cuda double dump_patches eval extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu items keys load_state_dict modules mtia named_buffers named_children named_modules named_parameters parameters pop register_backward_hook register_buffer register_forward_hook register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module register_parameter register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty train training type update values xpu zero_grad _modules _parameters _buffers _version _apply".split(
    " ",
  ),
);

/** Modules by name, which the owner calls (`torch.nn.ModuleDict`). */
export class ModuleDict<M extends Module = AnyModule> extends Module {
  static override readonly torchClass: string = "torch.nn.modules.container.ModuleDict";

  constructor(modules: Readonly<Record<string, M>> = {}) {
    super();
    for (const [name, module] of Object.entries(modules)) this.addModule(name, module);
  }

  /**
   * Adds a module, or exchanges the one of the name.
   * @throws SconceError `LAYER_ARGUMENTS` for what is not a module, and for the name of a member of
   * module dicts in Python or in TypeScript
   */
  override addModule(name: string, module: M | null): void {
    const isTaken = name in this && !this.has(name) && fieldsOf(this)[name] !== null;
    if (isTaken || PYTHON_MEMBERS.has(name)) throw takenName("ModuleDict", name);
    super.addModule(name, module);
  }

  /**
   * Returns the module of a name, as `modules[name]` in Python.
   * @throws SconceError `MODULE_PATH` for a name without one
   */
  get(name: string): M {
    if (!this.has(name)) throw noItem("ModuleDict", name, this.size);
    return fieldsOf<M>(this)[name]!;
  }

  /** Adds a module, or exchanges the one of the name. */
  set(name: string, module: M): this {
    this.addModule(name, module);
    return this;
  }

  /** Returns whether there is a module of a name. */
  has(name: string): boolean {
    return this.keys().includes(name);
  }

  /** How many modules it holds. */
  get size(): number {
    return this.keys().length;
  }

  /** Returns the modules, in order. */
  values(): M[] {
    return this.entries().map(([, module]) => module);
  }

  /** Returns the names, in order. */
  keys(): string[] {
    return withoutNotes(() => childrenOf(this)).map(([name]) => name);
  }

  /** Names with their modules, in order. */
  entries(): [string, M][] {
    return childrenOf<Module>(this).map(([name, module]) => [name, module as M]);
  }
}

/**
 * Returns what a parameter is in the text of a list:
 * `Parameter containing: [torch.float32 of size 3x4]`.
 */
const parameterLine = (name: string, { shape }: Tensor, type: string): string =>
  `  (${name}): Parameter containing: [${type} of size ${shape.join("x")}]`;

const asParameter = (value: Tensor): Parameter => (value instanceof Parameter ? value : new Parameter(value));

/** What lists and dictionaries of parameters share. */
abstract class Parameters extends Module {
  /** Returns the parameters with their names, in order. */
  entries(): [string, Tensor][] {
    const own = Object.entries(fieldsOf(this));
    return own.filter((entry): entry is [string, Tensor] => entry[1] instanceof Tensor);
  }

  /** Returns the parameters, in order. */
  values(): Tensor[] {
    return this.entries().map(([, value]) => value);
  }

  /** How many parameters it holds. */
  get size(): number {
    return this.entries().length;
  }
}

/** The parameters by their places: `weights[0]`. */
export interface ParameterList extends FirstItems<Tensor> {}

/** A list of parameters (`torch.nn.ParameterList`). */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: parameters are properties
export class ParameterList extends Parameters {
  static override readonly torchClass: string = "torch.nn.modules.container.ParameterList";

  constructor(values: Iterable<Tensor> = []) {
    super();
    for (const value of values) this.append(value);
  }

  /** Adds a parameter at the end; a tensor becomes one. */
  append(value: Tensor): this {
    this.registerParameter(String(this.size), asParameter(value));
    return this;
  }

  /** Returns the parameter at a place; negative places count from the end. */
  at(index: number): Tensor {
    return this.values().at(index)!;
  }

  /** Yields the parameters, in order. */
  [Symbol.iterator](): IterableIterator<Tensor> {
    return this.values()[Symbol.iterator]() as IterableIterator<Tensor>;
  }

  override extraRepr(): string {
    return this.entries()
      .map(([name, value]) => parameterLine(name, value, `torch.${value.dtype}`))
      .join("\n");
  }
}

/** Parameters by name (`torch.nn.ParameterDict`). */
export class ParameterDict extends Parameters {
  static override readonly torchClass: string = "torch.nn.modules.container.ParameterDict";

  /** @param parameters by name: a map keeps its order, an object is sorted as PyTorch's dict */
  constructor(parameters: ReadonlyMap<string, Tensor> | Readonly<Record<string, Tensor>> = {}) {
    super();
    const entries =
      parameters instanceof Map
        ? [...parameters]
        : Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
    for (const [name, value] of entries) this.set(name, value);
  }

  /** Adds a parameter, or exchanges it; a tensor becomes one. */
  set(name: string, value: Tensor): this {
    this.registerParameter(name, asParameter(value));
    return this;
  }

  /** Returns the parameter of a name; undefined without one. */
  get(name: string): Tensor | undefined {
    return this.entries().find(([own]) => own === name)?.[1];
  }

  /** Returns whether there is a parameter of a name. */
  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Returns the names, in order. */
  keys(): string[] {
    return this.entries().map(([name]) => name);
  }

  override extraRepr(): string {
    return this.entries()
      .map(([name, value]) => parameterLine(name, value, "torch.nn.parameter.Parameter"))
      .join("\n");
  }
}
