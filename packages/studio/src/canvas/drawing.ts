/** @file A scene on a canvas: what is seen of it, in as much detail as can be seen. */
import {
  DARK,
  FRAME_TITLE,
  LIGHT,
  type SceneArrow,
  type SceneBox,
  shownText,
  type Theme,
} from "@sconce/drawing";
import type { BoxMark, SceneView, ShownItem } from "../engine/protocol.js";
import { type Extent, IndexByY } from "./index-by-y.js";
import { type Area, LEAST_READABLE, type Viewport } from "./viewport.js";
import { type Direction, Walk } from "./walk.js";

/** A box with what it shows. */
export interface DrawnBox extends SceneBox, Extent {
  readonly shown: ShownItem;
  readonly mark: BoxMark | undefined;
}

interface DrawnArrow extends SceneArrow, Extent {
  readonly left: number;
  readonly right: number;
}

/** The scale from which on details are drawn. */
const DETAILS_FROM = 0.5;
/** Boxes are drawn at least so wide and high, in pixels of the screen. */
const LEAST_WIDTH = 3;
const LEAST_HEIGHT = 1;
/** Arrows are drawn from this scale on. */
const ARROWS_FROM = 0.02;

/** Colors of marks and of the selection, readable on both backgrounds. */
const ACCENTS = {
  light: {
    selected: "#0550ae",
    added: "#1a7f37",
    removed: "#cf222e",
    changed: "#9a6700",
    moved: "#8250df",
    differs: "#cf222e",
  },
  dark: {
    selected: "#79c0ff",
    added: "#56d364",
    removed: "#ff7b72",
    changed: "#e3b341",
    moved: "#d2a8ff",
    differs: "#ff7b72",
  },
} as const;

const SIGNS: Readonly<Record<BoxMark, string>> = {
  added: "+",
  removed: "−",
  changed: "~",
  moved: "↕",
  differs: "≠",
};

/** A scene that can be drawn, and asked what lies where. */
export class Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly DrawnBox[];
  readonly #arrows: readonly DrawnArrow[];
  readonly #boxesByY: IndexByY<DrawnBox>;
  readonly #arrowsByY: IndexByY<DrawnArrow>;
  readonly #byKey: ReadonlyMap<string, DrawnBox>;
  /** Made when a key asks for it. */
  #walk: Walk<DrawnBox> | undefined;

  constructor({ scene, items, marks }: SceneView) {
    this.width = scene.width;
    this.height = scene.height;
    const shown = new Map(items);
    const marked = new Map(marks);
    this.boxes = scene.boxes.map((box) => ({
      ...box,
      top: box.y,
      bottom: box.y + box.height,
      shown: shown.get(box.item)!,
      mark: marked.get(box.item),
    }));
    this.#arrows = scene.arrows.map(drawnArrow);
    this.#boxesByY = new IndexByY(this.boxes);
    this.#arrowsByY = new IndexByY(this.#arrows);
    this.#byKey = new Map(this.boxes.map((box) => [box.shown.key, box]));
  }

  /** Returns the box of a key. */
  box(key: string): DrawnBox | undefined {
    return this.#byKey.get(key);
  }

  /** Returns the innermost box at a point of the scene. */
  at(x: number, y: number): DrawnBox | undefined {
    let found: DrawnBox | undefined;
    this.#boxesByY.forEach(y, y, (box) => {
      if (x < box.x || x > box.x + box.width) return;
      if (found === undefined || box.depth >= found.depth) found = box;
    });
    return found;
  }

  /** Returns the box that a direction leads to; undefined at the end of the way. */
  next(box: DrawnBox | undefined, direction: Direction): DrawnBox | undefined {
    this.#walk ??= new Walk(this.boxes, this.#arrows);
    return this.#walk.from(box, direction);
  }

  /** Draws what is seen. The context has pixels of the screen as its unit. */
  draw(context: CanvasRenderingContext2D, viewport: Viewport, look: Look): void {
    const theme = look.isDark ? DARK : LIGHT;
    const { width, height, scale } = viewport;
    context.fillStyle = theme.background;
    context.fillRect(0, 0, width, height);
    const area = viewport.area();
    context.save();
    context.translate(viewport.left, viewport.top);
    context.scale(scale, scale);
    const seen = new Seen(scale);
    const frames: DrawnBox[] = [];
    const boxes: DrawnBox[] = [];
    this.#boxesByY.forEach(area.y, area.y + area.height, (box) => {
      if (box.x > area.x + area.width || box.x + box.width < area.x || !seen.adds(box)) return;
      (box.isOpen ? frames : boxes).push(box);
    });
    const pen = new Pen(context, scale, theme, look);
    frames.sort((a, b) => a.depth - b.depth);
    for (const frame of frames) pen.frame(frame);
    if (scale >= ARROWS_FROM) this.#drawArrows(pen, area, look.selected);
    for (const frame of frames) pen.title(frame);
    for (const box of boxes) pen.box(box);
    context.restore();
  }

  #drawArrows(pen: Pen, area: Area, selected: string | undefined): void {
    const item = selected === undefined ? undefined : this.#byKey.get(selected)?.item;
    const chosen: DrawnArrow[] = [];
    const others: DrawnArrow[] = [];
    this.#arrowsByY.forEach(area.y, area.y + area.height, (arrow) => {
      if (arrow.left > area.x + area.width || arrow.right < area.x) return;
      (item !== undefined && (arrow.from === item || arrow.to === item) ? chosen : others).push(arrow);
    });
    pen.arrows(others, false);
    pen.arrows(chosen, true);
  }
}

