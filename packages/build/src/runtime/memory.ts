/** @file Places of values in memory. */

/** Places begin at multiples of it: a line of a cache. */
const LINE = 64;
/** Whole vectors may be read past the end of a value. */
const SLACK = 16;

/** Returns the bytes of the place of a value. */
export const placeBytes = (bytes: number): number => Math.ceil((bytes + SLACK) / LINE) * LINE;

/** A value with its lifetime: bytes, the step that writes it, the last that reads it. */
type Lifetime = readonly [bytes: number, from: number, to: number];

/**
 * Gives each value an offset, the largest first: the lowest that is free while the value lives.
 * @returns the offsets, then the bytes of all
 */
export function placeValues(values: readonly Lifetime[]): {
  readonly offsets: readonly number[];
  readonly end: number;
} {
  const offsets = values.map(() => 0);
  const placed: number[] = [];
  let end = 0;
  const order = values.map((_, at) => at).sort((a, b) => values[b]![0] - values[a]![0] || a - b);
  for (const at of order) {
    const [bytes, from, to] = values[at]!;
    const size = placeBytes(bytes);
    let offset = 0;
    for (const other of placed) {
      const [otherBytes, otherFrom, otherTo] = values[other]!;
      if (otherTo < from || otherFrom > to) continue;
      if (offsets[other]! >= offset + size) break;
      offset = Math.max(offset, offsets[other]! + placeBytes(otherBytes));
    }
    offsets[at] = offset;
    end = Math.max(end, offset + size);
    let low = placed.length;
    while (low > 0 && offsets[placed[low - 1]!]! > offset) low--;
    placed.splice(low, 0, at);
  }
  return { offsets, end };
}
