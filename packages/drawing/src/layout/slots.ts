/**
 * @file The second step: a slot in its layer for each box, and for each layer that a link passes.
 * Links of one place of a box share the slots that they pass. Then every segment of a link leads
 * from one layer to the next.
 */
import type { Chart } from "./chart.js";
import type { DownwardLinks } from "./layers.js";

/** Slots, and the segments of links between them. Slots from 0 on are the boxes. */
export interface Slots {
  readonly count: number;
  readonly layers: number;
  /** The layer of each slot. */
  readonly layerOf: Int32Array;
  /** The box that a slot belongs to: of passing slots that where their links start. */
  readonly boxOf: Int32Array;
  /** Upper and lower slot of each segment. */
  readonly upper: Int32Array;
  readonly lower: Int32Array;
  /** Where a segment meets its slots, from their centers to the right. */
  readonly upperOffsets: Float64Array;
  readonly lowerOffsets: Float64Array;
  /** The first slot that each link passes: others follow it. -1 for none. */
  readonly passes: Int32Array;
  /** Links that are too long for slots, as 1. They are drawn straight. */
  readonly isFar: Uint8Array;
}

/** Slots for passing links, for each box and link of a chart. Long links beyond that are far. */
const PASSES_PER_ITEM = 4;
/** Slots for passing links that every chart has. */
const LEAST_PASSES = 4_000;

/** Links that leave one place of a box in one direction. */
interface Bundle {
  readonly box: number;
  readonly offset: number;
  readonly links: number[];
  /** Layers that are passed. */
  length: number;
}

/** Returns the slots of a chart whose boxes have these layers. */
export function slotsOf(chart: Chart, { upper, lower }: DownwardLinks, layers: Int32Array): Slots {
  const boxes = layers.length;
  const passes = new Int32Array(upper.length).fill(-1);
  const isFar = new Uint8Array(upper.length);
  const passed: number[] = [];
  const passedBox: number[] = [];
  const segments = new Segments();
  for (const bundle of nearBundles(bundlesOf(chart, { upper, lower }, layers), boxes + upper.length, isFar)) {
    const first = boxes + passed.length;
    const top = layers[bundle.box]!;
    for (let i = 0; i < bundle.length; i++) {
      passed.push(top + 1 + i);
      passedBox.push(bundle.box);
      if (i === 0) segments.add(bundle.box, first, bundle.offset, 0);
      else segments.add(first + i - 1, first + i, 0, 0);
    }
    for (const link of bundle.links) {
      const end = lower[link]!;
      const span = layers[end]! - top - 1;
      const offset = lowerOffset(chart, link);
      if (span === 0) segments.add(bundle.box, end, bundle.offset, offset);
      else {
        passes[link] = first;
        segments.add(first + span - 1, end, 0, offset);
      }
    }
  }
  const layerOf = Int32Array.from([...layers, ...passed]);
  return {
    count: layerOf.length,
    layers: layers.reduce((most, layer) => Math.max(most, layer + 1), 0),
    layerOf,
    boxOf: Int32Array.from([...layers.keys(), ...passedBox]),
    ...segments.arrays(),
    passes,
    isFar,
  };
}

/** Where a link meets its upper box. */
export const upperOffset = ({ from, to, fromOffsets, toOffsets }: Chart, link: number): number =>
  (from[link]! <= to[link]! ? fromOffsets : toOffsets)?.[link] ?? 0;

/** Where a link meets its lower box. */
export const lowerOffset = ({ from, to, fromOffsets, toOffsets }: Chart, link: number): number =>
  (from[link]! <= to[link]! ? toOffsets : fromOffsets)?.[link] ?? 0;

function bundlesOf(chart: Chart, { upper, lower }: DownwardLinks, layers: Int32Array): Bundle[] {
  const bundles = new Map<string, Bundle>();
  for (let link = 0; link < upper.length; link++) {
    const box = upper[link]!;
    const end = lower[link]!;
    if (box === end) continue;
    const offset = upperOffset(chart, link);
    const key = `${box} ${offset} ${chart.from[link] === box}`;
    let bundle = bundles.get(key);
    if (bundle === undefined) {
      bundle = { box, offset, links: [], length: 0 };
      bundles.set(key, bundle);
    }
    bundle.links.push(link);
    bundle.length = Math.max(bundle.length, layers[end]! - layers[box]! - 1);
  }
  return [...bundles.values()];
}

/** Returns the bundles that slots are made for, shortest first up to the limit. */
function nearBundles(bundles: Bundle[], items: number, isFar: Uint8Array): Bundle[] {
  let left = PASSES_PER_ITEM * items + LEAST_PASSES;
  const near = new Set<Bundle>();
  for (const bundle of [...bundles].sort((a, b) => a.length - b.length)) {
    left -= bundle.length;
    if (left >= 0) near.add(bundle);
    else for (const link of bundle.links) isFar[link] = 1;
  }
  return bundles.filter((bundle) => near.has(bundle));
}

class Segments {
  readonly #upper: number[] = [];
  readonly #lower: number[] = [];
  readonly #upperOffsets: number[] = [];
  readonly #lowerOffsets: number[] = [];

  add(upper: number, lower: number, upperOffset: number, lowerOffset: number): void {
    this.#upper.push(upper);
    this.#lower.push(lower);
    this.#upperOffsets.push(upperOffset);
    this.#lowerOffsets.push(lowerOffset);
  }

  arrays(): Pick<Slots, "upper" | "lower" | "upperOffsets" | "lowerOffsets"> {
    return {
      upper: Int32Array.from(this.#upper),
      lower: Int32Array.from(this.#lower),
      upperOffsets: Float64Array.from(this.#upperOffsets),
      lowerOffsets: Float64Array.from(this.#lowerOffsets),
    };
  }
}
