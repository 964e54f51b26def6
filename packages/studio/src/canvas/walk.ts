/** @file Goes from box to box: along values, within a layer, and through all of a drawing. */
import type { SceneArrow, SceneBox } from "@sconce/drawing";
import { IndexByY } from "./index-by-y.js";

/** Where a key goes from a box. `next` and `previous` reach every box. */
export type Direction = "up" | "down" | "left" | "right" | "next" | "previous" | "first" | "last";

/** A layer of a frame: boxes beside each other, from the left to the right. */
type Row<T> = T[];

/** The ways between the boxes of a scene. */
export class Walk<T extends SceneBox> {
  readonly #byItem: ReadonlyMap<number, T>;
  readonly #arrows: readonly SceneArrow[];
  readonly #frameOf = new Map<T, T | undefined>();
  /** Layers of each frame, from the top down; undefined represents the program. */
  readonly #rows = new Map<T | undefined, Row<T>[]>();
  readonly #place = new Map<T, { readonly row: number; readonly column: number }>();
  /** All boxes as they are drawn: layer by layer, and what is in a frame after the frame. */
  readonly #order: T[] = [];
  readonly #at = new Map<T, number>();

  constructor(boxes: readonly T[], arrows: readonly SceneArrow[]) {
    this.#arrows = arrows;
    this.#byItem = new Map(boxes.map((box) => [box.item, box]));
    const inside = this.#inFrames(boxes);
    for (const [frame, own] of inside) this.#rows.set(frame, rowsOf(own));
    for (const rows of this.#rows.values())
      rows.forEach((boxes, row) => {
        boxes.forEach((box, column) => {
          this.#place.set(box, { row, column });
        });
      });
    this.#addInOrder(undefined);
    this.#order.forEach((box, i) => {
      this.#at.set(box, i);
    });
  }

  /** Returns the box that a key leads to; the first one where there is no box to go from. */
  from(box: T | undefined, direction: Direction): T | undefined {
    if (direction === "last") return this.#order.at(-1);
    if (box === undefined || direction === "first") return this.#order[0];
    const at = this.#at.get(box)!;
    switch (direction) {
      case "next":
        return this.#order[at + 1];
      case "previous":
        return this.#order[at - 1];
      case "left":
        return this.#beside(box, -1);
      case "right":
        return this.#beside(box, 1);
      case "down":
        if (box.isOpen) return this.#order[at + 1];
        return this.#nearest(box, "users") ?? this.#below(box);
      case "up":
        return this.#nearest(box, "inputs") ?? this.#above(box);
    }
  }

  #inFrames(boxes: readonly T[]): Map<T | undefined, T[]> {
    const open = boxes.filter(({ isOpen }) => isOpen);
    const frames = new IndexByY(open.map((box) => ({ box, top: box.y, bottom: box.y + box.height })));
    const inside = new Map<T | undefined, T[]>();
    for (const one of boxes) {
      let frame: T | undefined;
      const [x, y] = [centerOf(one), one.y + one.height / 2];
      frames.forEach(y, y, ({ box }) => {
        if (box.depth === one.depth - 1 && box.x <= x && x <= box.x + box.width) frame = box;
      });
      this.#frameOf.set(one, frame);
      const own = inside.get(frame);
      if (own === undefined) inside.set(frame, [one]);
      else own.push(one);
    }
    return inside;
  }

  #addInOrder(frame: T | undefined): void {
    for (const row of this.#rows.get(frame) ?? [])
      for (const box of row) {
        this.#order.push(box);
        if (box.isOpen) this.#addInOrder(box);
      }
  }

  /** Returns the nearest box that gives a value to a box, or takes one of it. */
  #nearest(box: T, side: "inputs" | "users"): T | undefined {
    const others = new Set<T>();
    for (const { from, to } of this.#arrows) {
      if ((side === "inputs" ? to : from) !== box.item) continue;
      const other = this.#byItem.get(side === "inputs" ? from : to);
      if (other !== undefined) others.add(other);
    }
    return nearestOf(others, box);
  }

  /**
   * Returns the box beside another one in its layer; left of the first one, the frame around them.
   */
  #beside(box: T, step: -1 | 1): T | undefined {
    const { row, column } = this.#place.get(box)!;
    const frame = this.#frameOf.get(box);
    return this.#rows.get(frame)![row]![column + step] ?? (step < 0 ? frame : undefined);
  }

  /** Returns the layer below, which may be that of a frame around the box. */
  #below(box: T): T | undefined {
    const frame = this.#frameOf.get(box);
    const below = this.#rows.get(frame)![this.#place.get(box)!.row + 1];
    if (below !== undefined) return nearestOf(below, box);
    return frame === undefined ? undefined : this.#below(frame);
  }

  /** Returns the layer above, or the frame around the box. */
  #above(box: T): T | undefined {
    const frame = this.#frameOf.get(box);
    const above = this.#rows.get(frame)![this.#place.get(box)!.row - 1];
    return above === undefined ? frame : nearestOf(above, box);
  }
}

const centerOf = ({ x, width }: SceneBox): number => x + width / 2;

/**
 * Returns the box with the least distance from the top to the bottom, then from the left to the
 * right.
 */
function nearestOf<T extends SceneBox>(boxes: Iterable<T>, box: T): T | undefined {
  let nearest: T | undefined;
  let least = [Number.POSITIVE_INFINITY, 0];
  for (const other of boxes) {
    const down = Math.abs(other.y - box.y);
    const across = Math.abs(centerOf(other) - centerOf(box));
    if (down > least[0]! || (down === least[0] && across >= least[1]!)) continue;
    nearest = other;
    least = [down, across];
  }
  return nearest;
}

/** Boxes of one frame by layers: layers are below each other, and do not overlap. */
function rowsOf<T extends SceneBox>(boxes: readonly T[]): Row<T>[] {
  const rows: Row<T>[] = [];
  let bottom = Number.NEGATIVE_INFINITY;
  for (const box of [...boxes].sort((a, b) => a.y - b.y)) {
    if (box.y >= bottom) rows.push([]);
    rows.at(-1)!.push(box);
    bottom = Math.max(bottom, box.y + box.height);
  }
  for (const row of rows) row.sort((a, b) => a.x - b.x);
  return rows;
}
