/** @file Hashes of the elements of tensors. */
import { dtypeInfo, type Tensor } from "@sconce/tensor";
import { readBigInts, readFloat64, writeBigInts } from "../kernel/dense.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";
import { rowsOf } from "./reduction-rows.js";

/** Returns the bits of each element: of a float64, or of an int64. */
function bitsOf(tensor: Tensor): BigUint64Array | BigInt64Array {
  if (dtypeInfo(tensor.dtype).kind !== "float") return readBigInts(tensor);
  return new BigUint64Array(Float64Array.from(readFloat64(tensor)).buffer);
}

const hashTensor = kernel(
  "aten::hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor",
  ({ self, dim }, context) => {
    const out = emptyOutput(context);
    const { tensor, count, length } = rowsOf(self, dim);
    const bits = bitsOf(tensor);
    const hashes = new BigUint64Array(count);
    for (let i = 0; i < count * length; i++) {
      const row = Math.floor(i / length);
      hashes[row] = BigInt.asUintN(64, hashes[row]! ^ bits[i]!);
    }
    writeBigInts(out, hashes);
    return out;
  },
);

export const hashKernels = defineKernels([hashTensor]);
