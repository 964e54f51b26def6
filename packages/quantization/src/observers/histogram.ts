/** @file The histogram of PyTorch's `HistogramObserver`, and the range that it searches. */

const BINS = 2048;
/** Parts of a bin when the histogram gets a wider range. */
const PARTS = 16;
/** Bins of the codes that the search compares with. */
const CODES = 256;
const STEP = 1e-5;
const { fround } = Math;

/** A histogram whose range grows with the values. */
export class Histogram {
  /** The least value so far. */
  low = Number.POSITIVE_INFINITY;
  /** The greatest value so far. */
  high = Number.NEGATIVE_INFINITY;
  /** The counts, which are fractions after the range grew. */
  #counts = new Float64Array(BINS);

  /** The counts of the bins. */
  get counts(): Float64Array {
    return this.#counts;
  }

  /** Adds finite values. */
  add(values: Float32Array): void {
    if (values.length === 0) return;
    let [low, high] = [this.low, this.high];
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (low !== this.low || high !== this.high) this.#widen(low, high);
    this.#count(values);
  }

  #count(values: Float32Array): void {
    // As `torch.histc`: a range without width is widened by one on each side.
    const isFlat = this.low === this.high;
    const [low, high] = isFlat ? [this.low - 1, this.high + 1] : [this.low, this.high];
    for (const value of values) {
      const bin = Math.floor(fround(fround(fround(value - low) * BINS) / fround(high - low)));
      this.#counts[Math.min(Math.max(bin, 0), BINS - 1)]! += 1;
    }
  }

  /** Moves the counts to a wider range; each part of a bin goes where its middle lies. */
  #widen(low: number, high: number): void {
    const moved = new Float64Array(BINS);
    const total = this.total;
    if (total > 0) {
      const width = (high - low) / BINS;
      const binOf = (value: number): number =>
        Math.min(Math.max(Math.floor((value - low) / width), 0), BINS - 1);
      if (this.low === this.high) moved[binOf(this.low)] = total;
      else {
        const part = (this.high - this.low) / (BINS * PARTS);
        for (let i = 0; i < BINS * PARTS; i++)
          moved[binOf(this.low + (i + 0.5) * part)]! += this.#counts[Math.floor(i / PARTS)]! / PARTS;
      }
    }
    [this.low, this.high, this.#counts] = [low, high, moved];
  }

  /** The number of values. */
  get total(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /**
   * Returns the range with the least squared error of 256 codes that a search from the whole range
   * inward finds, as `HistogramObserver` searches it.
   */
  searchRange(): { readonly low: number; readonly high: number } {
    const sums = runningSums(this.#counts);
    const total = sums[BINS - 1]!;
    let [alpha, beta, start, end, least] = [0, 1, 0, BINS - 1, Number.POSITIVE_INFINITY];
    while (alpha < beta) {
      const [nextAlpha, nextBeta] = [alpha + STEP, beta - STEP];
      let [left, right] = [start, end];
      while (left < end && sums[left]! < nextAlpha * total) left++;
      while (right > start && sums[right]! > nextBeta * total) right--;
      const movesStart = left - start > end - right;
      if (movesStart) alpha = nextAlpha;
      else beta = nextBeta;
      const [nextStart, nextEnd] = movesStart ? [left, end] : [start, right];
      if (nextStart === start && nextEnd === end) continue;
      const error = this.#error(nextStart, nextEnd);
      if (error > least) break;
      [least, start, end] = [error, nextStart, nextEnd];
    }
    return this.#range(start, end);
  }

  /** Returns the range without the values outside of a part of them, half of these on each side. */
  percentileRange(part: number): { readonly low: number; readonly high: number } {
    const sums = runningSums(this.#counts);
    const total = sums[BINS - 1]!;
    const cut = ((1 - part) / 2) * total;
    let [start, end] = [0, BINS - 1];
    while (start < end && sums[start]! <= cut) start++;
    while (end > start && sums[end - 1]! >= total - cut) end--;
    return this.#range(start, end);
  }

  /** Returns the part of the values that lies outside of a range, by more than one of 256 codes. */
  partOutside(from: number, to: number): number {
    const code = (to - from) / (CODES - 1);
    const [low, high] = [from - code, to + code];
    const width = (this.high - this.low) / BINS;
    let outside = 0;
    this.#counts.forEach((count, bin) => {
      const middle = this.low + (bin + 0.5) * width;
      if (middle < low || middle > high) outside += count;
    });
    return outside / Math.max(this.total, 1);
  }

  #range(start: number, end: number): { readonly low: number; readonly high: number } {
    const width = fround(fround(this.high - this.low) / BINS);
    return {
      low: fround(this.low + fround(width * start)),
      high: fround(this.low + fround(width * (end + 1))),
    };
  }

  /** Returns the squared error when the bins from `start` to `end` share the codes. */
  #error(start: number, end: number): number {
    const width = (this.high - this.low) / BINS;
    const code = (width * (end - start + 1)) / CODES;
    if (code === 0) return 0;
    let sum = 0;
    const half = code / 2;
    for (let bin = 0; bin < BINS; bin++) {
      const density = this.#counts[bin]! / width;
      const [from, to] = [(bin - start) * width, (bin - start + 1) * width];
      const [first, last] = [codeAt(from, code), codeAt(to, code)];
      sum += density * cubic(from - (first + 0.5) * code, half);
      sum += (last - first - 1) * density * cubic(-half, half);
      sum += density * cubic(-half, to - (last + 0.5) * code);
    }
    return sum;
  }
}

const codeAt = (value: number, code: number): number =>
  Math.min(Math.max(Math.floor(value / code), 0), CODES - 1);

/** Returns the integral of `x^2`. */
const cubic = (from: number, to: number): number => (to ** 3 - from ** 3) / 3;

function runningSums(counts: Float64Array): Float64Array {
  let sum = 0;
  return counts.map((count) => {
    sum += count;
    return sum;
  });
}
