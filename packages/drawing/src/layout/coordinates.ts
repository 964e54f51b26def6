/**
 * @file The fourth step: a place for each slot of a layer, near its neighbors in the layers above
 * and below. For one layer that is a problem of least squares with a fixed order and least
 * distances. It is isotonic regression, which pooling of neighbors solves in linear time.
 */
import type { Adjacency } from "./layers.js";
import type { LayerOrder, Neighbors } from "./ordering.js";
import type { Slots } from "./slots.js";

/** Passes over all layers, downwards and upwards. */
const PASSES = 6;
/** How strongly segments pull: between boxes, at one passing slot, between passing slots. */
const PULL = [4, 1, 8] as const;
/** The pull between boxes that have no other neighbor on that side: chains stay straight. */
const CHAIN = 16;
/** Layers that a link passes from which on it does not count as a part of its neighborhood. */
const LONG = 64;
/** The pull of the present place on a slot without neighbors. */
const REST = 0.05;

/** Centers of all slots, from the left; the leftmost edge is at 0. Returns the width, too. */
export function placeSlots(
  slots: Slots,
  order: LayerOrder,
  neighbors: Neighbors,
  widths: Float64Array,
  gap: number,
): { readonly x: Float64Array; readonly width: number } {
  const x = new Float64Array(slots.count);
  const layers = new LayerPlaces(slots, order, neighbors, widths, gap, x);
  for (let layer = 0; layer < slots.layers; layer++) layers.pack(layer);
  for (let pass = 0; pass < PASSES; pass++) {
    const isLast = pass === PASSES - 1;
    for (let layer = 1; layer < slots.layers; layer++) layers.place(layer, true, isLast);
    for (let layer = slots.layers - 2; layer >= 0; layer--) layers.place(layer, isLast, true);
  }
  straighten(slots, order, widths.length, x);
  return shiftToZero(x, widths);
}

/**
 * Brings boxes that have a layer to themselves below each other: what the layers between them drift
 * to one side would add up in deep programs.
 */
function straighten(
  { layers, layerOf, boxOf }: Slots,
  order: LayerOrder,
  boxes: number,
  x: Float64Array,
): void {
  const lengths = new Int32Array(boxes);
  for (let slot = boxes; slot < boxOf.length; slot++) lengths[boxOf[slot]!]!++;
  const shifts = new Float64Array(layers);
  let spine: number | undefined;
  let shift = 0;
  for (let layer = 0; layer < layers; layer++) {
    let only: number | undefined;
    let others = 0;
    for (let i = order.starts[layer]!; i < order.starts[layer + 1]!; i++) {
      const slot = order.slots[i]!;
      if (slot < boxes && only === undefined) only = slot;
      else if (slot < boxes || lengths[boxOf[slot]!]! < LONG) others++;
    }
    if (only !== undefined && others === 0) {
      spine ??= x[only]!;
      shift = spine - x[only]!;
    }
    shifts[layer] = shift;
  }
  for (let slot = 0; slot < x.length; slot++) x[slot]! += shifts[layerOf[slot]!]!;
}

function shiftToZero(
  x: Float64Array,
  widths: Float64Array,
): { readonly x: Float64Array; readonly width: number } {
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  for (let slot = 0; slot < x.length; slot++) {
    const half = (widths[slot] ?? 0) / 2;
    left = Math.min(left, x[slot]! - half);
    right = Math.max(right, x[slot]! + half);
  }
  if (x.length === 0) return { x, width: 0 };
  for (let slot = 0; slot < x.length; slot++) x[slot]! -= left;
  return { x, width: right - left };
}

class LayerPlaces {
  readonly #slots: Slots;
  readonly #order: LayerOrder;
  readonly #neighbors: Neighbors;
  readonly #widths: Float64Array;
  readonly #gap: number;
  readonly #x: Float64Array;
  // A pool is a run of slots that touch each other: its mean, its weight, and where it ends.
  readonly #means: Float64Array;
  readonly #weights: Float64Array;
  readonly #ends: Int32Array;

  constructor(
    slots: Slots,
    order: LayerOrder,
    neighbors: Neighbors,
    widths: Float64Array,
    gap: number,
    x: Float64Array,
  ) {
    this.#slots = slots;
    this.#order = order;
    this.#neighbors = neighbors;
    this.#widths = widths;
    this.#gap = gap;
    this.#x = x;
    this.#means = new Float64Array(slots.count);
    this.#weights = new Float64Array(slots.count);
    this.#ends = new Int32Array(slots.count);
  }

