/** @file Tensors in JSON, for logs and tests. */
import type { DType } from "./dtype.js";
import type { Element } from "./element.js";

/**
 * An element in JSON: integers of 64 bits as their digits, and floats that JSON does not have as
 * `"NaN"`, `"Infinity"` and `"-Infinity"`.
 */
export type ElementJson = number | boolean | string | { readonly re: ElementJson; readonly im: ElementJson };

/** Elements in nested arrays, one level for each dimension; one element without dimensions. */
export type NestedJson = ElementJson | readonly NestedJson[];

/** What `JSON.stringify` shows of a tensor. */
export interface TensorJson {
  /** The element type. */
  readonly dtype: DType;
  /** Sizes, outermost dimension first. */
  readonly shape: readonly number[];
  /**
   * Left out for tensors of more than 10,000 elements, for those without values, and not loaded.
   */
  readonly values?: NestedJson;
}

/** Most elements that are shown: what logs a program must not write all of its weights. */
const MOST_ELEMENTS = 10_000;

/** Returns a tensor as JSON; `elements` gives its elements in logical order, if it has values. */
export function tensorJson(
  { dtype, shape }: Pick<TensorJson, "dtype" | "shape">,
  count: number,
  elements: (() => readonly Element[]) | undefined,
): TensorJson {
  if (elements === undefined || count > MOST_ELEMENTS) return { dtype, shape };
  return { dtype, shape, values: nested(elements().map(elementJson), shape) };
}

function elementJson(element: Element): ElementJson {
  if (typeof element === "object") return { re: elementJson(element.re), im: elementJson(element.im) };
  if (typeof element === "bigint") return String(element);
  return typeof element === "number" && !Number.isFinite(element) ? String(element) : element;
}

function nested(items: readonly ElementJson[], shape: readonly number[]): NestedJson {
  if (shape.length === 0) return items[0]!;
  let level: readonly NestedJson[] = items;
  for (let d = shape.length - 1; d > 0; d--) {
    const size = shape[d]!;
    const count = shape.slice(0, d).reduce((product, one) => product * one, 1);
    const inner = level;
    level = Array.from({ length: count }, (_, i) => inner.slice(i * size, (i + 1) * size));
  }
  return level;
}
