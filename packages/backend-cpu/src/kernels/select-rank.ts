/**
 * @file Selection by rank. Values that tie are told apart by where a selection happens to leave them, so these
 * take the steps that PyTorch's take: `nth_element` of the C++ library (introselect, D. R. Musser 1997, without
 * its guard against contrived orders) for medians, and quickselect by median of three (R. Sedgewick 1978) for
 * `kthvalue`.
 */

/** Whether the first of two positions holds the value that comes first. */
type Precedes = (a: number, b: number) => boolean;

/** Below this many positions introselect sorts by insertion. */
const FEW = 3;

/** The position with the `nth` smallest value (from 0), as `nth_element` finds it. */
export function nthElement(positions: Uint32Array, nth: number, precedes: Precedes): number {
  let [first, last] = [0, positions.length];
  while (last - first > FEW) {
    const cut = partition(positions, first, last, precedes);
    if (cut <= nth) first = cut;
    else last = cut;
  }
  insertionSort(positions, first, last, precedes);
  return positions[nth]!;
}

/** Splits `first + 1 .. last` by the median of three, which goes to `first`; gives where the upper part begins. */
function partition(positions: Uint32Array, first: number, last: number, precedes: Precedes): number {
  const middle = first + ((last - first) >> 1);
  swap(positions, first, medianPlace(positions, first + 1, middle, last - 1, precedes));
  const pivot = positions[first]!;
  let [low, high] = [first + 1, last];
  for (;;) {
    while (precedes(positions[low]!, pivot)) low++;
    do high--;
    while (precedes(pivot, positions[high]!));
    if (low >= high) return low;
    swap(positions, low++, high);
  }
}

function medianPlace(positions: Uint32Array, a: number, b: number, c: number, precedes: Precedes): number {
  const before = (i: number, j: number): boolean => precedes(positions[i]!, positions[j]!);
  if (before(a, b)) {
    if (before(b, c)) return b;
    return before(a, c) ? c : a;
  }
  if (before(a, c)) return a;
  return before(b, c) ? c : b;
}

function insertionSort(positions: Uint32Array, first: number, last: number, precedes: Precedes): void {
  for (let i = first + 1; i < last; i++) {
    const moved = positions[i]!;
    let at = i;
    while (at > first && precedes(moved, positions[at - 1]!)) positions[at] = positions[--at]!;
    positions[at] = moved;
  }
}

/** The position with the `k`-th smallest value (from 0), as `kthvalue` finds it. */
export function quickSelect(positions: Uint32Array, k: number, precedes: Precedes): number {
  const order = (low: number, high: number): void => {
    if (precedes(positions[high]!, positions[low]!)) swap(positions, low, high);
  };
  let [left, right] = [0, positions.length - 1];
  while (right > left + 1) {
    swap(positions, left + ((right - left) >> 1), left + 1);
    order(left + 1, right);
    order(left, right);
    order(left + 1, left);
    const pivot = positions[left]!;
    let [low, high] = [left + 1, right];
    for (;;) {
      do low++;
      while (precedes(positions[low]!, pivot));
      do high--;
      while (precedes(pivot, positions[high]!));
      if (high < low) break;
      swap(positions, low, high);
    }
    swap(positions, left, high);
    if (high <= k) left = low;
    if (high >= k) right = high - 1;
  }
  if (right === left + 1) order(left, right);
  return positions[k]!;
}

function swap(positions: Uint32Array, a: number, b: number): void {
  const kept = positions[a]!;
  positions[a] = positions[b]!;
  positions[b] = kept;
}
