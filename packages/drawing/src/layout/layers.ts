/**
 * @file The first step of a layered layout: the layer of each box, so that links lead down.
 */
import type { Chart } from "./chart.js";

/** Links of a chart by box: those of box `b` are `links[starts[b] .. starts[b + 1]]`. */
export interface Adjacency {
  readonly starts: Int32Array;
  readonly links: Int32Array;
}

/** Links by the box at one of their ends. */
export function linksBy(ends: Int32Array, boxes: number): Adjacency {
  const starts = new Int32Array(boxes + 1);
  for (const box of ends) starts[box + 1]!++;
  for (let box = 0; box < boxes; box++) starts[box + 1]! += starts[box]!;
  const next = starts.slice();
  const links = new Int32Array(ends.length);
  for (let link = 0; link < ends.length; link++) links[next[ends[link]!]!++] = link;
  return { starts, links };
}

/** The upper and the lower box of each link: a link against the order of boxes is reversed. */
export interface DownwardLinks {
  readonly upper: Int32Array;
  readonly lower: Int32Array;
}

/** Links in the direction of the boxes' order. That direction has no cycles. */
export function downward({ from, to }: Chart): DownwardLinks {
  const upper = new Int32Array(from.length);
  const lower = new Int32Array(from.length);
  for (let link = 0; link < from.length; link++) {
    upper[link] = Math.min(from[link]!, to[link]!);
    lower[link] = Math.max(from[link]!, to[link]!);
  }
  return { upper, lower };
}

/**
 * Returns the layer of each box: one below the lowest box that leads to it. Boxes to which nothing
 * leads, and those that serve a single such chain, come down to their users.
 */
export function layersOf(chart: Chart, { upper, lower }: DownwardLinks): Int32Array {
  const boxes = chart.widths.length;
  const outgoing = linksBy(upper, boxes);
  const incoming = linksBy(lower, boxes);
  const layers = longestPaths(boxes, chart.first, outgoing, lower);
  lowerSources(layers, { boxes, first: chart.first, outgoing, incoming, upper, lower });
  putLast(layers, chart.last ?? []);
  return layers;
}

function longestPaths(
  boxes: number,
  first: readonly number[] | undefined,
  outgoing: Adjacency,
  lower: Int32Array,
): Int32Array {
  const layers = new Int32Array(boxes);
  // Entries have the first layer to themselves.
  if (first !== undefined && first.length > 0) {
    layers.fill(1);
    for (const box of first) layers[box] = 0;
  }
  for (let box = 0; box < boxes; box++)
    for (let i = outgoing.starts[box]!; i < outgoing.starts[box + 1]!; i++) {
      const end = lower[outgoing.links[i]!]!;
      if (end !== box) layers[end] = Math.max(layers[end]!, layers[box]! + 1);
    }
  return layers;
}

/** Exits have the last layer to themselves. */
function putLast(layers: Int32Array, exits: readonly number[]): void {
  if (exits.length === 0) return;
  for (const box of exits) layers[box] = -1;
  const last = layers.reduce((greatest, layer) => Math.max(greatest, layer), 0) + 1;
  for (const box of exits) layers[box] = last;
}

interface Links {
  readonly boxes: number;
  readonly first: readonly number[] | undefined;
  readonly outgoing: Adjacency;
  readonly incoming: Adjacency;
  readonly upper: Int32Array;
  readonly lower: Int32Array;
}

function lowerSources(layers: Int32Array, { boxes, first, outgoing, incoming, upper, lower }: Links): void {
  const loose = new Uint8Array(boxes).fill(1);
  for (const box of first ?? []) loose[box] = 0;
  for (let box = 0; box < boxes; box++)
    for (let i = incoming.starts[box]!; i < incoming.starts[box + 1]!; i++) {
      const source = upper[incoming.links[i]!]!;
      const users = outgoing.starts[source + 1]! - outgoing.starts[source]!;
      if (source !== box && (loose[source] === 0 || users > 1)) loose[box] = 0;
    }
  for (let box = boxes - 1; box >= 0; box--) {
    if (loose[box] === 0) continue;
    let nearest = Number.POSITIVE_INFINITY;
    for (let i = outgoing.starts[box]!; i < outgoing.starts[box + 1]!; i++) {
      const user = lower[outgoing.links[i]!]!;
      if (user !== box) nearest = Math.min(nearest, layers[user]!);
    }
    if (Number.isFinite(nearest)) layers[box] = nearest - 1;
  }
}
