/**
 * @file Finding the k-th element without sorting: quickselect (Hoare, 1961), with a sort where
 * pivots keep being bad.
 */
import type { NumberArray } from "../kernel/dense.js";

/**
 * Returns whether the element at `a` comes before that at `b`: NaN is the largest value, equal
 * values stay as they came.
 */
export function precedes(data: NumberArray, a: number, b: number, descending: boolean): boolean {
  const x = data[a]!;
  const y = data[b]!;
  if (x < y) return !descending;
  if (x > y) return descending;
  if (x === y) return a < b;
  const [first, second] = [Number.isNaN(x), Number.isNaN(y)];
  return first === second ? a < b : first === descending;
}

/**
 * Rearranges positions so that the first `count` are those of the first `count` elements, in any
 * order. Linear time on average; never more than sorting takes.
 */
export function selectFirst(
  data: NumberArray,
  positions: Uint32Array,
  count: number,
  descending: boolean,
): void {
  let low = 0;
  let high = positions.length - 1;
  // Halving would need this many rounds: more than twice that means that pivots are bad.
  let rounds = 2 * Math.ceil(Math.log2(positions.length + 1));
  while (low < high && count > low && count <= high) {
    if (rounds-- === 0) {
      positions.subarray(low, high + 1).sort((a, b) => (precedes(data, a, b, descending) ? -1 : 1));
      return;
    }
    const border = partition(data, positions, low, high, descending);
    if (count <= border) high = border - 1;
    else low = border;
  }
}

/** Splits around the median of three; gives where the second part begins, neither part empty. */
function partition(
  data: NumberArray,
  positions: Uint32Array,
  low: number,
  high: number,
  descending: boolean,
): number {
  const pivot = medianOfThree(
    data,
    positions[low]!,
    positions[(low + high) >> 1]!,
    positions[high]!,
    descending,
  );
  let i = low;
  let j = high;
  for (;;) {
    while (precedes(data, positions[i]!, pivot, descending)) i++;
    while (precedes(data, pivot, positions[j]!, descending)) j--;
    if (i >= j) break;
    const held = positions[i]!;
    positions[i++] = positions[j]!;
    positions[j--] = held;
  }
  // Where both meet lies the pivot itself, which belongs to the second part unless that would be
  // everything.
  return i === low ? low + 1 : i;
}

function medianOfThree(data: NumberArray, a: number, b: number, c: number, descending: boolean): number {
  const [low, high] = precedes(data, a, b, descending) ? [a, b] : [b, a];
  if (precedes(data, c, low, descending)) return low;
  return precedes(data, c, high, descending) ? c : high;
}
