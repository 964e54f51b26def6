/** @file Arguments of layers: positional as in PyTorch, then an object of those given by name. */

import { checkOptions, type OptionNames } from "@sconce/errors";
import { type FloatLiteral, floatRepr, jsonRepr, kindOf } from "@sconce/ir";
import { isPlainObject } from "@sconce/source-check";
import { badSize, extraSetting } from "./errors.js";

/**
 * The arguments of a layer that may be left out: some of them by position, in PyTorch's order, and
 * others by name in an object at the end.
 */
export type Settings<Positions extends readonly unknown[], Options> =
  | [options?: Options]
  | (Positions extends readonly [infer First, ...infer Rest]
      ? [first: First, ...rest: Settings<Rest, Options>]
      : never);

/**
 * Returns the settings of a layer, defaults filled in. `defaults` has every name in PyTorch's
 * order.
 *
 * @throws SconceError `UNKNOWN_OPTION`, `LAYER_ARGUMENTS` for too many by position
 */
export function settingsOf<T extends object>(layer: string, given: readonly unknown[], defaults: T): T {
  const names = Object.keys(defaults);
  const last = given.at(-1);
  const options = isOptions(last) ? last : undefined;
  const positional = options === undefined ? given : given.slice(0, -1);
  if (positional.length > names.length) throw extraSetting(layer, names, positional.length);
  const known = Object.fromEntries(names.map((name) => [name, true])) as OptionNames<T>;
  if (options !== undefined) checkOptions(layer, options as T, known);
  const settings: Record<string, unknown> = { ...(defaults as Record<string, unknown>) };
  positional.forEach((value, i) => {
    if (value !== undefined) settings[names[i]!] = value;
  });
  for (const [name, value] of Object.entries(options ?? {})) if (value !== undefined) settings[name] = value;
  return settings as T;
}

const isOptions = (value: unknown): value is Record<string, unknown> =>
  isPlainObject(value) && kindOf(value) === undefined;

/** A number for all dimensions, or one for each. */
export type Sizes = number | readonly number[];

/** One number for each of `count` dimensions. */
export const sizesOf = (value: Sizes, count: number): readonly number[] =>
  typeof value === "number" ? new Array<number>(count).fill(value) : value;

/** Returns a tuple in the words of Python: `(3, 3)`, `(3,)`. */
export const tupleText = (items: readonly unknown[]): string =>
  items.length === 1 ? `(${pythonText(items[0])},)` : `(${items.map(pythonText).join(", ")})`;

/** Returns whether a value is a float in Python, integral or not. */
export const isFloat = (value: unknown): value is FloatLiteral => kindOf(value) === "float";

/** Returns a number, boolean, text or tuple in the words of Python. */
export function pythonText(value: unknown): string {
  if (Array.isArray(value)) return tupleText(value);
  return isFloat(value) ? floatRepr(value.value) : jsonRepr(value);
}

/** Returns a name as Python's layers have it: `in_features`. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns the text of some settings of a layer: `alpha=1.0, inplace=True`. */
export function settingsText(names: readonly string[], settings: object): string {
  const values = settings as Readonly<Record<string, unknown>>;
  return names.map((name) => `${snakeCase(name)}=${pythonText(values[name])}`).join(", ");
}

/**
 * Requires sizes of a layer, by their names: whole numbers, or lists of them.
 * @throws SconceError `LAYER_ARGUMENTS`
 */
export function requireSizes(layer: string, sizes: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(sizes))
    for (const size of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      if (!Number.isSafeInteger(size) || (size as number) < 0) throw badSize(layer, name, size);
}
