/** @file The distance of two tensors, in numbers. */
import { type DType, dtypeInfo, isBigIntDType } from "./dtype.js";
import { laneReader } from "./element.js";
import { indexOf } from "./shape.js";
import type { Tensor } from "./tensor.js";

/** How far the elements of a tensor are from those of another. */
export interface ErrorMeasure {
  /**
   * The largest distance of two elements; infinite where one of the two is not finite, or NaN, and
   * the other is not the same.
   */
  readonly maxAbsolute: number;
  /** The largest distance as a part of the expected element; infinite beside an expected zero. */
  readonly maxRelative: number;
  /** How many elements are further from the expected ones than `atol + rtol * |expected|`. */
  readonly differing: number;
  /** The index of the first of them; undefined when there is none. */
  readonly first: readonly number[] | undefined;
}

/** How far elements may be from the expected ones: `atol + rtol * |expected|`. */
export interface Tolerance {
  /** The part of the expected element. */
  readonly rtol: number;
  /** The part that does not depend on the element. */
  readonly atol: number;
}

/** One or two roundings of the narrow dtypes; 1e-4 and 1e-5 for the others. */
const TOLERANCES: Readonly<Partial<Record<DType, Tolerance>>> = {
  float16: { rtol: 5e-3, atol: 1e-3 },
  complex32: { rtol: 5e-3, atol: 1e-3 },
  bfloat16: { rtol: 2e-2, atol: 1e-3 },
  float8_e4m3fn: { rtol: 0.125, atol: 2 ** -9 },
  float8_e4m3fnuz: { rtol: 0.125, atol: 2 ** -10 },
  float8_e5m2: { rtol: 0.25, atol: 2 ** -16 },
  float8_e5m2fnuz: { rtol: 0.25, atol: 2 ** -17 },
  float8_e8m0fnu: { rtol: 1, atol: 0 },
};

/** Returns the largest distance of two backends in a dtype, unless a caller gives another. */
export const backendTolerance = (dtype: DType): Tolerance => TOLERANCES[dtype] ?? { rtol: 1e-4, atol: 1e-5 };

/**
 * Measures how far a tensor is from the expected one of the same dtype and shape. Integers and
 * bools have to be equal; NaN equals NaN. The distance of complex elements is that in the plane.
 *
 * @throws SconceError `NO_VALUES`
 */
export function measureError(got: Tensor, want: Tensor, tolerance: Tolerance): ErrorMeasure {
  const { dtype } = want;
  const { kind, lanes } = dtypeInfo(dtype);
  const { rtol, atol } = kind === "int" || kind === "bool" ? { rtol: 0, atol: 0 } : tolerance;
  const [a, b] = [got.contiguous(), want.contiguous()];
  const compare = isBigIntDType(dtype) ? bigDistances(a, b) : distances(a, b, lanes);
  let [maxAbsolute, maxRelative, differing, first] = [0, 0, 0, -1];
  for (let i = 0; i < want.numel; i++) {
    const { distance, size } = compare(i);
    if (distance === 0) continue;
    maxAbsolute = Math.max(maxAbsolute, distance);
    maxRelative = Math.max(maxRelative, distance === Infinity ? Infinity : distance / size);
    if (distance <= atol + (rtol === 0 ? 0 : rtol * size)) continue;
    if (differing++ === 0) first = i;
  }
  return { maxAbsolute, maxRelative, differing, first: first < 0 ? undefined : indexOf(first, want.shape) };
}

/** The distance of two elements, and the finite magnitude of the expected one. */
interface Distance {
  readonly distance: number;
  readonly size: number;
}

const SAME: Distance = { distance: 0, size: 0 };

function distances(got: Tensor, want: Tensor, lanes: number): (element: number) => Distance {
  const [readGot, readWant] = [laneReader(got.dtype, got.data), laneReader(want.dtype, want.data)];
  const [startGot, startWant] = [got.storageOffset * lanes, want.storageOffset * lanes];
  const lane = (at: number): Distance => distanceOf(readGot(startGot + at), readWant(startWant + at));
  if (lanes === 1) return lane;
  return (element) => {
    const [re, im] = [lane(2 * element), lane(2 * element + 1)];
    return { distance: Math.hypot(re.distance, im.distance), size: Math.hypot(re.size, im.size) };
  };
}

function distanceOf(got: number, want: number): Distance {
  const size = Number.isFinite(want) ? Math.abs(want) : 0;
  if (got === want || (Number.isNaN(got) && Number.isNaN(want)))
    return size === 0 ? SAME : { distance: 0, size };
  const gap = Math.abs(got - want);
  return { distance: Number.isNaN(gap) ? Infinity : gap, size };
}

function bigDistances(got: Tensor, want: Tensor): (element: number) => Distance {
  const [a, b] = [got.data as BigInt64Array, want.data as BigInt64Array];
  return (element) => {
    const [x, y] = [a[got.storageOffset + element]!, b[want.storageOffset + element]!];
    return x === y ? SAME : { distance: Number(x > y ? x - y : y - x), size: Math.abs(Number(y)) };
  };
}
