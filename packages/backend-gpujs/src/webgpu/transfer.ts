/** @file Converts tensors to elements of device memory, and back. */
import { castTensor, type DType, Storage, Tensor } from "@sconce/tensor";
import type { Lane } from "../device/mode.js";
import { notOnDevice, valueRange } from "../device/webgpu-errors.js";
import { laneOf } from "../wgsl/wgsl-text.js";
import { WGSL_INTEGERS } from "./support.js";

/**
 * Returns the elements in row-major order, as the device holds them. Of int64 only what fits into
 * 32 bits.
 *
 * @throws SconceError `VALUE_RANGE`, `NOT_ON_DEVICE` for dtypes without a lane
 */
export function elementsOfTensor(tensor: Tensor): {
  readonly lane: Lane;
  readonly elements: Float32Array | Int32Array;
} {
  const lane = laneOf(tensor.dtype);
  if (lane === undefined) throw notOnDevice(`a tensor of ${tensor.dtype}`);
  if (tensor.dtype === "int64") return { lane, elements: narrowed(rowMajor(tensor)) };
  const held = castTensor(tensor, lane === "f32" ? "float32" : "int32");
  return { lane, elements: rowMajor(held) as Float32Array | Int32Array };
}
/** Returns the elements of a tensor one after the other. */
function rowMajor(tensor: Tensor): ArrayBufferView {
  const whole = tensor.isContiguous ? tensor : tensor.contiguous();
  const data = whole.data as Int32Array;
  return data.subarray(whole.storageOffset, whole.storageOffset + whole.numel);
}
function narrowed(elements: ArrayBufferView): Int32Array {
  const wide = elements as BigInt64Array;
  const made = new Int32Array(wide.length);
  // The words of an int64, low before high: much quicker than bigints one by one.
  const words = new Int32Array(wide.buffer, wide.byteOffset, wide.length * 2);
  for (let i = 0; i < made.length; i++) {
    const low = words[2 * i]!;
    if (words[2 * i + 1] !== low >> 31)
      throw valueRange(wide[i]!, `${WGSL_INTEGERS.low} to ${WGSL_INTEGERS.high}`);
    made[i] = low;
  }
  return made;
}

/** Elements as a tensor of a dtype and shape. */
export function tensorOfElements(
  bytes: ArrayBuffer,
  lane: Lane,
  dtype: DType,
  shape: readonly number[],
): Tensor {
  const storage = new Storage(new Uint8Array(bytes));
  const held = new Tensor({ dtype: lane === "f32" ? "float32" : "int32", shape, storage });
  return castTensor(held, dtype);
}
