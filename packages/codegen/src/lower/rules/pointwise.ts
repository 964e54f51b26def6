/** @file Operators that compute each element from the same element of their operands. */
import type { DType } from "@sconce/tensor";
import type { Index } from "../../ir/index-expr.js";
import { cast, type Scalar } from "../../ir/scalar.js";
import { type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { broadcastTo, LazyTensor } from "../core/lazy.js";
import { computeType } from "../core/numbers.js";

/** How the operands of a pointwise operator become one element. */
export interface PointwiseOptions {
  /** The cost of one element, in additions. */
  readonly operations?: number;
  /**
   * The dtype that operands are converted to, or their `own`; that of the result, halves as
   * float32, when left out.
   */
  readonly compute?: DType | "own";
}

/** A tensor whose elements are `body` of the operands' elements, broadcast against each other. */
export function pointwise(
  call: LoweringCall,
  operands: readonly LazyTensor[],
  body: (elements: readonly Scalar[]) => Scalar,
  { operations = 1, compute }: PointwiseOptions = {},
): LazyTensor {
  const { context, node } = call;
  const out = outOf(call);
  const shape = shapeOf(out);
  const dtype = compute ?? computeType(out.dtype);
  const read = (input: LazyTensor, at: readonly Index[]): Scalar =>
    dtype === "own" ? input.element(at) : cast(input.element(at), dtype);
  const inputs = operands.map((operand) => context.once(broadcastTo(operand, node, shape)));
  context.oneHeavy(inputs);
  context.fit(inputs, operations);
  const made = new LazyTensor({
    dtype: out.dtype,
    shape,
    node,
    inputs,
    operations,
    element: (at) => cast(body(inputs.map((input) => read(input, at))), out.dtype),
  });
  context.made(made);
  return made;
}
