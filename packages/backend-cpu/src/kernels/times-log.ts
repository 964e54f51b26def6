/**
 * @file Products with a logarithm, which are 0 for a factor of 0 unless the logarithm has no
 * argument.
 */
import { isHalf, roundTo } from "../kernel/half.js";
import { emptyOutput, type Kernel } from "../kernel/kernel.js";
import { elementwise, map2, type Operand } from "./pointwise-loop.js";

interface Operands {
  readonly self: Operand;
  readonly other: Operand;
}

/** Logarithms of halves are halves before they are multiplied. */
const timesLog =
  (log: (y: number) => number): Kernel<Operands> =>
  ({ self, other }, context) => {
    const out = emptyOutput(context);
    const product = (round: (value: number) => number) => (x: number, y: number) =>
      Number.isNaN(y) ? y : x === 0 ? 0 : x * round(log(y));
    const exact = (value: number): number => value;
    return elementwise({ real: map2(product(isHalf(out.dtype) ? roundTo(out.dtype) : exact)) }, out, [
      self,
      other,
    ]);
  };

/** Computes `x log(y)`. */
export const xlogyKernel = timesLog(Math.log);
/** Computes `x log(1 + y)`. */
export const xlog1pyKernel = timesLog(Math.log1p);
