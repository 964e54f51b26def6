/** @file Writing one value everywhere. */
import type { ScalarLiteral } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { elementwise, isTensorOperand, type Operand } from "./pointwise-loop.js";
import { copyLoop } from "./pointwise-loops.js";

/** Fills a fresh tensor with a number, converted to its dtype. */
export function fillWith(out: Tensor, value: Operand): Tensor {
  if (isTensorOperand(value)) {
    copyInto(out, value);
    return out;
  }
  if (isZero(value)) return out;
  return elementwise({ real: copyLoop, big: (x) => x, complex: (to, [x]) => to.set(x!) }, out, [value]);
}

/** Fresh memory is zero already; a negative zero is not. */
const isZero = (value: ScalarLiteral): boolean =>
  value === false ||
  Object.is(value, 0) ||
  (typeof value === "object" && value.kind === "float" && Object.is(value.value, 0));
