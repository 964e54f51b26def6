/** @file What calibration keeps of the values of an edge. */
import type { ObserverKind, QuantizationSpec } from "../annotate/spec.js";
import { Histogram } from "./histogram.js";

/** The range of an edge. */
export interface ObservedRange {
  /** The least value that has a code. */
  readonly low: number;
  /** The greatest value that has a code. */
  readonly high: number;
  /** The part of the values that lies outside of the range. */
  readonly partOutside: number;
}

/** Collects the values of an edge, sample by sample. */
export interface Observer {
  /** Adds the values of one run. Infinities and NaN are left out. */
  add(values: Float32Array): void;
  /** Whether some value was infinite. */
  readonly hasInfinite: boolean;
  /** Returns the range; undefined before the first value. */
  range(): ObservedRange | undefined;
}

/** The weight of a new sample in `moving-average`, as PyTorch has it. */
const AVERAGING = 0.01;
const { fround } = Math;

/** Returns a fresh observer for a specification. */
export function observerOf({ observer = "min-max", percentile = 0.9999 }: QuantizationSpec): Observer {
  return observer === "histogram" || observer === "percentile"
    ? new HistogramObserver(observer, percentile)
    : new RangeObserver(observer);
}

class HistogramObserver implements Observer {
  hasInfinite = false;
  readonly #histogram = new Histogram();
  readonly #kind: ObserverKind;
  readonly #percentile: number;

  constructor(kind: ObserverKind, percentile: number) {
    this.#kind = kind;
    this.#percentile = percentile;
  }

  add(values: Float32Array): void {
    this.hasInfinite ||= values.some(isInfinite);
    this.#histogram.add(finite(values));
  }

  range(): ObservedRange | undefined {
    if (this.#histogram.low > this.#histogram.high) return undefined;
    const { low, high } =
      this.#kind === "histogram"
        ? this.#histogram.searchRange()
        : this.#histogram.percentileRange(this.#percentile);
    return { low, high, partOutside: this.#histogram.partOutside(low, high) };
  }
}

/** The least and the greatest value, or their moving averages. */
class RangeObserver implements Observer {
  hasInfinite = false;
  readonly #isAveraged: boolean;
  #low = Number.POSITIVE_INFINITY;
  #high = Number.NEGATIVE_INFINITY;
  #kept: Histogram = new Histogram();

  constructor(kind: ObserverKind) {
    this.#isAveraged = kind === "moving-average";
  }

  add(given: Float32Array): void {
    this.hasInfinite ||= given.some(isInfinite);
    const values = finite(given);
    if (values.length === 0) return;
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    const isFirst = this.#low > this.#high;
    if (this.#isAveraged && !isFirst) {
      this.#low = fround(this.#low + fround(AVERAGING * fround(low - this.#low)));
      this.#high = fround(this.#high + fround(AVERAGING * fround(high - this.#high)));
    } else {
      this.#low = Math.min(this.#low, low);
      this.#high = Math.max(this.#high, high);
    }
    if (this.#isAveraged) this.#kept.add(values);
  }

  range(): ObservedRange | undefined {
    const [low, high] = [this.#low, this.#high];
    if (low > high) return undefined;
    return { low, high, partOutside: this.#isAveraged ? this.#kept.partOutside(low, high) : 0 };
  }
}

const isInfinite = (value: number): boolean => Math.abs(value) === Number.POSITIVE_INFINITY;

function finite(values: Float32Array): Float32Array {
  return values.every(Number.isFinite) ? values : values.filter(Number.isFinite);
}
