/** @file Tensors in the shape and dtype of a call's result, and places that tensors name. */
import { atom, type Index, isWithin, isZero, ONE, ZERO } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, indexScalar, type Scalar, select } from "../../ir/scalar.js";
import { scalarText } from "../../ir/scalar-text.js";
import { type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";

export interface MadeInit {
  readonly inputs: readonly LazyTensor[];
  readonly operations?: number;
  /** Whether an element takes a reduction. */
  readonly heavy?: boolean;
  readonly element: (at: readonly Index[]) => Scalar;
}
/** Makes a tensor in the shape and dtype of the call's result. */
export function made(
  call: LoweringCall,
  { inputs, operations = 1, heavy = false, element }: MadeInit,
): LazyTensor {
  const out = outOf(call);
  call.context.fit(inputs, operations);
  const tensor = new LazyTensor({
    dtype: out.dtype,
    shape: shapeOf(out),
    node: call.node,
    inputs,
    operations,
    heavy,
    element,
  });
  call.context.made(tensor);
  return tensor;
}

/**
 * Returns the place that an integer tensor's element names in a dimension; negative ones count from
 * the end.
 */
export function placeIn(element: Scalar, extent: Index, mayBeNegative: boolean): Index {
  const value = cast(element, "int64");
  // A range of places needs no reading.
  if (value.kind === "index" && isWithin(value.index, extent)) return value.index;
  const wrapped = mayBeNegative
    ? select(apply("lt", value, constantScalar(0, "int64")), apply("add", value, indexScalar(extent)), value)
    : value;
  return atom({ kind: "value", scalar: wrapped, key: `[${scalarText(wrapped)}]`, bound: extent });
}

/**
 * Returns the element of a 0-d tensor, which an index names as if there were one dimension of one
 * element. The index is read as a place, so that passes that check indices see it.
 */
export function onlyElement(self: LazyTensor, index: Scalar): Scalar {
  const isThere = apply("eq", indexScalar(placeIn(index, ONE, false)), indexScalar(ZERO));
  return select(isThere, self.element([]), constantScalar(0, self.dtype));
}

/**
 * Returns whether a tensor has no elements; as an index it may then have any number of dimensions.
 */
export const isNothing = (tensor: LazyTensor): boolean => tensor.shape.some(isZero);