  /** Puts the slots of a layer side by side, around 0. */
  pack(layer: number): void {
    const { starts, slots } = this.#order;
    let at = 0;
    for (let i = starts[layer]!; i < starts[layer + 1]!; i++) {
      if (i > starts[layer]!) at += this.#distance(slots[i - 1]!, slots[i]!);
      this.#x[slots[i]!] = at;
    }
    for (let i = starts[layer]!; i < starts[layer + 1]!; i++) this.#x[slots[i]!]! -= at / 2;
  }

  /** Moves the slots of a layer to their neighbors above, below, or on both sides. */
  place(layer: number, fromAbove: boolean, fromBelow: boolean): void {
    const { starts, slots } = this.#order;
    const start = starts[layer]!;
    let pools = 0;
    let offset = 0;
    for (let i = start; i < starts[layer + 1]!; i++) {
      const slot = slots[i]!;
      if (i > start) offset += this.#distance(slots[i - 1]!, slot);
      const { mean, weight } = this.#wish(slot, fromAbove, fromBelow);
      // A slot without any neighbor goes beside the one before it.
      this.#means[pools] = pools > 0 && this.#isAlone(slot) ? this.#means[pools - 1]! : mean - offset;
      this.#weights[pools] = weight;
      this.#ends[pools] = i + 1;
      pools++;
      while (pools > 1 && this.#means[pools - 2]! >= this.#means[pools - 1]!) {
        pools--;
        this.#join(pools - 1);
      }
    }
    this.#spread(start, pools);
  }

  /** Joins a pool with the one behind it. */
  #join(pool: number): void {
    const weight = this.#weights[pool]! + this.#weights[pool + 1]!;
    const sum = this.#means[pool]! * this.#weights[pool]! + this.#means[pool + 1]! * this.#weights[pool + 1]!;
    this.#means[pool] = sum / weight;
    this.#weights[pool] = weight;
    this.#ends[pool] = this.#ends[pool + 1]!;
  }

  #spread(start: number, pools: number): void {
    const { slots } = this.#order;
    let offset = 0;
    let i = start;
    for (let pool = 0; pool < pools; pool++)
      for (; i < this.#ends[pool]!; i++) {
        if (i > start) offset += this.#distance(slots[i - 1]!, slots[i]!);
        this.#x[slots[i]!] = this.#means[pool]! + offset;
      }
  }

  /** Where a slot would like to be, and how strongly. */
  #wish(slot: number, fromAbove: boolean, fromBelow: boolean): { mean: number; weight: number } {
    const { upper, lower, upperOffsets, lowerOffsets } = this.#slots;
    let sum = 0;
    let weight = 0;
    const { above, below } = this.#neighbors;
    if (fromAbove)
      for (let i = above.starts[slot]!; i < above.starts[slot + 1]!; i++) {
        const segment = above.links[i]!;
        const pull = this.#pull(upper[segment]!, slot);
        sum += pull * (this.#x[upper[segment]!]! + upperOffsets[segment]! - lowerOffsets[segment]!);
        weight += pull;
      }
    if (fromBelow)
      for (let i = below.starts[slot]!; i < below.starts[slot + 1]!; i++) {
        const segment = below.links[i]!;
        const pull = this.#pull(slot, lower[segment]!);
        sum += pull * (this.#x[lower[segment]!]! + lowerOffsets[segment]! - upperOffsets[segment]!);
        weight += pull;
      }
    return weight === 0 ? { mean: this.#x[slot]!, weight: REST } : { mean: sum / weight, weight };
  }

  #isAlone(slot: number): boolean {
    const { above, below } = this.#neighbors;
    return above.starts[slot] === above.starts[slot + 1] && below.starts[slot] === below.starts[slot + 1];
  }

  #pull(upper: number, lower: number): number {
    const boxes = this.#widths.length;
    const passing = (upper >= boxes ? 1 : 0) + (lower >= boxes ? 1 : 0);
    const { above, below } = this.#neighbors;
    const isOnly = ({ starts }: Adjacency, slot: number): boolean => starts[slot + 1]! - starts[slot]! === 1;
    return passing === 0 && isOnly(below, upper) && isOnly(above, lower) ? CHAIN : PULL[passing]!;
  }

  /** Distance of the centers of neighbors; links that pass need half the gap. */
  #distance(left: number, right: number): number {
    const boxes = this.#widths.length;
    const gap = left >= boxes && right >= boxes ? this.#gap / 2 : this.#gap;
    return gap + ((this.#widths[left] ?? 0) + (this.#widths[right] ?? 0)) / 2;
  }
}
