/** @file Numbers in tensors that are converted with a check, as numbers of calls are. */
import { complex, float, type ScalarLiteral } from "@sconce/ir";
import { isInRange, overflowMessage } from "@sconce/ops";
import { type DType, dtypeInfo, isBigIntDType, type Tensor } from "@sconce/tensor";
import { readBigInts, readComplex, readNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";

/**
 * Refuses a number that a dtype cannot hold.
 *
 * @throws SconceError `INVALID_ARGUMENT`
 */
export function checkInRange(value: ScalarLiteral, dtype: DType): void {
  if (!isInRange(value, dtype)) throw invalidArgument(overflowMessage(dtype));
}

/** Returns the number in a tensor of one element. */
export function itemOf(tensor: Tensor): ScalarLiteral {
  if (isBigIntDType(tensor.dtype)) return readBigInts(tensor)[0]!;
  if (dtypeInfo(tensor.dtype).lanes === 1) return float(readNumbers(tensor)[0]!);
  const [re, im] = readComplex(tensor) as unknown as [number, number];
  return complex(re, im);
}
