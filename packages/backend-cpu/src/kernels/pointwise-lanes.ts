/**
 * @file Moves elements between a storage and a lane: a short Float64Array that the loops of
 * elementwise kernels run over. Each array type has its own loop, so that every typed-array access
 * stays monomorphic.
 */
import { internalError } from "@sconce/errors";
import { type DType, dtypeInfo, type Tensor, type TypedArray } from "@sconce/tensor";
import { decodeTable, encodeFloat } from "../kernel/half.js";

/**
 * Reads `count` elements, at a step of `step`, into `lane` from `at` on. Returns false if an int64
 * is not exact as a number.
 */
export type LoadLane = (from: number, step: number, lane: Float64Array, at: number, count: number) => boolean;
/**
 * Writes the first `count` numbers of a lane side by side; false when some number was beyond exact
 * int64 range.
 */
export type StoreLane = (lane: Float64Array, to: number, count: number) => boolean;

const TWO32 = 2 ** 32;

/**
 * Returns the loader of a real tensor; `part` chooses the real (0) or imaginary (1) numbers of a
 * complex one.
 */
export function laneLoader(tensor: Tensor, part: 0 | 1 = 0): LoadLane {
  const { dtype } = tensor;
  if (dtypeInfo(dtype).lanes === 2) {
    const load = loaderOf(dtype === "complex32" ? "float16" : dtype, tensor.data);
    return (from, step, lane, at, count) => load(2 * from + part, 2 * step, lane, at, count);
  }
  if (dtype === "int64" || dtype === "uint64") {
    const words = tensor.storage.view("int32") as Int32Array;
    return dtype === "int64" ? loadInt64(words) : loadUint64(words);
  }
  return loaderOf(dtype, tensor.data);
}

/** Returns the storer of a real tensor. */
export function laneStorer(tensor: Tensor): StoreLane {
  const { dtype, data } = tensor;
  if (dtype === "bool") return storeBool(data as Uint8Array);
  if (dtype === "int64" || dtype === "uint64") return storeInt64(tensor.storage.view("int32") as Int32Array);
  if (dtype === "float32") return storeFloat32(data as Float32Array);
  if (dtype === "float64") return storeFloat64(data as Float64Array);
  if (dtype === "float16" || dtype === "bfloat16") return storeHalf(data as Uint16Array, encodeFloat(dtype));
  if (dtypeInfo(dtype).kind !== "int") throw internalError(`no arithmetic on ${dtype}`);
  return storeSmallInt(data as Int32Array);
}

function loaderOf(dtype: DType, data: TypedArray): LoadLane {
  switch (dtype) {
    case "float32":
    case "complex64":
      return loadFloat32(data as Float32Array);
    case "float64":
    case "complex128":
      return loadFloat64(data as Float64Array);
    case "float16":
    case "bfloat16":
      return loadHalf(data as Uint16Array, decodeTable(dtype));
    case "int32":
      return loadInt32(data as Int32Array);
    case "bool":
    case "uint8":
      return loadUint8(data as Uint8Array);
    case "int8":
    case "int16":
    case "uint16":
    case "uint32":
      return loadSmallInt(data as Int16Array);
    default:
      throw internalError(`no arithmetic on ${dtype}`);
  }
}

const loadFloat32 =
  (data: Float32Array): LoadLane =>
  (from, step, lane, at, count) => {
    for (let i = 0, p = from; i < count; i++, p += step) lane[at + i] = data[p]!;
    return true;
  };

const loadFloat64 =
  (data: Float64Array): LoadLane =>
  (from, step, lane, at, count) => {
    for (let i = 0, p = from; i < count; i++, p += step) lane[at + i] = data[p]!;
    return true;
  };

const loadHalf =
  (data: Uint16Array, table: Float32Array): LoadLane =>
  (from, step, lane, at, count) => {
    for (let i = 0, p = from; i < count; i++, p += step) lane[at + i] = table[data[p]!]!;
    return true;
  };

const loadInt32 =
  (data: Int32Array): LoadLane =>
  (from, step, lane, at, count) => {
    for (let i = 0, p = from; i < count; i++, p += step) lane[at + i] = data[p]!;
    return true;
  };

