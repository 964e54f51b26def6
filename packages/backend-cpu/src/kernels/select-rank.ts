/**
 * @file Selection by rank. Which of several equal values is selected depends on the algorithm's
 * steps, so these are PyTorch's: `nth_element` and `sort` of the C++ library (introselect and
 * introsort, D. R. Musser 1997) for medians and modes, and quickselect by median of three
 * (R. Sedgewick 1978) for `kthvalue`. Orders that mislead the pivots end in a sort, so that no
 * input takes quadratic time.
 */

/** Whether the first of two positions holds the value that comes first. */
type Precedes = (a: number, b: number) => boolean;

/** Below this many positions introselect sorts by insertion. */
const FEW = 3;
/** Ranges up to this length are left to introsort's last pass, by insertion. */
const SHORT = 16;

/** Returns the position with the `nth` smallest value (from 0), as `nth_element` finds it. */
export function nthElement(positions: Uint32Array, nth: number, precedes: Precedes): number {
  let [first, last] = [0, positions.length];
  let rounds = roundsFor(positions.length);
  while (last - first > FEW) {
    if (rounds-- === 0) return bySorting(positions, first, last, nth, precedes);
    const cut = partition(positions, first, last, precedes);
    if (cut <= nth) first = cut;
    else last = cut;
  }
  insertionSort(positions, first, last, precedes);
  return positions[nth]!;
}

/**
 * Positions in the order that `sort` of the C++ library gives them: introsort, which leaves equal
 * values as it may.
 */
export function introSort(positions: Uint32Array, precedes: Precedes): Uint32Array {
  const split = (first: number, end: number, rounds: number): void => {
    let last = end;
    for (let left = rounds; last - first > SHORT; left--) {
      if (left === 0) {
        bySorting(positions, first, last, first, precedes);
        return;
      }
      const cut = partition(positions, first, last, precedes);
      split(cut, last, left - 1);
      last = cut;
    }
  };
  split(0, positions.length, 2 * Math.floor(Math.log2(positions.length)));
  insertionSort(positions, 0, Math.min(SHORT, positions.length), precedes);
  for (let i = SHORT; i < positions.length; i++) insert(positions, 0, i, precedes);
  return positions;
}

/** Twice the rounds that even splits take, as introselect allows. */
const roundsFor = (length: number): number => 2 * Math.ceil(Math.log2(length + 1));

function bySorting(
  positions: Uint32Array,
  first: number,
  last: number,
  nth: number,
  precedes: Precedes,
): number {
  positions.subarray(first, last).sort((a, b) => (precedes(a, b) ? -1 : precedes(b, a) ? 1 : a - b));
  return positions[nth]!;
}

/**
 * Splits `first + 1 .. last` by the median of three, which goes to `first`; gives where the upper
 * part begins.
 */
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
    // The first is asked before the rest: where a NaN lies between, which nothing precedes, that is
    // another place.
    if (!precedes(positions[i]!, positions[first]!)) insert(positions, first, i, precedes);
    else {
      const moved = positions[i]!;
      positions.copyWithin(first + 1, first, i);
      positions[first] = moved;
    }
  }
}

function insert(positions: Uint32Array, first: number, from: number, precedes: Precedes): void {
  const moved = positions[from]!;
  let at = from;
  while (at > first && precedes(moved, positions[at - 1]!)) positions[at] = positions[--at]!;
  positions[at] = moved;
}

/** Returns the position with the `k`-th smallest value (from 0), as `kthvalue` finds it. */
export function quickSelect(positions: Uint32Array, k: number, precedes: Precedes): number {
  const order = (low: number, high: number): void => {
    if (precedes(positions[high]!, positions[low]!)) swap(positions, low, high);
  };
  let [left, right] = [0, positions.length - 1];
  let rounds = roundsFor(positions.length);
  while (right > left + 1) {
    if (rounds-- === 0) return bySorting(positions, left, right + 1, k, precedes);
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
