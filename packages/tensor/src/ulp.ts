/** @file The distance of two tensors in units in the last place. */
import { type DType, dtypeInfo } from "./dtype.js";
import { laneReader } from "./element.js";
import type { Tensor } from "./tensor.js";

/** Some distances, and how many elements have one of them. */
export interface UlpBucket {
  /** The least distance, in ULP. */
  readonly min: number;
  /** The greatest distance, in ULP. */
  readonly max: number;
  /** How many elements have it. */
  readonly count: number;
}

/**
 * How many numbers of the dtype lie between the elements of two tensors: 0 for equal elements (the
 * two zeros are equal), 1 for neighbors. The parts of complex elements count separately.
 */
export interface UlpMeasure {
  /** Elements that are finite in both tensors. */
  readonly finite: number;
  /** The largest distance of them; 0 when there is none. */
  readonly max: number;
  /** Half of them have at most this distance. */
  readonly median: number;
  /** 99 % of them have at most this distance. */
  readonly p99: number;
  /** Counts of distances: 0, 1, 2, 3 to 4, 5 to 8 and so on, up to the largest. */
  readonly histogram: readonly UlpBucket[];
  /** Elements that are NaN in one of the tensors or in both. */
  readonly nan: number;
  /** Other elements that are infinite in one of the tensors or in both. */
  readonly infinite: number;
  /** Those of `nan` and `infinite` that are not the same in both tensors. */
  readonly nonfiniteDiffering: number;
}

/**
 * Measures how far a tensor is from another one of the same dtype and shape, in units in the last
 * place; undefined for integers and bools.
 *
 * @throws SconceError `NO_VALUES`
 */
export function ulpDistance(got: Tensor, want: Tensor): UlpMeasure | undefined {
  const { kind, lanes } = dtypeInfo(want.dtype);
  if (kind === "int" || kind === "bool") return undefined;
  const [a, b] = [got.contiguous(), want.contiguous()];
  const [readA, readB] = [laneReader(a.dtype, a.data), laneReader(b.dtype, b.data)];
  const [ordinalA, ordinalB] = [ordinalReader(a), ordinalReader(b)];
  const [startA, startB] = [a.storageOffset * lanes, b.storageOffset * lanes];
  const distances: number[] = [];
  let [finite, nan, infinite, nonfiniteDiffering] = [0, 0, 0, 0];
  for (let i = 0; i < want.numel * lanes; i++) {
    const [x, y] = [readA(startA + i), readB(startB + i)];
    if (Number.isFinite(x) && Number.isFinite(y)) {
      finite++;
      if (x !== y) distances.push(gap(ordinalA(startA + i), ordinalB(startB + i)));
      continue;
    }
    if (Number.isNaN(x) || Number.isNaN(y)) nan++;
    else infinite++;
    if (!Object.is(x, y)) nonfiniteDiffering++;
  }
  const sorted = Float64Array.from(distances).sort();
  const quantile = (part: number): number =>
    sorted[Math.ceil(part * finite) - 1 - (finite - sorted.length)] ?? 0;
  return {
    finite,
    max: sorted.at(-1) ?? 0,
    median: quantile(0.5),
    p99: quantile(0.99),
    histogram: histogramOf(sorted, finite),
    nan,
    infinite,
    nonfiniteDiffering,
  };
}

const gap = (a: number | bigint, b: number | bigint): number =>
  typeof a === "bigint" && typeof b === "bigint"
    ? Number(a > b ? a - b : b - a)
    : Math.abs(Number(a) - Number(b));

function histogramOf(sorted: Float64Array, finite: number): UlpBucket[] {
  if (finite === 0) return [];
  const buckets: UlpBucket[] = [{ min: 0, max: 0, count: finite - sorted.length }];
  let at = 0;
  for (let [min, max] = [1, 1]; at < sorted.length; [min, max] = [max + 1, max * 2]) {
    const start = at;
    while (at < sorted.length && sorted[at]! <= max) at++;
    buckets.push({ min, max, count: at - start });
  }
  return buckets;
}

/** Bits of one lane of a complex dtype, and of a float. */
const laneBits = (dtype: DType): number => {
  const { itemSize, lanes } = dtypeInfo(dtype);
  return (itemSize / lanes) * 8;
};

/**
 * Reads where a lane stands among all numbers of its dtype, 0 for zero: patterns of floats without
 * their sign are in the order of the numbers. Float64 takes all 64 bits.
 */
function ordinalReader({ dtype, storage }: Tensor): (lane: number) => number | bigint {
  if (dtype === "float8_e8m0fnu") return ordinalsOf(storage.view("uint8") as Uint8Array, Infinity);
  switch (laneBits(dtype)) {
    case 64: {
      const patterns = storage.view("int64") as BigInt64Array;
      return (lane) => {
        const pattern = patterns[lane]!;
        return pattern < 0n ? -(pattern & 0x7fff_ffff_ffff_ffffn) : pattern;
      };
    }
    case 32:
      return ordinalsOf(storage.view("uint32") as Uint32Array, 2 ** 31);
    case 16:
      return ordinalsOf(storage.view("uint16") as Uint16Array, 2 ** 15);
    default:
      return ordinalsOf(storage.view("uint8") as Uint8Array, 2 ** 7);
  }
}

const ordinalsOf =
  (patterns: { readonly [lane: number]: number }, sign: number) =>
  (lane: number): number => {
    const pattern = patterns[lane]!;
    return pattern < sign ? pattern : sign - pattern;
  };
