/**
 * @file One frame with its layout: what is in it, and the ports where links cross its border.
 */
import type { Item } from "../hierarchy/item.js";
import type { Chart, ChartLayout } from "../layout/chart.js";
import { layeredLayout } from "../layout/layered.js";
import { FRAME_PADDING, FRAME_TITLE, frameWidth } from "./sizes.js";

/** The size of a box in a frame. */
export interface Inner {
  readonly width: number;
  readonly height: number;
}

/** What is in an open group, and its links. */
export class Frame {
  readonly item: Item;
  /** Items of the boxes, in the order of the program. */
  readonly boxes: number[] = [];
  /** Items whose values come in, and go out. */
  readonly entries: number[] = [];
  readonly exits: number[] = [];
  readonly #ports = new Set<string>();
  readonly #links = new Map<string, number>();
  readonly #ends: (readonly [from: string, to: string, value: number])[] = [];
  /** Places in the chart, by item or port: entries, then boxes, then exits. */
  readonly #places = new Map<string, number>();
  #layout: ChartLayout | undefined;
  /** Left of what is in the frame, from its own left. */
  #left = 0;
  width = 0;
  height = 0;

  constructor(item: Item) {
    this.item = item;
  }

  /** Returns the number of the link of a value between two ends; each is made once. */
  link(from: string, to: string, value: number): number {
    const key = `${from} ${to} ${value}`;
    let link = this.#links.get(key);
    if (link === undefined) {
      link = this.#ends.length;
      this.#links.set(key, link);
      this.#ends.push([from, to, value]);
    }
    return link;
  }

  /** Returns the name of the port where a value of an item comes in. */
  entry(item: number): string {
    return this.#port("in", item, this.entries);
  }

  /** Returns the name of the port where a value of an item goes out. */
  exit(item: number): string {
    return this.#port("out", item, this.exits);
  }

  #port(side: string, item: number, list: number[]): string {
    const name = `${side} ${item}`;
    if (!this.#ports.has(name)) {
      this.#ports.add(name);
      list.push(item);
    }
    return name;
  }

  /** Lays out the frame. All frames in it have been laid out. */
  layOut(inner: (box: number) => Inner & Partial<Pick<Frame, "portX">>): void {
    const { boxes, entries, exits } = this;
    const count = entries.length + boxes.length + exits.length;
    const places = this.#places;
    for (const item of entries) places.set(`in ${item}`, places.size);
    for (const item of boxes) places.set(String(item), places.size);
    for (const item of exits) places.set(`out ${item}`, places.size);
    const chart: Required<Chart> = {
      widths: new Float64Array(count),
      heights: new Float64Array(count),
      from: Int32Array.from(this.#ends, ([from]) => places.get(from)!),
      to: Int32Array.from(this.#ends, ([, to]) => places.get(to)!),
      fromOffsets: Float64Array.from(this.#ends, ([from, , value]) => offset(inner, from, `out ${value}`)),
      toOffsets: Float64Array.from(this.#ends, ([, to, value]) => offset(inner, to, `in ${value}`)),
      first: entries.map((_, i) => i),
      last: exits.map((_, i) => entries.length + boxes.length + i),
    };
    boxes.forEach((item, i) => {
      const { width, height } = inner(item);
      chart.widths[entries.length + i] = width;
      chart.heights[entries.length + i] = height;
    });
    this.#layout = layeredLayout(chart);
    const content = this.#layout.width + 2 * FRAME_PADDING;
    this.width = Math.max(content, frameWidth(this.item));
    this.height = this.#layout.height + 2 * FRAME_PADDING + FRAME_TITLE;
    this.#left = FRAME_PADDING + (this.width - content) / 2;
  }

  /** Where a port lies, from the center of the frame to the right. */
  portX(name: string): number {
    const place = this.#places.get(name);
    return place === undefined ? 0 : this.#left + this.#layout!.x[place]! - this.width / 2;
  }

  /** Returns the center and the top of a box in the frame, from its own left and top. */
  place(index: number): { readonly x: number; readonly y: number } {
    const place = this.entries.length + index;
    const { x, y } = this.#layout!;
    return { x: this.#left + x[place]!, y: FRAME_TITLE + FRAME_PADDING + y[place]! };
  }

  /** Adds the points of a link, for a frame with its left and top there. */
  addPoints(link: number, x: number, y: number, points: number[]): void {
    const { points: own, starts } = this.#layout!;
    for (let i = starts[link]!; i < starts[link + 1]!; i += 2)
      points.push(x + this.#left + own[i]!, y + FRAME_TITLE + FRAME_PADDING + own[i + 1]!);
  }
}

function offset(inner: (box: number) => Partial<Pick<Frame, "portX">>, end: string, port: string): number {
  if (end.startsWith("in ") || end.startsWith("out ")) return 0;
  const box = inner(Number(end));
  return box.portX?.(port) ?? 0;
}
