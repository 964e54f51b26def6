import { type DType, dtypeInfo, type Element, Tensor } from "@sconce/tensor";
import { type ToleranceOptions, tensorDifference } from "@sconce/tensor/compare";
import type { MatcherResult } from "./result.js";

/** Elements as nested lists, `[[1, 2], [3, 4]]`. */
export type Nested = Element | readonly Nested[];

/**
 * Returns the matcher `toBeCloseToTensor`. Expected elements given as lists take the dtype of the
 * received tensor.
 */
export function toBeCloseToTensor(
  received: unknown,
  expected: Tensor | readonly Nested[],
  options: ToleranceOptions = {},
): MatcherResult {
  if (!(received instanceof Tensor))
    return { pass: false, message: () => `expected a tensor, received ${String(received)}` };
  const want = expected instanceof Tensor ? expected : fromNested(expected, received.dtype);
  const difference = tensorDifference(received, want, options);
  return {
    pass: difference === undefined,
    message: () =>
      difference === undefined ? "expected the tensors to differ" : `the tensors differ: ${difference}`,
  };
}

function fromNested(value: readonly Nested[], dtype: DType): Tensor {
  const shape: number[] = [];
  for (let at: Nested = value; Array.isArray(at); at = (at as readonly Nested[])[0]!) {
    shape.push((at as readonly Nested[]).length);
    if (shape.at(-1) === 0) break;
  }
  const flat = (value as readonly unknown[]).flat(Number.POSITIVE_INFINITY) as Element[];
  return Tensor.from(
    dtypeInfo(dtype).kind === "int"
      ? flat.map((item) => (typeof item === "bigint" ? item : Number(item)))
      : flat,
    shape,
    dtype,
  );
}
