/**
 * @file The third step: the order of the slots of each layer, so that few segments cross. Sweeps
 * down and up put each slot at the mean place of its neighbors.
 */
import { type Adjacency, linksBy } from "./layers.js";
import type { Slots } from "./slots.js";

/** The slots of layer `l` from left to right are `slots[starts[l] .. starts[l + 1]]`. */
export interface LayerOrder {
  readonly starts: Int32Array;
  readonly slots: Int32Array;
  /** The place of each slot in its layer. */
  readonly places: Int32Array;
}

/** Segments by their upper and by their lower slot. */
export interface Neighbors {
  readonly above: Adjacency;
  readonly below: Adjacency;
}

/** Segments of a layout by slot. */
export const neighborsOf = ({ upper, lower, count }: Slots): Neighbors => ({
  above: linksBy(lower, count),
  below: linksBy(upper, count),
});

/** Slots up to which neighbors in a layer are also exchanged one by one. */
const MOST_EXCHANGED = 3_000;

/** Returns the order of slots with the fewest crossings that the sweeps found. */
export function orderLayers(
  slots: Slots,
  neighbors: Neighbors,
  sweeps: number,
  widths: Float64Array,
): LayerOrder {
  const order = firstOrder(slots);
  const sorter = new Sorter(slots, order, neighbors, widths);
  let best = order.slots.slice();
  let least = crossings(slots, order, neighbors.below);
  for (let sweep = 0; sweep < sweeps && least > 0; sweep++) {
    for (let layer = 1; layer < slots.layers; layer++) sorter.sort(layer, "above");
    for (let layer = slots.layers - 2; layer >= 0; layer--) sorter.sort(layer, "below");
    if (slots.count <= MOST_EXCHANGED) exchange(slots, order, neighbors);
    const found = crossings(slots, order, neighbors.below);
    if (found >= least) continue;
    least = found;
    best = order.slots.slice();
  }
  order.slots.set(best);
  for (let layer = 0; layer < slots.layers; layer++) setPlaces(order, layer);
  return order;
}

/**
 * Boxes in their own order, and what passes beside the box that it comes from. Boxes without links
 * come last.
 */
function firstOrder({ count, layers, layerOf, boxOf, upper, lower }: Slots): LayerOrder {
  const isLinked = new Uint8Array(count);
  for (const slot of upper) isLinked[slot] = 1;
  for (const slot of lower) isLinked[slot] = 1;
  const starts = new Int32Array(layers + 1);
  for (const layer of layerOf) starts[layer + 1]!++;
  for (let layer = 0; layer < layers; layer++) starts[layer + 1]! += starts[layer]!;
  const next = starts.slice();
  const slots = new Int32Array(count);
  const places = new Int32Array(count);
  const byBox = Int32Array.from(boxOf.keys()).sort(
    (a, b) => isLinked[b]! - isLinked[a]! || boxOf[a]! - boxOf[b]! || a - b,
  );
  for (const slot of byBox) {
    const layer = layerOf[slot]!;
    places[slot] = next[layer]! - starts[layer]!;
    slots[next[layer]!++] = slot;
  }
  return { starts, slots, places };
}

function setPlaces({ starts, slots, places }: LayerOrder, layer: number): void {
  for (let i = starts[layer]!; i < starts[layer + 1]!; i++) places[slots[i]!] = i - starts[layer]!;
}

class Sorter {
  readonly #slots: Slots;
  readonly #order: LayerOrder;
  readonly #neighbors: Neighbors;
  readonly #widths: Float64Array;
  readonly #keys: Float64Array;

  constructor(slots: Slots, order: LayerOrder, neighbors: Neighbors, widths: Float64Array) {
    this.#slots = slots;
    this.#order = order;
    this.#neighbors = neighbors;
    this.#widths = widths;
    this.#keys = new Float64Array(slots.count);
  }

