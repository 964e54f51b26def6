import type { Chart, ChartLayout, ChartOptions } from "./chart.js";
import { placeSlots } from "./coordinates.js";
import { downward, layersOf } from "./layers.js";
import { neighborsOf, orderLayers } from "./ordering.js";
import { routesOf } from "./routes.js";
import { slotsOf } from "./slots.js";

/** Boxes of a chart up to which its order is made with more sweeps. */
const SMALL = 500;

/**
 * Lays out a chart in layers, from the top to the bottom: longest paths, sweeps by means of
 * neighbors, and least squares for each layer. The time grows with the number of boxes and links
 * (and sorting of layers), and nothing recurs: a chain of any length is laid out.
 */
export function layeredLayout(chart: Chart, options: ChartOptions = {}): ChartLayout {
  const { gap = 24, layerGap = 36 } = options;
  const boxes = chart.widths.length;
  const sweeps = options.sweeps ?? (boxes <= SMALL ? 12 : 4);
  const links = downward(chart);
  const slots = slotsOf(chart, links, layersOf(chart, links));
  const neighbors = neighborsOf(slots);
  const order = orderLayers(slots, neighbors, sweeps, chart.widths);
  const { x, width } = placeSlots(slots, order, neighbors, chart.widths, gap);
  const rows = rowsOf(chart, slots.layerOf, slots.layers, layerGap);
  const { points, starts } = routesOf(chart, slots, { x, ...rows, gap, layerGap });
  return { width, height: rows.height, x: x.slice(0, boxes), y: rows.y, points, starts };
}

/** Tops and bottoms of layers, and boxes in the middle of theirs. */
function rowsOf({ heights }: Chart, layerOf: Int32Array, layers: number, layerGap: number) {
  const tops = new Float64Array(layers);
  const bottoms = new Float64Array(layers);
  for (let box = 0; box < heights.length; box++)
    bottoms[layerOf[box]!] = Math.max(bottoms[layerOf[box]!]!, heights[box]!);
  let height = 0;
  for (let layer = 0; layer < layers; layer++) {
    // Entries and exits have no height: they are the ends of links at a border.
    if (layer > 0)
      height += bottoms[layer] === 0 || bottoms[layer - 1] === tops[layer - 1] ? layerGap / 3 : layerGap;
    tops[layer] = height;
    height += bottoms[layer]!;
    bottoms[layer] = height;
  }
  const y = heights.map((own, box) => {
    const layer = layerOf[box]!;
    return (tops[layer]! + bottoms[layer]! - own) / 2;
  });
  return { tops, bottoms, y, height };
}
