/** @file The types that leaves of inputs and outputs may have. */

import { type Argument, isFloat } from "@sconce/ir";
import { type AnyFunction, isClass } from "@sconce/source-check";
import { Tensor } from "@sconce/tensor";
import { isSym, type Sym } from "@sconce/torch";
import { unsupportedInput, unsupportedOutput } from "./errors.js";

/** A leaf of the inputs of a model. `undefined` counts as None. */
export type InputLeaf = Tensor | Argument | undefined;

/** A leaf of the outputs of a model. */
export type OutputLeaf = InputLeaf | Sym;

const isPlain = (leaf: unknown): leaf is Argument | undefined =>
  leaf === null ||
  leaf === undefined ||
  typeof leaf === "number" ||
  typeof leaf === "bigint" ||
  typeof leaf === "boolean" ||
  typeof leaf === "string" ||
  isFloat(leaf);

/**
 * Checks a leaf of the inputs: a tensor, a number, a boolean, a string, null or undefined.
 *
 * @param place the way to the leaf, as messages show it: `args[0]['k']`
 * @throws SconceError `UNSUPPORTED_INPUT`
 */
export function requireInputLeaf(leaf: unknown, place: string): InputLeaf {
  if (leaf instanceof Tensor || isPlain(leaf)) return leaf;
  throw unsupportedInput(pythonClass(leaf), place);
}

/**
 * Checks a leaf of the outputs: what inputs may be, and dynamic sizes.
 *
 * @throws SconceError `UNSUPPORTED_OUTPUT`
 */
export function requireOutputLeaf(leaf: unknown): OutputLeaf {
  if (leaf instanceof Tensor || isSym(leaf) || isPlain(leaf)) return leaf;
  throw unsupportedOutput(pythonClass(leaf));
}

/** Returns the class of a value, as Python's message would name it. */
function pythonClass(value: unknown): string {
  if (typeof value === "function") return isClass(value as AnyFunction) ? "type" : "function";
  if (typeof value !== "object" || value === null) return typeof value;
  if ("kind" in value && value.kind === "complex") return "complex";
  return (value.constructor as { name?: string } | undefined)?.name ?? "object";
}
