/** @file Bins of whole pixels, as the pooling operators cut regions into. */
import { clip, type Round, roundAway, toInt } from "../arithmetic.js";

/** A region along one dimension, in whole pixels. */
export interface Span {
  readonly start: number;
  /** The length of one bin. */
  readonly length: number;
}

/**
 * Returns the span of `from` to `to`, both rounded to pixels; `last` is 1 where the last pixel
 * belongs to it.
 */
export function spanOf(from: number, to: number, bins: number, last: 0 | 1, round: Round): Span {
  const start = toInt(roundAway(from));
  const size = Math.max((toInt(roundAway(to)) - start + last) | 0, 1);
  return { start, length: round(round(size) / round(bins)) };
}

/** Returns the pixels of one bin, from the first to the one behind the last, within the image. */
export function pixelsOf(
  { start, length }: Span,
  bin: number,
  limit: number,
  round: Round,
): [number, number] {
  const first = toInt(Math.floor(round(round(bin) * length)));
  const end = toInt(Math.ceil(round(round(bin + 1) * length)));
  return [clip(first + start, 0, limit), clip(end + start, 0, limit)];
}
