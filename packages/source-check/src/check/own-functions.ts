/** @file Functions of Sconce by their values: a bundler may have renamed what the code calls. */
import { ownValues } from "./own-values.js";

let names: Map<unknown, string> | undefined;
const declared: [string, unknown][] = [];

/** Declares a function of Sconce that this module cannot import. */
export function declareOwn(name: string, value: unknown): void {
  declared.push([name, value]);
  // The names may have been asked for before the module was loaded.
  names = undefined;
}

const operators = new WeakMap<object, string>();

/** Declares an operator of the user's, with the types of its results: `(Tensor, SymInt)`. */
export function declareOperator(value: object, returns: string): void {
  operators.set(value, returns);
}

/** Returns the types of the results of an operator of the user's; undefined for other values. */
export const operatorReturns = (value: unknown): string | undefined =>
  typeof value === "function" ? operators.get(value) : undefined;

/**
 * Returns whether a getter is that of `torch.ops`, which makes the functions when they are read
 * first.
 */
export const isOwnGetter = (get: object): boolean =>
  get === Object.getOwnPropertyDescriptor(ownValues().torch, "ops")?.get;

/** Returns the name of a function of Sconce, `torch.cat`; undefined for other values. */
export function ownFunctionName(value: unknown): string | undefined {
  names ??= index();
  return names.get(value);
}

function index(): Map<unknown, string> {
  const found = new Map<unknown, string>();
  const add = (name: string, value: unknown): void => {
    if (typeof value === "function") found.set(value, name);
    else if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) add(`${name}.${key}`, item);
  };
  for (const [name, value] of [...Object.entries(ownValues().functions), ...declared]) add(name, value);
  return found;
}
