/** @file Which values a parameter of a Python function takes, by its annotation. */
import { itemsOf } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { isScalar } from "./arguments.js";

const isNumber = (value: unknown): boolean => isScalar(value) || value instanceof Tensor;

function isNumberList(value: unknown): boolean {
  const items: readonly unknown[] | undefined = itemsOf(value as never);
  return items?.every((item) => item === null || isNumber(item)) === true;
}

/**
 * Returns what a parameter takes, where a value is of another kind; undefined where it may be
 * right. Annotations of PyTorch say less than its functions take: a number represents a list of
 * equal ones, `size` is a list too, and any value is true or false.
 */
export function wantedKind(annotation: string, key: string, value: unknown): string | undefined {
  const type = annotationOf(annotation, key);
  if (value === null) return MAY_BE_NONE.test(type) ? undefined : nameOf(type);
  const isFit = FITS.find(([pattern]) => pattern.test(type))?.[1];
  return isFit === undefined || isFit(value) ? undefined : nameOf(type);
}
const MAY_BE_NONE = /None|Optional|^Any$|^bool$|^$/;

/**
 * Returns the type of what PyTorch leaves without one: the input of functions that call one method.
 */
const annotationOf = (annotation: string, key: string): string =>
  annotation === "Any" && key === "input" ? "Tensor" : key.endsWith("Lengths") ? "" : annotation;

const FITS: readonly (readonly [RegExp, (value: unknown) => boolean])[] = [
  [/^Tensor\|float/, isNumber],
  [/^Tensor/, (value) => value instanceof Tensor],
  [/^int$/, (value) => (typeof value === "number" ? Number.isInteger(value) : isNumber(value))],
  [/^(float|int\|float)/, isNumber],
  [/List|^list|^int\|None/, (value) => isNumber(value) || isNumberList(value)],
  [/^str/, (value) => typeof value === "string"],
];

function nameOf(type: string): string {
  if (type.startsWith("Tensor|")) return "a tensor or a number";
  if (type.startsWith("Tensor")) return "a tensor";
  if (/List|^list/.test(type)) return "a list of numbers";
  if (type === "int") return "a whole number";
  return type.startsWith("str") ? "a string" : "a number";
}
