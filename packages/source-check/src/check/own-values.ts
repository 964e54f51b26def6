/**
 * @file Sconce's own classes and functions, as the check knows them. The check cannot import them:
 * they are made of packages that read sources themselves.
 */
import type { ExportedProgram, FakeTensor } from "@sconce/ir";

type ClassOf<T> = abstract new (...args: never[]) => T;

/** A module, as the check reads it. */
export interface OwnModule {
  readonly forward: unknown;
  namedModules(): Iterable<readonly [name: string, module: OwnModule]>;
  namedChildren(): readonly (readonly [name: string, module: OwnModule])[];
}

/** The classes and functions that the check has to know. */
export interface OwnValues {
  /** The class of modules. */
  readonly Module: ClassOf<OwnModule>;
  /** The class of lists of modules. */
  readonly ModuleList: ClassOf<OwnModule>;
  /** The class of tensors that a trace records. */
  readonly TracedTensor: ClassOf<{ readonly fake: FakeTensor }>;
  /** The class of dynamic sizes. */
  readonly SymInt: ClassOf<object>;
  /** Returns the program that a module runs as a whole; undefined for other modules. */
  programOf(module: OwnModule): ExportedProgram | undefined;
  /** Returns whether a module runs a program, or a part of one. */
  isProgramModule(module: OwnModule): boolean;
  /** Returns whether a value is symbolic. */
  isSym(value: unknown): boolean;
  /** Returns whether a getter gives the traced state of a module. */
  isStateGetter(get: object): boolean;
  /** Seeds the random numbers of this process. */
  readonly manualSeed: unknown;
  /** The namespace `torch`. */
  readonly torch: object;
  /** Functions and namespaces by the names that the check has for them. */
  readonly functions: Readonly<Record<string, unknown>>;
}

let values: OwnValues | undefined;

/** Gives the check Sconce's own classes and functions; `make` is called the first time alone. */
export function describeOwn(make: () => OwnValues): void {
  values ??= make();
}

/** Returns what {@link describeOwn} was given: it is called before a check. */
export const ownValues = (): OwnValues => values!;

/** Returns whether a value is a module. */
export const isModule = (value: unknown): value is OwnModule => value instanceof ownValues().Module;

/** Returns whether a value is symbolic. */
export const isSym = (value: unknown): boolean => ownValues().isSym(value);

/** Returns what a trace knows of a tensor; undefined for other values. */
export const fakeOf = (value: unknown): FakeTensor | undefined =>
  value instanceof ownValues().TracedTensor ? value.fake : undefined;
