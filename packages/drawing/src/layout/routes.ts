/** @file The last step: the points of each link, between the boxes of the layers that it passes. */
import type { Chart } from "./chart.js";
import { lowerOffset, type Slots, upperOffset } from "./slots.js";

/** Where layers and boxes lie. */
export interface Places {
  /** Centers of all slots. */
  readonly x: Float64Array;
  /** Tops of the boxes. */
  readonly y: Float64Array;
  /** Top and bottom of each layer. */
  readonly tops: Float64Array;
  readonly bottoms: Float64Array;
  readonly gap: number;
  readonly layerGap: number;
}

/** Points of all links. A link against the order of boxes goes up beside its boxes. */
export function routesOf(
  chart: Chart,
  slots: Slots,
  places: Places,
): { readonly points: Float64Array; readonly starts: Int32Array } {
  const points: number[] = [];
  const starts = new Int32Array(chart.from.length + 1);
  for (let link = 0; link < chart.from.length; link++) {
    const isDown = chart.from[link]! <= chart.to[link]!;
    if (chart.from[link] !== chart.to[link])
      points.push(...(isDown ? downRoute(chart, slots, places, link) : upRoute(chart, slots, places, link)));
    starts[link + 1] = points.length;
  }
  return { points: Float64Array.from(points), starts };
}

function downRoute(chart: Chart, slots: Slots, places: Places, link: number): number[] {
  const from = chart.from[link]!;
  const to = chart.to[link]!;
  const { x, y, tops, bottoms } = places;
  const left = x[from]! + upperOffset(chart, link);
  const right = x[to]! + lowerOffset(chart, link);
  const route = new Route();
  route.add(left, y[from]! + chart.heights[from]!);
  route.add(left, bottoms[slots.layerOf[from]!]!);
  addPasses(route, slots, places, link, from, to);
  route.add(right, tops[slots.layerOf[to]!]!);
  route.add(right, y[to]!);
  return route.points;
}

function addPasses(
  route: Route,
  slots: Slots,
  { x, tops, bottoms }: Places,
  link: number,
  upper: number,
  lower: number,
): void {
  if (slots.passes[link]! < 0) return;
  const top = slots.layerOf[upper]! + 1;
  for (let layer = top; layer < slots.layerOf[lower]!; layer++) {
    const slot = slots.passes[link]! + layer - top;
    route.add(x[slot]!, tops[layer]!);
    route.add(x[slot]!, bottoms[layer]!);
  }
}

/** From the bottom of the lower box up beside it to the top of the upper one. */
function upRoute(chart: Chart, slots: Slots, places: Places, link: number): number[] {
  const from = chart.from[link]!;
  const to = chart.to[link]!;
  const { x, y, gap, layerGap } = places;
  const across = (box: number) => x[box]! + chart.widths[box]! / 2 + gap / 3;
  const start = x[from]! + lowerOffset(chart, link);
  const end = x[to]! + upperOffset(chart, link);
  const bottom = (box: number) => y[box]! + chart.heights[box]!;
  const edge = layerGap / 3;
  const passes = new Route();
  addPasses(passes, slots, places, link, to, from);
  const route = new Route();
  route.add(start, bottom(from));
  route.add(across(from), bottom(from) + edge);
  route.add(across(from), y[from]! - edge);
  for (let i = passes.points.length - 2; i >= 0; i -= 2) route.add(passes.points[i]!, passes.points[i + 1]!);
  route.add(across(to), bottom(to) + edge);
  route.add(across(to), y[to]! - edge);
  route.add(end, y[to]!);
  return route.points;
}

/** Points of one link; a point in line with its neighbors is left out. */
class Route {
  readonly points: number[] = [];

  add(x: number, y: number): void {
    const { points } = this;
    const at = points.length;
    if (at >= 2 && points[at - 2] === x && points[at - 1] === y) return;
    if (at >= 4 && points[at - 2] === x && points[at - 4] === x) points[at - 1] = y;
    else points.push(x, y);
  }
}
