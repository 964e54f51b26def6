/** @file Operators that compute each element from the same element of their operands. */
import type { DType } from "@sconce/tensor";
import { fixedValue, type Index, product } from "../../ir/index-expr.js";
import { cast, type Scalar } from "../../ir/scalar.js";
import type { Operand } from "../core/arguments.js";
import { type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { broadcastTo, LazyTensor } from "../core/lazy.js";
import { computeType } from "../core/numbers.js";

/** How the operands of a pointwise operator become one element. */
export interface PointwiseOptions {
  /** The cost of one element, in additions. */
  readonly operations?: number;
  /**
   * The dtype that operands are converted to, or their `own`; that of the result when left out.
   * Arithmetic on halves is in float32.
   */
  readonly common?: DType | "own";
  /** The operand that is not rounded to a half: see {@link isWide}. */
  readonly wide?: LazyTensor | undefined;
}

/**
 * Returns whether a second operand beside halves is not rounded to them: numbers and tensors of one
 * element keep their value in products and quotients (`opmath_t` in BinaryOpsKernel.cpp).
 */
export const isWide = (operand: Operand): boolean =>
  !(operand instanceof LazyTensor) || fixedValue(product(operand.shape)) === 1;

/**
 * Returns a tensor whose elements are `body` of the operands' elements, broadcast against each
 * other.
 */
export function pointwise(
  call: LoweringCall,
  operands: readonly LazyTensor[],
  body: (elements: readonly Scalar[]) => Scalar,
  { operations = 1, common, wide }: PointwiseOptions = {},
): LazyTensor {
  const { context, node } = call;
  const out = outOf(call);
  const shape = shapeOf(out);
  const dtype = common ?? out.dtype;
  const read = (input: LazyTensor, i: number, at: readonly Index[]): Scalar => {
    const element = input.element(at);
    if (dtype === "own") return element;
    return cast(operands[i] === wide ? element : cast(element, dtype), computeType(dtype));
  };
  const inputs = operands.map((operand) => context.once(broadcastTo(operand, call, shape)));
  context.oneHeavy(inputs);
  context.fit(inputs, operations);
  const made = new LazyTensor({
    dtype: out.dtype,
    shape,
    node,
    inputs,
    operations,
    element: (at) => cast(body(inputs.map((input, i) => read(input, i, at))), out.dtype),
  });
  context.made(made);
  return made;
}