const loadUint8 =
  (data: Uint8Array): LoadLane =>
  (from, step, lane, at, count) => {
    for (let i = 0, p = from; i < count; i++, p += step) lane[at + i] = data[p]!;
    return true;
  };

const loadSmallInt =
  (data: Int16Array): LoadLane =>
  (from, step, lane, at, count) => {
    for (let i = 0, p = from; i < count; i++, p += step) lane[at + i] = data[p]!;
    return true;
  };

/** High words outside of -2^21 .. 2^21 - 1 belong to integers beyond 2^53. */
const loadInt64 =
  (words: Int32Array): LoadLane =>
  (from, step, lane, at, count) => {
    let excess = 0;
    for (let i = 0, p = 2 * from; i < count; i++, p += 2 * step) {
      const high = words[p + 1]!;
      excess |= (high + 0x200000) >>> 22;
      lane[at + i] = high * TWO32 + (words[p]! >>> 0);
    }
    return excess === 0;
  };

const loadUint64 =
  (words: Int32Array): LoadLane =>
  (from, step, lane, at, count) => {
    let excess = 0;
    for (let i = 0, p = 2 * from; i < count; i++, p += 2 * step) {
      const high = words[p + 1]! >>> 0;
      excess |= high >>> 21;
      lane[at + i] = high * TWO32 + (words[p]! >>> 0);
    }
    return excess === 0;
  };

const storeFloat32 =
  (data: Float32Array): StoreLane =>
  (lane, to, count) => {
    for (let i = 0; i < count; i++) data[to + i] = lane[i]!;
    return true;
  };

const storeFloat64 =
  (data: Float64Array): StoreLane =>
  (lane, to, count) => {
    for (let i = 0; i < count; i++) data[to + i] = lane[i]!;
    return true;
  };

const storeHalf =
  (data: Uint16Array, encode: (value: number) => number): StoreLane =>
  (lane, to, count) => {
    for (let i = 0; i < count; i++) data[to + i] = encode(lane[i]!);
    return true;
  };

const storeBool =
  (data: Uint8Array): StoreLane =>
  (lane, to, count) => {
    for (let i = 0; i < count; i++) data[to + i] = lane[i] === 0 ? 0 : 1;
    return true;
  };

/** Typed arrays wrap modulo their width, as C++ integers do. */
const storeSmallInt =
  (data: Int32Array): StoreLane =>
  (lane, to, count) => {
    for (let i = 0; i < count; i++) data[to + i] = lane[i]!;
    return true;
  };

const storeInt64 =
  (words: Int32Array): StoreLane =>
  (lane, to, count) => {
    let exact = true;
    for (let i = 0, p = 2 * to; i < count; i++, p += 2) {
      const value = Math.trunc(lane[i]!);
      if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) {
        words[p] = value;
        words[p + 1] = Math.floor(value / TWO32);
      } else {
        exact = false;
        const outside = !(value < 2 ** 63 && value >= -(2 ** 63));
        words[p] = outside ? 0 : value % TWO32;
        words[p + 1] = outside ? -(2 ** 31) : Math.floor(value / TWO32);
      }
    }
    return exact;
  };

/**
 * Rounds or wraps a lane to what a dtype can hold; undefined where every number of the kernel
 * already fits.
 */
export function laneRounder(dtype: DType): ((lane: Float64Array, count: number) => void) | undefined {
  if (dtype === "float64" || dtype === "int64" || dtype === "uint64") return undefined;
  if (dtype === "bool") return mapLane((x) => (x === 0 ? 0 : 1));
  if (dtype === "float32" || dtype === "complex64") return mapLane(Math.fround);
  if (dtype === "float16" || dtype === "bfloat16") {
    const encode = encodeFloat(dtype);
    const table = decodeTable(dtype);
    return mapLane((x) => table[encode(x)]!);
  }
  const { array, kind } = dtypeInfo(dtype);
  if (kind !== "int") return undefined;
  const scratch = new array(new ArrayBuffer(8), 0, 1) as Int32Array;
  return mapLane((x) => {
    scratch[0] = x;
    return scratch[0]!;
  });
}

const mapLane =
  (f: (x: number) => number) =>
  (lane: Float64Array, count: number): void => {
    for (let i = 0; i < count; i++) lane[i] = f(lane[i]!);
  };
