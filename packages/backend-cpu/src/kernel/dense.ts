/**
 * @file Tensors as dense arrays of numbers, for kernels that want plain loops: reading copies only
 * where the storage is strided or not made of numbers (halves, int64), writing likewise.
 */

import {
  broadcastView,
  type DType,
  dtypeInfo,
  eachRunInOrder,
  floatToInt64,
  isBigIntDType,
  isContiguous,
  numel,
  type StridedView,
  type Tensor,
  type TypedArray,
} from "@sconce/tensor";
import { noComplexKernel } from "./errors.js";
import { decodeTable, encodeFloat } from "./half.js";
import { scratch, scratchLike } from "./scratch.js";

/** A typed array of plain numbers. */
export type NumberArray =
  | Float64Array
  | Float32Array
  | Int32Array
  | Int16Array
  | Int8Array
  | Uint8Array
  | Uint16Array
  | Uint32Array;

/** True when the dtype's lanes are its values (not halves, int64, uint64 or complex). */
export function isNativeDType(dtype: DType): boolean {
  const { kind, itemSize, lanes } = dtypeInfo(dtype);
  return lanes === 1 && !isBigIntDType(dtype) && (kind !== "float" || itemSize >= 4);
}

/**
 * Returns the elements in row-major order, broadcast to `shape` when given. Halves come as
 * Float32Array, int64 as Float64Array (exact up to 2^53; use {@link readBigInts} where more is
 * needed). May be a view of the storage: do not write to it.
 */
export function readNumbers(tensor: Tensor, shape: readonly number[] = tensor.shape): NumberArray {
  const view = shape === tensor.shape ? tensor : broadcastView(tensor, shape);
  const total = numel(shape);
  const source = tensor.data;
  if (isNativeDType(tensor.dtype)) {
    const numbers = source as NumberArray;
    if (isContiguous(shape, view.strides))
      return numbers.subarray(view.storageOffset, view.storageOffset + total);
    const out = scratchLike(numbers, total);
    copyRuns(shape, view, numbers, out);
    return out;
  }
  if (isBigIntDType(tensor.dtype)) return readBigAsNumbers(tensor, shape, view, total);
  if (dtypeInfo(tensor.dtype).lanes === 2) throw noComplexKernel(tensor.dtype);
  return readHalves(shape, view, source as Uint16Array, decodeTable(tensor.dtype), total);
}

/** Returns the elements in row-major order in a fresh or shared Float64Array. */
export function readFloat64(tensor: Tensor, shape: readonly number[] = tensor.shape): Float64Array {
  const numbers = readNumbers(tensor, shape);
  if (numbers instanceof Float64Array) return numbers;
  const out = scratch(Float64Array, numbers.length);
  out.set(numbers);
  return out;
}

/**
 * Returns the elements in row-major order as 64-bit integers; small integers and bools are widened.
 */
export function readBigInts(
  tensor: Tensor,
  shape: readonly number[] = tensor.shape,
): BigInt64Array | BigUint64Array {
  const total = numel(shape);
  const make = tensor.dtype === "uint64" ? BigUint64Array : BigInt64Array;
  if (!isBigIntDType(tensor.dtype)) {
    const out = scratch(BigInt64Array, total);
    const numbers = readNumbers(tensor, shape);
    for (let i = 0; i < total; i++) out[i] = BigInt(Math.trunc(numbers[i]!));
    return out;
  }
  const view = shape === tensor.shape ? tensor : broadcastView(tensor, shape);
  const source = tensor.data as BigInt64Array;
  if (isContiguous(shape, view.strides))
    return source.subarray(view.storageOffset, view.storageOffset + total);
  const out = scratch<BigInt64Array | BigUint64Array>(make, total);
  let at = 0;
  eachRunInOrder(shape, [view], ([offset], [step], count) => {
    for (let i = 0, p = offset!; i < count; i++, p += step!) out[at++] = source[p]!;
  });
  return out;
}

/** A typed array of 64-bit integers. */
export type BigArray = BigInt64Array | BigUint64Array;

/** True for arrays of 64-bit integers. */
export const isBigArray = (values: NumberArray | BigArray): values is BigArray =>
  values instanceof BigInt64Array || values instanceof BigUint64Array;

/** Returns the greatest magnitude among numbers. */
export function greatestMagnitude(values: NumberArray): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]!));
  return most;
}

/**
 * Returns the elements in row-major order, as 64-bit integers where sums of `terms` of them may not
 * be exact as numbers.
 */
export function readExact(tensor: Tensor, terms = 1): NumberArray | BigArray {
  const numbers = readNumbers(tensor);
  if (!isBigIntDType(tensor.dtype)) return numbers;
  return greatestMagnitude(numbers) * terms <= Number.MAX_SAFE_INTEGER ? numbers : readBigInts(tensor);
}

/** Returns the elements in row-major order as pairs (real, imaginary); a real tensor gets zeros. */
export function readComplex(tensor: Tensor, shape: readonly number[] = tensor.shape): Float64Array {
  const total = numel(shape);
  const out = scratch(Float64Array, 2 * total);
  if (dtypeInfo(tensor.dtype).lanes === 1) {
    const real = readNumbers(tensor, shape);
    for (let i = 0; i < total; i++) out[2 * i] = real[i]!;
    return out;
  }
  const view = shape === tensor.shape ? tensor : broadcastView(tensor, shape);
  const source = tensor.data as Float32Array | Float64Array | Uint16Array;
  const table = tensor.dtype === "complex32" ? decodeTable("float16") : undefined;
  let at = 0;
  eachRunInOrder(shape, [view], ([offset], [step], count) => {
    for (let i = 0, p = 2 * offset!; i < count; i++, p += 2 * step!) {
      out[at++] = table ? table[source[p]!]! : source[p]!;
      out[at++] = table ? table[source[p + 1]!]! : source[p + 1]!;
    }
  });
  return out;
}

