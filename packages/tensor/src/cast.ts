/** @file PyTorch's conversions between dtypes (`Tensor.to`), on x86. */
import { type DType, dtypeInfo, isBigIntDType, type TypedArray } from "./dtype.js";
import { laneReader, patternEncoder } from "./element.js";
import { forEachPosition } from "./shape.js";
import { Storage } from "./storage.js";
import { Tensor } from "./tensor.js";

const TWO_63 = 2 ** 63;
const INT64_MIN = -(1n << 63n);

/**
 * Returns a float as int64: cut toward zero; NaN and what does not fit give the smallest int64, as
 * the processor does.
 */
export function floatToInt64(value: number): bigint {
  return value >= -TWO_63 && value < TWO_63 ? BigInt(Math.trunc(value)) : INT64_MIN;
}

function floatToUint64(value: number): bigint {
  if (value < TWO_63 || Number.isNaN(value)) return BigInt.asUintN(64, floatToInt64(value));
  return value < 2 ** 64 ? BigInt(Math.trunc(value)) : 0n;
}

/**
 * Returns a float as int32: what does not fit gives the smallest int32. Narrower types keep the low
 * bits of that.
 */
export function floatToInt32(value: number): number {
  return value > -2147483649 && value < 2147483648 ? Math.trunc(value) : -2147483648;
}

function floatToUint32(value: number): number {
  return value > -2147483649 && value < 4294967296
    ? Math.trunc(value)
    : Number(BigInt.asUintN(32, floatToInt64(value)));
}

type Convert = (value: number) => number;

/**
 * Number of the source lane to number stored in the target's typed array (not for 64-bit integers).
 */
function lanesConverter(from: DType, to: DType): Convert {
  const encode = patternEncoder(to);
  if (encode !== undefined) return encode;
  const info = dtypeInfo(to);
  if (to === "bool") return (value) => (value === 0 ? 0 : 1);
  if (info.kind !== "int" || dtypeInfo(from).kind === "int" || from === "bool") return (value) => value;
  // The processor has no conversion to these two, so they go by way of int64; the array keeps the
  // low bits.
  return to === "uint32" || to === "uint8" ? floatToUint32 : floatToInt32;
}

function castToBigInt(source: Tensor, to: "int64" | "uint64", out: TypedArray): void {
  const target = out as BigInt64Array;
  const { lanes, kind } = dtypeInfo(source.dtype);
  const { data, shape, strides, storageOffset } = source;
  if (isBigIntDType(source.dtype)) {
    const bigs = data as BigInt64Array;
    forEachPosition(shape, strides, storageOffset, (position, ordinal) => {
      target[ordinal] = bigs[position]!;
    });
    return;
  }
  const read = laneReader(source.dtype, data);
  const convert =
    kind === "int" || kind === "bool"
      ? (v: number) => BigInt(v)
      : to === "int64"
        ? floatToInt64
        : floatToUint64;
  forEachPosition(shape, strides, storageOffset, (position, ordinal) => {
    target[ordinal] = convert(read(position * lanes));
  });
}

function castFromBigIntToSmall(source: Tensor, out: TypedArray): void {
  const bigs = source.data as BigInt64Array;
  const target = out as Int32Array;
  forEachPosition(source.shape, source.strides, source.storageOffset, (position, ordinal) => {
    target[ordinal] = Number(BigInt.asIntN(32, bigs[position]!));
  });
}

function castLanes(source: Tensor, to: DType, out: TypedArray): void {
  const [fromLanes, toLanes] = [dtypeInfo(source.dtype).lanes, dtypeInfo(to).lanes];
  const target = out as Float64Array;
  const read = laneReader(source.dtype, source.data);
  const convert = lanesConverter(source.dtype, to);
  const isComplexTruth = to === "bool" && fromLanes === 2;
  forEachPosition(source.shape, source.strides, source.storageOffset, (position, ordinal) => {
    const re = read(position * fromLanes);
    const im = fromLanes === 2 ? read(position * 2 + 1) : 0;
    if (isComplexTruth) target[ordinal] = re !== 0 || im !== 0 ? 1 : 0;
    else target[ordinal * toLanes] = convert(re);
    if (toLanes === 2) target[ordinal * 2 + 1] = convert(im);
  });
}

/** True when a typed array's own `set` does exactly what PyTorch does. */
function isPlainCopy(from: DType, to: DType): boolean {
  const [source, target] = [dtypeInfo(from), dtypeInfo(to)];
  const plain = (dtype: DType): boolean => !isBigIntDType(dtype) && patternEncoder(dtype) === undefined;
  if (!plain(from) || !plain(to) || source.lanes !== target.lanes || to === "bool") return false;
  return target.kind !== "int" || source.kind === "int" || source.kind === "bool";
}

/**
 * Returns the tensor converted as `tensor.to(dtype)` does: float to integer cuts and wraps, NaN is
 * true, int64 stays exact, complex to real keeps the real part. The same object back when nothing
 * changes; otherwise row-major. What has no values has none in the other dtype.
 */
export function castTensor(tensor: Tensor, dtype: DType): Tensor {
  if (tensor.dtype === dtype) return tensor;
  if (!tensor.hasValues) return Tensor.withoutValues({ dtype, shape: tensor.shape });
  const storage = Storage.allocate(tensor.numel * dtypeInfo(dtype).itemSize);
  const result = new Tensor({ dtype, shape: tensor.shape, storage });
  const out = result.data;
  if (isPlainCopy(tensor.dtype, dtype) && tensor.isContiguous) {
    const { lanes } = dtypeInfo(dtype);
    const start = tensor.storageOffset * lanes;
    (out as Float64Array).set((tensor.data as Float64Array).subarray(start, start + out.length));
  } else if (isBigIntDType(dtype)) {
    castToBigInt(tensor, dtype, out);
  } else if (isBigIntDType(tensor.dtype) && dtypeInfo(dtype).kind === "int") {
    castFromBigIntToSmall(tensor, out);
  } else {
    castLanes(tensor, dtype, out);
  }
  return result;
}
