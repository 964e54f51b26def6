/** @file Which items of two sequences correspond, in order. */

/** How many items, of both together, are skipped at most before all of the rest is searched. */
const WINDOW = 12;
const NONE = -1;

/**
 * For each item of `a` the position of an equal one in `b`, or -1; the positions that are there
 * increase. Equal means `===`. Linear while insertions, removals and replacements are short; after
 * a longer one the rest is anchored at the items that are unique in both (as in patience diff),
 * which sorts once.
 */
export function align(a: readonly unknown[], b: readonly unknown[]): Int32Array {
  const match = new Int32Array(a.length).fill(NONE);
  let [endA, endB] = [a.length, b.length];
  while (endA > 0 && endB > 0 && a[endA - 1] === b[endB - 1]) match[--endA] = --endB;
  let anchors: Anchors | undefined;
  let i = 0;
  let j = 0;
  while (i < endA && j < endB) {
    if (a[i] === b[j]) {
      match[i++] = j++;
      continue;
    }
    const skipped = anchors === undefined ? nearest(a, b, i, j, endA, endB) : NONE;
    if (skipped !== NONE) {
      i += skipped >> 8;
      j += skipped & 0xff;
      continue;
    }
    anchors ??= new Anchors(a, b, i, j, endA, endB);
    const next = anchors.after(i, j);
    if (next === undefined) break;
    [i, j] = next;
  }
  return match;
}

/**
 * Returns how many items of each side to skip to the nearest equal pair, in one number: those of
 * `a` in the bits from 8 up.
 */
function nearest(
  a: readonly unknown[],
  b: readonly unknown[],
  i: number,
  j: number,
  endA: number,
  endB: number,
): number {
  for (let both = 1; both <= WINDOW; both++) {
    for (let p = Math.max(0, j + both - endB + 1); p <= both && i + p < endA; p++)
      if (a[i + p] === b[j + both - p]) return (p << 8) | (both - p);
  }
  return NONE;
}

/** Pairs of items that occur once in each rest, the longest run of them that keeps the order. */
class Anchors {
  readonly #inA: readonly number[];
  readonly #inB: readonly number[];
  #next = 0;

  constructor(
    a: readonly unknown[],
    b: readonly unknown[],
    i: number,
    j: number,
    endA: number,
    endB: number,
  ) {
    const placesB = uniquePlaces(b, j, endB);
    const pairs: [number, number][] = [];
    for (const [item, place] of uniquePlaces(a, i, endA)) {
      const other = place === NONE ? undefined : placesB.get(item);
      if (other !== undefined && other !== NONE) pairs.push([place, other]);
    }
    const kept = longestIncreasing(pairs.map(([, place]) => place));
    this.#inA = kept.map((index) => pairs[index]![0]);
    this.#inB = kept.map((index) => pairs[index]![1]);
  }

  after(i: number, j: number): [number, number] | undefined {
    while (this.#next < this.#inA.length && (this.#inA[this.#next]! < i || this.#inB[this.#next]! < j))
      this.#next++;
    return this.#next < this.#inA.length ? [this.#inA[this.#next]!, this.#inB[this.#next]!] : undefined;
  }
}

/** Where each item is, -1 for those that are there more than once, in order of first occurrence. */
function uniquePlaces(items: readonly unknown[], start: number, end: number): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (let i = start; i < end; i++) places.set(items[i], places.has(items[i]) ? NONE : i);
  return places;
}

/** Indices of a longest increasing subsequence (patience sorting). */
function longestIncreasing(values: readonly number[]): number[] {
  const tails: number[] = [];
  const previous = new Int32Array(values.length).fill(NONE);
  for (let i = 0; i < values.length; i++) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[tails[middle]!]! < values[i]!) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous[i] = tails[low - 1]!;
    tails[low] = i;
  }
  const kept: number[] = [];
  for (let i = tails.at(-1) ?? NONE; i !== NONE; i = previous[i]!) kept.push(i);
  return kept.reverse();
}

/** A run of items of `a` that is replaced by a run of items of `b`. */
export interface Hunk {
  readonly startA: number;
  readonly endA: number;
  readonly startB: number;
  readonly endB: number;
}

/** Returns the runs between the items that correspond. */
export function hunksOf(match: Int32Array, lengthB: number): Hunk[] {
  const hunks: Hunk[] = [];
  let startA = 0;
  let startB = 0;
  for (let i = 0; i <= match.length; i++) {
    const j = i === match.length ? lengthB : match[i]!;
    if (j === NONE) continue;
    if (i > startA || j > startB) hunks.push({ startA, endA: i, startB, endB: j });
    startA = i + 1;
    startB = j + 1;
  }
  return hunks;
}
