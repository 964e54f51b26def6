import { describe, expect, test } from "vitest";
import type { Chart, ChartLayout } from "./chart.js";
import { layeredLayout } from "./layered.js";

type Link = readonly [from: number, to: number];

const WIDTH = 80;
const HEIGHT = 30;

const chartOf = (boxes: number, links: readonly Link[]): Chart => ({
  widths: new Float64Array(boxes).fill(WIDTH),
  heights: new Float64Array(boxes).fill(HEIGHT),
  from: Int32Array.from(links, ([from]) => from),
  to: Int32Array.from(links, ([, to]) => to),
});

/** Links as a transformer has them: blocks of chains with three branches and residual links. */
function blocks(least: number): { readonly boxes: number; readonly links: Link[] } {
  const links: Link[] = [];
  let boxes = 1;
  const add = (...inputs: number[]): number => {
    for (const input of inputs) links.push([input, boxes]);
    return boxes++;
  };
  let x = 0;
  while (boxes < least) {
    const norm = add(x);
    const [q, k, v] = [add(add(norm)), add(add(norm)), add(add(norm))];
    const sum = add(add(add(q, k), v), x);
    x = add(add(add(sum)), sum);
  }
  return { boxes, links };
}

/** Numbers from 0 up to 1, the same ones each time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function randomLinks(boxes: number, count: number, seed: number): Link[] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, () => [Math.floor(random() * boxes), Math.floor(random() * boxes)]);
}

/** Pairs of boxes of one layer that are too near, and links that do not go where they should. */
function faults(chart: Chart, layout: ChartLayout): string[] {
  const found: string[] = [];
  const rows = new Map<number, number[]>();
  for (const [box, top] of layout.y.entries()) {
    const middle = top + chart.heights[box]! / 2;
    rows.set(middle, [...(rows.get(middle) ?? []), box]);
  }
  for (const row of rows.values()) {
    row.sort((a, b) => layout.x[a]! - layout.x[b]!);
    for (let i = 1; i < row.length; i++) {
      const [left, right] = [row[i - 1]!, row[i]!];
      const room = layout.x[right]! - layout.x[left]! - (chart.widths[left]! + chart.widths[right]!) / 2;
      if (room < 23.99) found.push(`boxes ${left} and ${right} are ${room} from each other`);
    }
  }
  for (const [link, from] of chart.from.entries()) found.push(...linkFaults(chart, layout, link, from));
  return found;
}

function linkFaults(chart: Chart, layout: ChartLayout, link: number, from: number): string[] {
  const to = chart.to[link]!;
  const points = layout.points.slice(layout.starts[link], layout.starts[link + 1]);
  if (from === to) return points.length === 0 ? [] : [`link ${link} leads to its own box`];
  const ends = [...points.slice(0, 2), ...points.slice(-2)];
  const wanted = [layout.x[from]!, layout.y[from]! + HEIGHT, layout.x[to]!, layout.y[to]!];
  if (ends.some((end, i) => Math.abs(end - wanted[i]!) > 1e-6)) return [`link ${link} has ends ${ends}`];
  if (from > to) return [];
  for (let i = 3; i < points.length; i += 2) if (points[i]! < points[i - 2]!) return [`link ${link} goes up`];
  return [];
}

describe("a layered layout", () => {
  test("draws a chain as a straight line", () => {
    const { x, y, points } = layeredLayout(
      chartOf(3, [
        [0, 1],
        [1, 2],
      ]),
    );
    expect([...x]).toEqual([40, 40, 40]);
    expect([...y]).toEqual([0, 66, 132]);
    expect([...points]).toEqual([40, 30, 40, 66, 40, 96, 40, 132]);
  });

  test("draws a link past a box beside it", () => {
    const chart = chartOf(3, [
      [0, 1],
      [1, 2],
      [0, 2],
    ]);
    const { x, points, starts } = layeredLayout(chart);
    const passing = points.slice(starts[2], starts[3]);
    const xAtBox1 = passing.filter((_, i) => i % 2 === 0).slice(1, -1);
    expect(xAtBox1.length).toBeGreaterThan(0);
    for (const place of xAtBox1) expect(Math.abs(place - x[1]!)).toBeGreaterThan(WIDTH / 2);
  });

  test("brings boxes without inputs down to their users", () => {
    const { y } = layeredLayout(
      chartOf(5, [
        [0, 2],
        [2, 3],
        [1, 4],
        [3, 4],
      ]),
    );
    expect(y[1]).toBe(y[3]);
  });

  test("leaves nothing on top of something else", () => {
    const { boxes, links } = blocks(300);
    const chart = chartOf(boxes, links);
    expect(faults(chart, layeredLayout(chart))).toEqual([]);
    for (let seed = 1; seed <= 40; seed++) {
      const random = chartOf(3 * seed, randomLinks(3 * seed, 5 * seed, seed));
      expect(faults(random, layeredLayout(random))).toEqual([]);
    }
  });

  test("draws what goes back beside its boxes", () => {
    const chart = chartOf(3, [
      [0, 1],
      [1, 2],
      [2, 0],
    ]);
    const { points, starts, x } = layeredLayout(chart);
    const back = points.slice(starts[2], starts[3]);
    expect(back[0]).toBe(x[2]);
    expect(Math.max(...back.filter((_, i) => i % 2 === 0))).toBeGreaterThan(x[2]! + WIDTH / 2);
  });

  test("does not cross links that need not cross", () => {
    const { x } = layeredLayout(
      chartOf(6, [
        [0, 5],
        [1, 4],
        [2, 3],
      ]),
    );
    expect([x[5]! < x[4]!, x[4]! < x[3]!]).toEqual([x[0]! < x[1]!, x[1]! < x[2]!]);
  });

  test("is as wide for a deep program as for one block", () => {
    const one = layeredLayout(chartOf(blocks(12).boxes, blocks(12).links));
    const { boxes, links } = blocks(10_000);
    const deep = layeredLayout(chartOf(boxes, links));
    expect(deep.width).toBeLessThan(2 * one.width);
  });

  test("keeps places of links within the layout", () => {
    const { boxes, links } = blocks(2_000);
    const { points, width, height } = layeredLayout(chartOf(boxes, links));
    const xs = points.filter((_, i) => i % 2 === 0);
    const ys = points.filter((_, i) => i % 2 === 1);
    expect(xs.every((x) => x >= 0 && x <= width)).toBe(true);
    expect(ys.every((y) => y >= 0 && y <= height)).toBe(true);
  });

  test("gives the same for the same chart", () => {
    const chart = chartOf(50, randomLinks(50, 90, 7));
    expect(layeredLayout(chart)).toEqual(layeredLayout(chart));
  });

  test("takes a chain of 20,000 boxes, and links past all of them", () => {
    const boxes = 20_000;
    const chain = Array.from({ length: boxes - 1 }, (_, i): Link => [i, i + 1]);
    expect(layeredLayout(chartOf(boxes, chain)).width).toBe(WIDTH);
    const far = chain.map(([from]): Link => [Math.floor(from / 2), boxes - 1]);
    const chart = chartOf(boxes, [...chain, ...far]);
    expect(faults(chart, layeredLayout(chart))).toEqual([]);
  });

  test("takes an empty chart, and boxes without links", () => {
    expect(layeredLayout(chartOf(0, []))).toMatchObject({ width: 0, height: 0 });
    const alone = chartOf(4, []);
    expect(faults(alone, layeredLayout(alone))).toEqual([]);
  });
});
