/** @file Selects the signature that a call fits, as `FunctionSignature::parse` of PyTorch does. */
import { kindOf } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { isIntegerList, takes } from "./arguments.js";
import { noSignature } from "./errors.js";
import type { Parameter, Signature } from "./parameters.js";

/** Keyword arguments by camelCase name. */
export type Keywords = Readonly<Record<string, unknown>>;

/** A signature, and the value of each of its parameters; undefined where none is given. */
export interface ParsedCall {
  readonly signature: Signature;
  readonly values: readonly unknown[];
}

const NO_KEYWORDS: Keywords = Object.freeze({});

/**
 * Returns whether a value is an object of keyword arguments: a plain object that is not a literal.
 */
function isKeywords(value: unknown): value is Keywords {
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Tensor)
    return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null) && kindOf(value) === undefined && !("re" in value)
  );
}

/** Splits the keyword arguments, given in a last plain object, from the positional ones. */
export function splitKeywords(given: readonly unknown[]): { args: readonly unknown[]; kwargs: Keywords } {
  const last = given.at(-1);
  if (isKeywords(last)) return { args: given.slice(0, -1), kwargs: last };
  let { length } = given;
  while (length > 0 && given[length - 1] === undefined) length--;
  return { args: length === given.length ? given : given.slice(0, length), kwargs: NO_KEYWORDS };
}

const keywordOf = ({ keywords }: Parameter, kwargs: Keywords): unknown => {
  for (const name of keywords) if (kwargs[name] !== undefined) return kwargs[name];
  return undefined;
};

/** Returns the values of a signature's parameters, or undefined when the call does not fit it. */
function valuesFor(
  signature: Signature,
  args: readonly unknown[],
  kwargs: Keywords,
  keywords: number,
): unknown[] | undefined {
  const { parameters, variadic, numbersAsTensors } = signature;
  if (args.length > signature.maxPositional && !variadic) return undefined;
  const values: unknown[] = [];
  let position = 0;
  let left = keywords;
  for (const parameter of parameters) {
    const byPosition = position < args.length;
    if (byPosition && parameter.keywordOnly) return undefined;
    const value = byPosition ? args[position] : keywordOf(parameter, kwargs);
    if (value === undefined || (value === null && parameter.allowNone)) {
      if (value === undefined && !parameter.optional) return undefined;
      values.push(value);
    } else if (takes(parameter, value, numbersAsTensors)) values.push(value);
    else if (variadic && position === 0 && byPosition && isIntegerList(args)) {
      values.push(args);
      position = args.length;
      continue;
    } else return undefined;
    if (byPosition) position++;
    else if (value !== undefined) left--;
  }
  return left > 0 || position < args.length ? undefined : values;
}

/**
 * Returns the first signature that takes these arguments. `written` are those of the call, with
 * undefined ones at the end, for the error.
 *
 * @throws SconceError `NO_SIGNATURE`
 */
export function parseCall(
  name: string,
  signatures: readonly Signature[],
  args: readonly unknown[],
  kwargs: Keywords,
  written: readonly unknown[] = args,
): ParsedCall {
  let keywords = 0;
  for (const key in kwargs) if (kwargs[key] !== undefined) keywords++;
  for (const signature of signatures) {
    const values = valuesFor(signature, args, kwargs, keywords);
    if (values !== undefined) return { signature, values };
  }
  throw noSignature(
    name,
    signatures,
    written.length > args.length && keywords === 0 ? written : args,
    kwargs,
  );
}