  /** Sorts a layer by the mean place of the neighbors on one side; others keep their part. */
  sort(layer: number, side: "above" | "below"): void {
    const { starts, slots, places } = this.#order;
    const start = starts[layer]!;
    const end = starts[layer + 1]!;
    const other = layer + (side === "above" ? -1 : 1);
    const scale = (starts[other + 1]! - starts[other]!) / (end - start);
    const keys = this.#keys;
    for (let i = start; i < end; i++) {
      const slot = slots[i]!;
      keys[slot] = this.#mean(slot, side) ?? (places[slot]! + 0.5) * scale - 0.5;
    }
    slots.subarray(start, end).sort((a, b) => keys[a]! - keys[b]! || places[a]! - places[b]!);
    setPlaces(this.#order, layer);
  }

  #mean(slot: number, side: "above" | "below"): number | undefined {
    const { upper, lower, upperOffsets, lowerOffsets } = this.#slots;
    const { starts, links } = this.#neighbors[side];
    const count = starts[slot + 1]! - starts[slot]!;
    if (count === 0) return undefined;
    const ends = side === "above" ? upper : lower;
    const offsets = side === "above" ? upperOffsets : lowerOffsets;
    let sum = 0;
    for (let i = starts[slot]!; i < starts[slot + 1]!; i++) {
      const segment = links[i]!;
      const end = ends[segment]!;
      // A place within the box counts less than a box.
      sum += this.#order.places[end]! + offsets[segment]! / ((this.#widths[end] ?? 0) + 1);
    }
    return sum / count;
  }
}

/** Number of pairs of segments that cross. */
function crossings(slots: Slots, order: LayerOrder, below: Adjacency): number {
  const tree = new Float64Array(slots.count + 1);
  let count = 0;
  for (let layer = 0; layer + 1 < slots.layers; layer++) {
    const size = order.starts[layer + 2]! - order.starts[layer + 1]!;
    tree.fill(0, 0, size + 1);
    let seen = 0;
    for (let i = order.starts[layer]!; i < order.starts[layer + 1]!; i++) {
      const ends = placesAt(slots.lower, order, below, order.slots[i]!);
      for (const place of ends) count += seen - prefix(tree, place + 1);
      for (const place of ends) {
        for (let at = place + 1; at <= size; at += at & -at) tree[at]!++;
        seen++;
      }
    }
  }
  return count;
}

function prefix(tree: Float64Array, end: number): number {
  let sum = 0;
  for (let at = end; at > 0; at -= at & -at) sum += tree[at]!;
  return sum;
}

/** Exchanges neighbors in a layer where that removes crossings. */
function exchange(slots: Slots, order: LayerOrder, { above, below }: Neighbors): void {
  for (let layer = 0; layer < slots.layers; layer++) {
    const start = order.starts[layer]!;
    for (let i = start; i + 1 < order.starts[layer + 1]!; i++) {
      const left = order.slots[i]!;
      const right = order.slots[i + 1]!;
      const ends = (slot: number) => [
        placesAt(slots.upper, order, above, slot),
        placesAt(slots.lower, order, below, slot),
      ];
      const [leftUp, leftDown] = ends(left);
      const [rightUp, rightDown] = ends(right);
      const now = inversions(leftUp!, rightUp!) + inversions(leftDown!, rightDown!);
      const then = inversions(rightUp!, leftUp!) + inversions(rightDown!, leftDown!);
      if (then >= now) continue;
      order.slots[i] = right;
      order.slots[i + 1] = left;
      order.places[right] = i - start;
      order.places[left] = i + 1 - start;
    }
  }
}

/** Places of the ends of a slot's segments, in their order. */
function placesAt(
  ends: Int32Array,
  { places }: LayerOrder,
  { starts, links }: Adjacency,
  slot: number,
): number[] {
  const found: number[] = [];
  for (let i = starts[slot]!; i < starts[slot + 1]!; i++) found.push(places[ends[links[i]!]!]!);
  return found.sort((a, b) => a - b);
}

/** Pairs of a left and a right end that are in the wrong order; both lists are sorted. */
function inversions(left: readonly number[], right: readonly number[]): number {
  let count = 0;
  let smaller = 0;
  for (const place of left) {
    while (smaller < right.length && right[smaller]! < place) smaller++;
    count += smaller;
  }
  return count;
}
