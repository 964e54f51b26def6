/** @file Modules that hold modules. */
import { Tensor } from "@sconce/tensor";
import { Module } from "../module.js";
import { childrenOf } from "../state.js";
import { Parameter } from "../tensors.js";

/** Calls modules one after another (`torch.nn.Sequential`). */
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

  override forward(input: Tensor): Tensor {
    let value: unknown = input;
    for (const [, module] of childrenOf<Module>(this))
      value = (module as unknown as (x: unknown) => unknown)(value);
    return value as Tensor;
  }

  /** How many modules it holds. */
  get size(): number {
    return childrenOf(this).length;
  }

  /** The modules, in order. */
  [Symbol.iterator](): Iterator<Module> {
    return childrenOf<Module>(this)
      .map(([, module]) => module)
      [Symbol.iterator]();
  }
}

/** A list of modules, which the owner calls (`torch.nn.ModuleList`). */
export class ModuleList<M extends Module = Module> extends Module {
  static override readonly torchClass: string = "torch.nn.modules.container.ModuleList";

  constructor(modules: Iterable<M> = []) {
    super();
    let i = 0;
    for (const module of modules) this.addModule(String(i++), module);
  }

  /** Adds a module at the end. */
  append(module: M): this {
    this.addModule(String(this.size), module);
    return this;
  }

  /** The module at a place; negative places count from the end. */
  at(index: number): M {
    return [...this].at(index)!;
  }

  /** How many modules it holds. */
  get size(): number {
    return childrenOf(this).length;
  }

  /** The modules, in order. */
  [Symbol.iterator](): IterableIterator<M> {
    return childrenOf<Module>(this)
      .map(([, module]) => module as M)
      [Symbol.iterator]() as IterableIterator<M>;
  }

  /** Calls a function with each module and its place, and lists what it returns. */
  map<T>(each: (module: M, index: number) => T): T[] {
    return [...this].map(each);
  }
}

/** Modules by name, which the owner calls (`torch.nn.ModuleDict`). */
export class ModuleDict<M extends Module = Module> extends Module {
  static override readonly torchClass: string = "torch.nn.modules.container.ModuleDict";

  constructor(modules: Readonly<Record<string, M>> = {}) {
    super();
    for (const [name, module] of Object.entries(modules)) this.addModule(name, module);
  }

  /** The module of a name; undefined without one. */
  get(name: string): M | undefined {
    return childrenOf<Module>(this).find(([own]) => own === name)?.[1] as M | undefined;
  }

  /** The names, in order. */
  keys(): string[] {
    return childrenOf<Module>(this).map(([name]) => name);
  }

  /** Names with their modules, in order. */
  entries(): [string, M][] {
    return childrenOf<Module>(this).map(([name, module]) => [name, module as M]);
  }
}

/** A list of parameters (`torch.nn.ParameterList`). */
export class ParameterList extends Module {
  static override readonly torchClass: string = "torch.nn.modules.container.ParameterList";

  constructor(values: Iterable<Tensor> = []) {
    super();
    let i = 0;
    for (const value of values)
      this.registerParameter(String(i++), value instanceof Parameter ? value : new Parameter(value));
  }

  /** The parameter at a place. */
  at(index: number): Tensor {
    return [...this].at(index)!;
  }

  /** The parameters, in order. */
  [Symbol.iterator](): IterableIterator<Tensor> {
    const own = Object.entries(this as unknown as Record<string, unknown>);
    return own
      .filter((entry): entry is [string, Tensor] => entry[1] instanceof Tensor)
      .map(([, value]) => value)
      [Symbol.iterator]() as IterableIterator<Tensor>;
  }
}