/**
 * Returns an array to compute an output in: the storage itself when the tensor is row-major and
 * native, else a scratch array (Float32Array for halves, Float64Array for int64, int dtypes their
 * own). Hand it to {@link finishOutput} afterwards.
 */
export function openOutput(tensor: Tensor): NumberArray {
  const total = tensor.numel;
  if (isNativeDType(tensor.dtype)) {
    const data = tensor.data as NumberArray;
    if (tensor.isContiguous) return data.subarray(tensor.storageOffset, tensor.storageOffset + total);
    return scratchLike(data, total);
  }
  return isBigIntDType(tensor.dtype) ? scratch(Float64Array, total) : scratch(Float32Array, total);
}

/**
 * Stores a scratch array from {@link openOutput} into its tensor; nothing to do when it is the
 * storage.
 */
export function finishOutput(tensor: Tensor, values: NumberArray): Tensor {
  if (values.buffer !== tensor.data.buffer) writeNumbers(tensor, values);
  return tensor;
}

/**
 * Stores numbers in row-major order, rounding halves and truncating to integers; floats outside
 * int64 wrap.
 */
export function writeNumbers(tensor: Tensor, values: ArrayLike<number>): void {
  const { dtype } = tensor;
  const target = tensor.data;
  let at = 0;
  eachRunInOrder(tensor.shape, [tensor], ([offset], [step], count) => {
    let p = offset!;
    if (isNativeDType(dtype)) {
      const numbers = target as NumberArray;
      for (let i = 0; i < count; i++, p += step!) numbers[p] = values[at++]!;
    } else if (isBigIntDType(dtype)) {
      const big = target as BigInt64Array;
      const words = tensor.storage.view("int32") as Int32Array;
      for (let i = 0; i < count; i++, p += step!) {
        const value = Math.trunc(values[at++]!);
        if (Number.isSafeInteger(value)) {
          words[2 * p] = value;
          words[2 * p + 1] = Math.floor(value / 2 ** 32);
        } else big[p] = floatToInt64(value);
      }
    } else {
      const encode = encodeFloat(dtype);
      const halves = target as Uint16Array;
      for (let i = 0; i < count; i++, p += step!) halves[p] = encode(values[at++]!);
    }
  });
}

/** Stores 64-bit integers in row-major order, wrapping into smaller integer dtypes. */
export function writeBigInts(tensor: Tensor, values: BigInt64Array | BigUint64Array): void {
  const target = tensor.data;
  const big = isBigIntDType(tensor.dtype);
  let at = 0;
  eachRunInOrder(tensor.shape, [tensor], ([offset], [step], count) => {
    for (let i = 0, p = offset!; i < count; i++, p += step!) {
      const value = values[at++]!;
      if (big) (target as BigInt64Array)[p] = value;
      else (target as NumberArray)[p] = Number(BigInt.asIntN(32, value));
    }
  });
}

/** Stores pairs (real, imaginary) in row-major order into a complex tensor. */
export function writeComplex(tensor: Tensor, values: ArrayLike<number>): void {
  const target = tensor.data as Float32Array | Float64Array | Uint16Array;
  const encode = tensor.dtype === "complex32" ? encodeFloat("float16") : undefined;
  let at = 0;
  eachRunInOrder(tensor.shape, [tensor], ([offset], [step], count) => {
    for (let i = 0, p = 2 * offset!; i < count; i++, p += 2 * step!) {
      target[p] = encode ? encode(values[at]!) : values[at]!;
      target[p + 1] = encode ? encode(values[at + 1]!) : values[at + 1]!;
      at += 2;
    }
  });
}

function copyRuns(shape: readonly number[], view: StridedView, source: NumberArray, out: NumberArray): void {
  let at = 0;
  eachRunInOrder(shape, [view], ([offset], [step], count) => {
    if (step === 1) out.set(source.subarray(offset!, offset! + count), at);
    else for (let i = 0, p = offset!; i < count; i++, p += step!) out[at + i] = source[p]!;
    at += count;
  });
}

/**
 * 64-bit integers by their two words: much faster than by way of BigInt, and rounded as that would.
 */
function readBigAsNumbers(
  tensor: Tensor,
  shape: readonly number[],
  view: StridedView,
  total: number,
): Float64Array {
  const out = scratch(Float64Array, total);
  const words = tensor.storage.view("int32") as Int32Array;
  const signed = tensor.dtype === "int64";
  let at = 0;
  eachRunInOrder(shape, [view], ([offset], [step], count) => {
    for (let i = 0, p = 2 * offset!; i < count; i++, p += 2 * step!) {
      const high = words[p + 1]!;
      out[at++] = (signed ? high : high >>> 0) * 2 ** 32 + (words[p]! >>> 0);
    }
  });
  return out;
}

function readHalves(
  shape: readonly number[],
  view: StridedView,
  source: TypedArray,
  table: Float32Array,
  total: number,
): Float32Array {
  const out = scratch(Float32Array, total);
  const patterns = source as Uint16Array;
  let at = 0;
  eachRunInOrder(shape, [view], ([offset], [step], count) => {
    for (let i = 0, p = offset!; i < count; i++, p += step!) out[at++] = table[patterns[p]!]!;
  });
  return out;
}
