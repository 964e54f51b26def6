/** @file Which part of a scene is seen: a scale and a shift. */

/** A part of the scene, in its own pixels. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const LEAST_SCALE = 1e-6;
const MOST_SCALE = 4;
/** Space around a scene that is fitted into the view, in pixels of the screen. */
const MARGIN = 16;
/** From this scale on boxes have their titles. */
export const LEAST_READABLE = 0.28;
/** A scene is not made larger than this to fill the view. */
const MOST_FIT = 1.2;
/** The scale of the start: titles have 12 pixels at scale 1. */
const READABLE = 0.8;
/** How much of the view the scene covers at least, in pixels, and as a part of the view. */
const KEPT = 80;
const KEPT_PART = 0.25;

/** The place of a scene on the screen. A point of the scene is shown at `point * scale + shift`. */
export class Viewport {
  scale = 1;
  left = 0;
  top = 0;
  width = 1;
  height = 1;
  /** The size of the scene, which bounds what {@link zoom} and {@link hold} do. */
  content: Pick<Area, "width" | "height"> | undefined;

  /** Sets the size of the view, in pixels of the screen. */
  resize(width: number, height: number): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
  }

  /** Returns the part of the scene that is seen. */
  area(): Area {
    const { scale, left, top, width, height } = this;
    return { x: -left / scale, y: -top / scale, width: width / scale, height: height / scale };
  }

  /** Returns the point of the scene at a point of the view. */
  toScene(x: number, y: number): { readonly x: number; readonly y: number } {
    return { x: (x - this.left) / this.scale, y: (y - this.top) / this.scale };
  }

  pan(dx: number, dy: number): void {
    this.left += dx;
    this.top += dy;
  }

  /** Scales around a point of the view, which stays where it is. */
  zoom(factor: number, x: number, y: number): void {
    // Half of the scale at which all is seen: further out there is nothing.
    const all = this.content === undefined ? LEAST_SCALE : this.#fitting(this.content) / 2;
    const least = Math.min(this.scale, all);
    const scale = Math.min(MOST_SCALE, Math.max(least, this.scale * factor));
    this.left = x - ((x - this.left) * scale) / this.scale;
    this.top = y - ((y - this.top) * scale) / this.scale;
    this.scale = scale;
  }

  /** Shows a part of the scene as a whole, in the middle. */
  fit({ x, y, width, height }: Area): void {
    this.scale = this.#fitting({ width, height });
    this.left = this.width / 2 - (x + width / 2) * this.scale;
    this.top = this.height / 2 - (y + height / 2) * this.scale;
  }

  #fitting({ width, height }: Pick<Area, "width" | "height">): number {
    const across = (this.width - 2 * MARGIN) / Math.max(1, width);
    const down = (this.height - 2 * MARGIN) / Math.max(1, height);
    return Math.min(MOST_FIT, Math.max(LEAST_SCALE, Math.min(across, down)));
  }

  /** Moves the scene back where it has left the view. */
  hold(): void {
    if (this.content === undefined) return;
    const { width, height } = this.content;
    this.left = held(this.left, width * this.scale, this.width);
    this.top = held(this.top, height * this.scale, this.height);
  }

  /**
   * Shows a scene as a whole. Of a scene whose text would be too small at that scale, the start is
   * shown at a scale at which it can be read.
   */
  start({ width, height }: Pick<Area, "width" | "height">): void {
    this.fit({ x: 0, y: 0, width, height });
    if (this.scale >= READABLE) return;
    this.scale = READABLE;
    this.left = this.width / 2 - (width / 2) * READABLE;
    this.top = Math.max(MARGIN, this.height / 2 - (height / 2) * READABLE);
  }

  /** Returns whether all of a scene is seen. */
  holds({ width, height }: Pick<Area, "width" | "height">): boolean {
    const { x, y, ...seen } = this.area();
    return x <= 0 && y <= 0 && x + seen.width >= width && y + seen.height >= height;
  }

  /** Brings a part of the scene into view, and moves no further than that takes. */
  show({ x, y, width, height }: Area): void {
    if (this.scale < 0.5) this.scale = 1;
    const { scale } = this;
    this.left = within(this.left, x * scale, (x + width) * scale, this.width);
    this.top = within(this.top, y * scale, (y + height) * scale, this.height);
  }
}

/** Returns the shift nearest to `shift` at which a scene covers a part of the view. */
function held(shift: number, extent: number, size: number): number {
  const kept = Math.min(KEPT, KEPT_PART * size);
  return Math.min(size - kept, Math.max(kept - extent, shift));
}

/**
 * Returns the shift nearest to `shift` at which a range lies in the view; in its middle if it must
 * move.
 */
function within(shift: number, start: number, end: number, size: number): number {
  const isSeen = start + shift >= MARGIN && end + shift <= size - MARGIN;
  return isSeen ? shift : size / 2 - (start + end) / 2;
}
