/** @file Bilinear samples of one bin, after `pre_calc_for_bilinear_interpolate` of torchvision. */
import { type Round, toInt } from "../arithmetic.js";

/** The grid of samples in a bin, along one dimension. */
export interface Axis {
  /** Where the bin begins. */
  readonly start: number;
  /** The length of the bin. */
  readonly length: number;
  /** How many samples; none when not positive. */
  readonly count: number;
  /** The size of the image. */
  readonly size: number;
}

/**
 * Four places with their weights for each sample. A sample outside of the image has weights of
 * zero, and no places (-1).
 */
export interface Samples {
  readonly places: Int32Array;
  readonly weights: Float64Array;
  readonly count: number;
}

export function samplesOf(y: Axis, x: Axis, round: Round): Samples {
  const count = Math.max(y.count, 0) * Math.max(x.count, 0);
  const places = new Int32Array(4 * count).fill(-1);
  const weights = new Float64Array(4 * count);
  let at = 0;
  for (let iy = 0; iy < y.count; iy++) {
    const row = coordinate(y, iy, round);
    for (let ix = 0; ix < x.count; ix++, at += 4) {
      const column = coordinate(x, ix, round);
      if (row < -1 || row > y.size || column < -1 || column > x.size) continue;
      const [top, bottom, down, up] = neighbors(row, y.size, round);
      const [left, right, across, back] = neighbors(column, x.size, round);
      places.set(
        [top * x.size + left, top * x.size + right, bottom * x.size + left, bottom * x.size + right],
        at,
      );
      weights.set([round(up * back), round(up * across), round(down * back), round(down * across)], at);
    }
  }
  return { places, weights, count };
}

/** `start + (i + 0.5) * length / count`. */
const coordinate = ({ start, length, count }: Axis, i: number, round: Round): number =>
  round(start + round(round(round(i + 0.5) * length) / round(count)));

/** Both neighbors of a coordinate, the part of the way to the second one, and the rest of it. */
function neighbors(value: number, size: number, round: Round): [number, number, number, number] {
  const inside = value <= 0 ? 0 : value;
  let low = toInt(inside);
  let high = low + 1;
  let part = round(inside - low);
  if (low >= size - 1) {
    low = size - 1;
    high = low;
    part = 0;
  }
  return [low, high, part, round(1 - part)];
}
