/** @file How far numbers are from those before quantization. */
/** The distance between the numbers before and after. */
export interface Distortion {
  /**
   * The ratio of signal to noise in dB: `10 log10(sum x^2 / sum (x - y)^2)`. Infinite for equal
   * numbers.
   */
  readonly snr: number;
  /** The largest absolute difference; NaN where one side alone is not finite. */
  readonly maxError: number;
  /** The largest magnitude before. */
  readonly maxMagnitude: number;
}

/** Sums up differences of many pairs of tensors. */
export class DistortionMeter {
  #signal = 0;
  #noise = 0;
  #maxError = 0;
  #maxMagnitude = 0;

  /** Adds the elements of two lists of equal length. */
  add(before: ArrayLike<number>, after: ArrayLike<number>): void {
    for (let i = 0; i < before.length; i++) this.#pair(before[i]!, after[i]!);
  }

  /** The distance so far. */
  get distortion(): Distortion {
    const ratio = this.#noise === 0 ? Number.POSITIVE_INFINITY : this.#signal / this.#noise;
    return { snr: 10 * Math.log10(ratio), maxError: this.#maxError, maxMagnitude: this.#maxMagnitude };
  }

  #pair(before: number, after: number): void {
    // Equal infinities, and NaN on both sides, count as equal.
    if (Object.is(before, after)) {
      if (Number.isFinite(before)) this.#addSignal(before);
      return;
    }
    const error = Math.abs(before - after);
    this.#addSignal(before);
    this.#noise += error * error;
    this.#maxError = Number.isNaN(error) ? error : Math.max(this.#maxError, error);
  }

  #addSignal(before: number): void {
    this.#signal += before * before;
    this.#maxMagnitude = Math.max(this.#maxMagnitude, Math.abs(before));
  }
}
