import { checkOptions, type OptionNames } from "@sconce/errors";
import type { Hierarchy, Item } from "../hierarchy/item.js";
import { Frame } from "./frame.js";
import type { Scene, SceneArrow, SceneBox, SceneOptions } from "./scene.js";
import { boxSize } from "./sizes.js";
import { type Visible, type VisibleLink, visibleOf } from "./visible.js";

const OPTIONS: OptionNames<SceneOptions> = { open: true, state: true };

/**
 * Lays out what is open in a hierarchy. Each open group is laid out by itself, the innermost first,
 * so that opening one changes the order of nothing outside of it.
 */
export function sceneOf(hierarchy: Hierarchy, options: SceneOptions = {}): Scene {
  checkOptions("sceneOf", options, OPTIONS);
  return new SceneBuilder(hierarchy, visibleOf(hierarchy, options)).scene();
}

/** A part of the way of a link: its part within one frame. */
interface Step {
  readonly frame: Frame;
  readonly link: number;
}

class SceneBuilder {
  readonly #items: readonly Item[];
  readonly #visible: Visible;
  readonly #frames = new Map<number, Frame>();
  readonly #steps: Step[][] = [];

  constructor({ items }: Hierarchy, visible: Visible) {
    this.#items = items;
    this.#visible = visible;
  }

  scene(): Scene {
    const { shown, isOpen, links } = this.#visible;
    const root = new Frame(this.#items[0]!);
    this.#frames.set(0, root);
    for (const id of shown) {
      this.#frames.get(this.#items[id]!.parent)!.boxes.push(id);
      if (isOpen[id] === 1) this.#frames.set(id, new Frame(this.#items[id]!));
    }
    for (const link of links) this.#steps.push(this.#stepsOf(link));
    for (const frame of [...this.#frames.values()].reverse()) frame.layOut((id) => this.#inner(id));
    const { boxes, corners } = this.#boxes();
    return { width: root.width, height: root.height, boxes, arrows: this.#arrows(corners) };
  }

  #inner(id: number): { width: number; height: number } | Frame {
    return this.#frames.get(id) ?? boxSize(this.#items[id]!);
  }

  /**
   * Out of the frames of its start, through the frame that has both ends, into those of its end.
   */
  #stepsOf({ from, to }: VisibleLink): Step[] {
    const outside = this.#framesAround(to);
    let start = from;
    let startFrame = this.#items[from]!.parent;
    const out: Step[] = [];
    while (!outside.includes(startFrame)) {
      const frame = this.#frames.get(startFrame)!;
      out.push({ frame, link: frame.link(String(start), frame.exit(from), from) });
      start = startFrame;
      startFrame = this.#items[start]!.parent;
    }
    const into: Step[] = [];
    let end = to;
    for (const id of outside) {
      if (id === startFrame) break;
      const frame = this.#frames.get(id)!;
      into.unshift({ frame, link: frame.link(frame.entry(from), String(end), from) });
      end = id;
    }
    const frame = this.#frames.get(startFrame)!;
    return [...out, { frame, link: frame.link(String(start), String(end), from) }, ...into];
  }

  /** Frames around an item, the innermost first; the program is the last. */
  #framesAround(id: number): number[] {
    const frames: number[] = [];
    for (let item = this.#items[id]!.parent; item >= 0; item = this.#items[item]!.parent) frames.push(item);
    return frames;
  }

  /** Boxes in the order of items: a frame is placed before what is in it. */
  #boxes(): { boxes: SceneBox[]; corners: Map<number, readonly [x: number, y: number]> } {
    const corners = new Map<number, readonly [x: number, y: number]>([[0, [0, 0]]]);
    const depths = new Map<number, number>([[0, -1]]);
    const found = new Map<number, SceneBox>();
    for (const [id, frame] of this.#frames) {
      const [left, top] = corners.get(id)!;
      const depth = depths.get(id)! + 1;
      frame.boxes.forEach((item, index) => {
        const { width, height } = this.#inner(item);
        const place = frame.place(index);
        const x = left + place.x - width / 2;
        const y = top + place.y;
        const isOpen = this.#frames.has(item);
        if (isOpen) {
          corners.set(item, [x, y]);
          depths.set(item, depth);
        }
        found.set(item, { item, x, y, width, height, isOpen, depth });
      });
    }
    return { boxes: this.#visible.shown.map((id) => found.get(id)!), corners };
  }

  #arrows(corners: ReadonlyMap<number, readonly [x: number, y: number]>): SceneArrow[] {
    return this.#visible.links.map(({ from, to, value, count }, i) => {
      const points: number[] = [];
      for (const { frame, link } of this.#steps[i]!) {
        const [x, y] = corners.get(frame.item.id)!;
        frame.addPoints(link, x, y, points);
      }
      return { from, to, value, count, points: Float64Array.from(points) };
    });
  }
}
