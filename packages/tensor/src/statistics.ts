/** @file Statistics of a tensor's elements. */
import { dtypeInfo, isBigIntDType } from "./dtype.js";
import { laneReader } from "./element.js";
import { forEachPosition } from "./shape.js";
import type { Tensor } from "./tensor.js";

/** What the elements of a tensor look like. Complex elements count by their magnitudes. */
export interface TensorStatistics {
  /** The number of elements. */
  readonly count: number;
  /** The least finite element, undefined when there is none. 64-bit integers are exact. */
  readonly min: number | bigint | undefined;
  /** The greatest finite element, undefined when there is none. 64-bit integers are exact. */
  readonly max: number | bigint | undefined;
  /** The mean of the finite elements, undefined when there is none. */
  readonly mean: number | undefined;
  /**
   * The standard deviation of the finite elements with Bessel's correction, as `torch.std`;
   * undefined for fewer than two.
   */
  readonly std: number | undefined;
  /** The number of elements that are NaN. */
  readonly nan: number;
  /** The number of elements that are infinity. */
  readonly positiveInfinity: number;
  /** The number of elements that are minus infinity. */
  readonly negativeInfinity: number;
}

/**
 * Computes counts, range, mean and standard deviation of the elements in float64; the range of
 * 64-bit integers takes a second pass.
 *
 * @throws SconceError `NO_VALUES`
 */
export function tensorStatistics(tensor: Tensor): TensorStatistics {
  const { dtype, data, shape, strides, storageOffset } = tensor;
  const moments = new Moments();
  const read = laneReader(dtype, data);
  const isComplex = dtypeInfo(dtype).lanes === 2;
  forEachPosition(shape, strides, storageOffset, (position) =>
    moments.add(isComplex ? Math.hypot(read(2 * position), read(2 * position + 1)) : read(position)),
  );
  const range = isBigIntDType(dtype) ? exactRange(tensor) : { min: moments.min, max: moments.max };
  const { finite, mean, squares, nan, positiveInfinity, negativeInfinity } = moments;
  return {
    count: tensor.numel,
    ...(finite === 0 ? { min: undefined, max: undefined } : range),
    mean: finite === 0 ? undefined : mean,
    std: finite < 2 ? undefined : Math.sqrt(squares / (finite - 1)),
    nan,
    positiveInfinity,
    negativeInfinity,
  };
}

/** Welford's algorithm: it loses no digits where the mean is large beside the deviation. */
class Moments {
  finite = 0;
  mean = 0;
  squares = 0;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  nan = 0;
  positiveInfinity = 0;
  negativeInfinity = 0;

  add(value: number): void {
    if (Number.isNaN(value)) this.nan++;
    else if (value === Number.POSITIVE_INFINITY) this.positiveInfinity++;
    else if (value === Number.NEGATIVE_INFINITY) this.negativeInfinity++;
    else this.#addFinite(value);
  }

  #addFinite(value: number): void {
    this.finite++;
    const distance = value - this.mean;
    this.mean += distance / this.finite;
    this.squares += distance * (value - this.mean);
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }
}

function exactRange({ data, shape, strides, storageOffset }: Tensor): Pick<TensorStatistics, "min" | "max"> {
  const values = data as BigInt64Array;
  let min: bigint | undefined;
  let max: bigint | undefined;
  forEachPosition(shape, strides, storageOffset, (position) => {
    const value = values[position]!;
    if (min === undefined || value < min) min = value;
    if (max === undefined || value > max) max = value;
  });
  return { min, max };
}