function drawnArrow(arrow: SceneArrow): DrawnArrow {
  const { points } = arrow;
  let [left, right, top, bottom] = [points[0]!, points[0]!, points[1]!, points[1]!];
  for (let i = 2; i < points.length; i += 2) {
    left = Math.min(left, points[i]!);
    right = Math.max(right, points[i]!);
    top = Math.min(top, points[i + 1]!);
    bottom = Math.max(bottom, points[i + 1]!);
  }
  return { ...arrow, left, right, top, bottom };
}

/** Leaves out boxes that are smaller than a pixel and lie on one that was drawn. */
class Seen {
  readonly #scale: number;
  readonly #pixels = new Set<number>();

  constructor(scale: number) {
    this.#scale = scale;
  }

  adds({ x, y, width, height, mark }: DrawnBox): boolean {
    if (height * this.#scale >= 1.5 || mark !== undefined) return true;
    const pixel = Math.floor((x + width / 2) * this.#scale) * 2 ** 24 + Math.floor(y * this.#scale);
    if (this.#pixels.has(pixel)) return false;
    this.#pixels.add(pixel);
    return true;
  }
}

/** How a scene is drawn. */
export interface Look {
  readonly isDark: boolean;
  /** Keys of the selected box and of the one below the pointer. */
  readonly selected: string | undefined;
  readonly hovered: string | undefined;
}

const FONT = "ui-monospace, Menlo, Consolas, monospace";

class Pen {
  readonly #context: CanvasRenderingContext2D;
  readonly #scale: number;
  readonly #theme: Theme;
  readonly #look: Look;
  readonly #accents: (typeof ACCENTS)["light" | "dark"];

  constructor(context: CanvasRenderingContext2D, scale: number, theme: Theme, look: Look) {
    this.#context = context;
    this.#scale = scale;
    this.#theme = theme;
    this.#look = look;
    this.#accents = look.isDark ? ACCENTS.dark : ACCENTS.light;
  }

  frame(box: DrawnBox): void {
    this.#shape(box, this.#theme.frame, 8);
  }

  /** The title of a frame, drawn over arrows. */
  title(box: DrawnBox): void {
    const context = this.#context;
    if (this.#scale < LEAST_READABLE) return;
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    context.font = `12px ${FONT}`;
    context.strokeStyle = this.#theme.background;
    context.lineWidth = 6;
    context.lineJoin = "round";
    context.fillStyle = this.#theme.text;
    const title = `${sign(box)}${shownText(box.shown.title)}`;
    const y = box.y + FRAME_TITLE - 7;
    context.strokeText(title, box.x + 10, y);
    context.fillText(title, box.x + 10, y);
    if (this.#scale < DETAILS_FROM) return;
    const left = box.x + 16 + context.measureText(title).width;
    const detail = shownText(box.shown.detail);
    context.font = `10px ${FONT}`;
    context.fillStyle = this.#theme.muted;
    context.strokeText(detail, left, y);
    context.fillText(detail, left, y);
  }

  box(box: DrawnBox): void {
    const context = this.#context;
    this.#shape(box, this.#theme[box.shown.kind], 5);
    if (this.#scale < LEAST_READABLE) return;
    const middle = box.x + box.width / 2;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    context.font = `12px ${FONT}`;
    context.fillStyle = this.#theme.text;
    context.fillText(`${sign(box)}${shownText(box.shown.title)}`, middle, box.y + 18);
    if (this.#scale < DETAILS_FROM || box.shown.detail === "") return;
    context.font = `10px ${FONT}`;
    context.fillStyle = this.#theme.muted;
    context.fillText(shownText(box.shown.detail), middle, box.y + 33);
  }

  #shape(box: DrawnBox, fill: string, radius: number): void {
    const context = this.#context;
    const isSelected = box.shown.key === this.#look.selected;
    const isHovered = box.shown.key === this.#look.hovered;
    // In a view of a large scene boxes are smaller than a pixel: they are drawn larger.
    const width = Math.max(box.width, LEAST_WIDTH / this.#scale);
    const height = Math.max(box.height, LEAST_HEIGHT / this.#scale);
    const isSmall = width > box.width;
    const x = box.x - (width - box.width) / 2;
    const accent = box.mark === undefined ? this.#theme.border : this.#accents[box.mark];
    context.beginPath();
    if (this.#scale < LEAST_READABLE) context.rect(x, box.y, width, height);
    else context.roundRect(x, box.y, width, height, radius);
    context.fillStyle = isSmall ? accent : fill;
    context.fill();
    context.strokeStyle = isSelected ? this.#accents.selected : accent;
    const line = isSelected || box.mark !== undefined ? 2.5 : isHovered ? 1.8 : 1;
    context.lineWidth = Math.max(line, isSelected ? 2 / this.#scale : 0);
    if (this.#scale >= 0.05 || isSelected || box.mark !== undefined) context.stroke();
  }

  arrows(arrows: readonly DrawnArrow[], isChosen: boolean): void {
    const context = this.#context;
    context.strokeStyle = isChosen ? this.#accents.selected : this.#theme.arrow;
    context.lineWidth = Math.max(isChosen ? 2 : 1.2, (isChosen ? 1.5 : 0.5) / this.#scale);
    context.beginPath();
    for (const { points } of arrows) curve(context, points);
    context.stroke();
    if (this.#scale < LEAST_READABLE) return;
    context.fillStyle = context.strokeStyle;
    context.beginPath();
    for (const { points } of arrows) {
      const x = points[points.length - 2]!;
      const y = points[points.length - 1]!;
      context.moveTo(x, y);
      context.lineTo(x - 3.5, y - 7);
      context.lineTo(x + 3.5, y - 7);
    }
    context.fill();
  }
}

const sign = ({ mark }: DrawnBox): string => (mark === undefined ? "" : `${SIGNS[mark]} `);

/** The path of an arrow: as the one of SVG drawings. */
function curve(context: CanvasRenderingContext2D, points: Float64Array): void {
  context.moveTo(points[0]!, points[1]!);
  for (let i = 2; i < points.length; i += 2) {
    const [fromX, fromY, x, y] = [points[i - 2]!, points[i - 1]!, points[i]!, points[i + 1]!];
    const middle = (fromY + y) / 2;
    if (Math.abs(fromX - x) < 0.5) context.lineTo(x, y);
    else context.bezierCurveTo(fromX, middle, x, middle, x, y);
  }
}
