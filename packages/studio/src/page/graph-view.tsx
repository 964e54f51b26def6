/** @file The graph: a canvas that can be panned, zoomed and walked with the keyboard. */
import { effect, type ReadonlySignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Drawing, type DrawnBox } from "../canvas/drawing.js";
import { Viewport } from "../canvas/viewport.js";
import type { Direction } from "../canvas/walk.js";
import type { SceneView } from "../engine/protocol.js";
import type { StudioState } from "./state.js";

/** Pixels that the pointer may move during a click. */
const CLICK_DISTANCE = 4;
const ZOOM_STEP = 1.25;
const PAN_STEP = 60;
/** How what is drawn moves, when the view moves. */
const PANS = { up: [0, 1], down: [0, -1], left: [1, 0], right: [-1, 0] } as const;
const KEYS =
  "Up and Down follow values, Left and Right move within a layer, N and P visit every node, " +
  "Home and End go to the ends, Enter opens a group, plus and minus zoom, F fits.";
/** Boxes near the middle of a view, one of which the view beside it should have. */
const ANCHORS = 50;

interface GraphProps {
  readonly state: StudioState;
  /** What is drawn: the shown version, or the one before it. */
  readonly scene: ReadonlySignal<SceneView | undefined>;
  readonly label: string;
}

/** The graph of a version. */
export function GraphView({ state, scene, label }: GraphProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const map = useRef<HTMLCanvasElement>(null);
  const view = useRef<View>(undefined);
  useEffect(() => {
    const own = new View(canvas.current!, map.current!, state, scene);
    view.current = own;
    return () => own.end();
  }, [state, scene]);
  const zoom = (factor: number) => view.current?.zoomMiddle(factor);
  return (
    <div class="graph">
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: the canvas takes all keys itself */}
      <canvas ref={canvas} tabIndex={0} role="application" aria-label={`${label}. ${KEYS}`} />
      <div class="beside">
        <canvas ref={map} class="minimap" aria-label="The whole graph, with the part that is shown" />
        <fieldset class="zoom" aria-label="Zoom">
          <button type="button" title="Zoom in (+)" aria-label="Zoom in" onClick={() => zoom(ZOOM_STEP)}>
            +
          </button>
          <button
            type="button"
            title="Zoom out (-)"
            aria-label="Zoom out"
            onClick={() => zoom(1 / ZOOM_STEP)}
          >
            −
          </button>
          <button
            type="button"
            title="Show all (F)"
            aria-label="Show all"
            onClick={() => view.current?.fit()}
          >
            ⤢
          </button>
        </fieldset>
      </div>
    </div>
  );
}

/** The canvas with its listeners. */
class View {
  readonly #canvas: HTMLCanvasElement;
  readonly #map: HTMLCanvasElement;
  readonly #state: StudioState;
  readonly #scene: ReadonlySignal<SceneView | undefined>;
  readonly #viewport = new Viewport();
  readonly #cleanups: (() => void)[] = [];
  #drawing: Drawing | undefined;
  #mapPicture: ImageData | undefined;
  #hovered: string | undefined;
  #drag: { x: number; y: number; moved: number } | undefined;
  #frame = 0;
  #shownStart = -1;
  /** What is shown, if the user did not move the view since: the start, or the whole graph. */
  #stays: "start" | "all" | undefined;
  #shownSelected = 0;
  readonly #pointers = new Map<number, { x: number; y: number }>();

  constructor(
    canvas: HTMLCanvasElement,
    map: HTMLCanvasElement,
    state: StudioState,
    scene: ReadonlySignal<SceneView | undefined>,
  ) {
    this.#canvas = canvas;
    this.#map = map;
    this.#state = state;
    this.#scene = scene;
    const resized = new ResizeObserver(() => this.#resize());
    resized.observe(canvas);
    this.#cleanups.push(() => resized.disconnect());
    this.#listen();
    this.#cleanups.push(effect(() => this.#setScene()));
    this.#cleanups.push(effect(() => this.#showSelection()));
    this.#cleanups.push(effect(() => this.#follow()));
    this.#cleanups.push(effect(() => this.#answer()));
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const changed = () => this.#redraw();
    dark.addEventListener("change", changed);
    this.#cleanups.push(() => dark.removeEventListener("change", changed));
  }

  end(): void {
    cancelAnimationFrame(this.#frame);
    for (const cleanup of this.#cleanups) cleanup();
  }

  /** Notes that the user moved the view. */
  #moved(): void {
    this.#stays = undefined;
    this.#viewport.hold();
    this.#moveBeside();
  }

  /** Brings a box into view; a view that has it does not move. */
  #show(box: DrawnBox): void {
    const { left, top, scale } = this.#viewport;
    this.#viewport.show(box);
    const { left: newLeft, top: newTop, scale: newScale } = this.#viewport;
    if (left !== newLeft || top !== newTop || scale !== newScale) this.#moved();
    else this.#moveBeside();
  }

  /** Moves the view beside this one with it. */
  #moveBeside(): void {
    this.#redraw();
    const drawing = this.#drawing;
    if (!this.#state.sideBySide.peek() || drawing === undefined) return;
    const { x, y, width, height } = this.#viewport.area();
    const [left, top, { scale }] = [x + width / 2, y + height / 2, this.#viewport];
    const middle = ({ x, y, width, height }: DrawnBox) => ({ x: x + width / 2, y: y + height / 2 });
    // What is selected lies at one height in both views, where it is seen.
    const selected = this.#selectedBox();
    const isSeen = (box: DrawnBox): boolean =>
      Math.abs(middle(box).x - left) <= width / 2 && Math.abs(middle(box).y - top) <= height / 2;
    const far = (box: DrawnBox): number =>
      box === selected && isSeen(box) ? -1 : Math.hypot(middle(box).x - left, middle(box).y - top);
    const seen = drawing.boxes.filter(({ isOpen }) => !isOpen).map((box) => ({ box, distance: far(box) }));
    const anchors = seen
      .sort((a, b) => a.distance - b.distance)
      .slice(0, ANCHORS)
      .map(({ box }) => {
        const { x, y } = middle(box);
        return { key: box.shown.key, dx: (x - left) * scale, dy: (y - top) * scale };
      });
    this.#state.beside.value = { from: this, scale, anchors };
  }

  /** Reports to a new view beside this one where this one is. */
  #answer(): void {
    if (this.#state.askBeside.value > 0 && this.#scene === this.#state.scene) this.#moveBeside();
  }

  /** Shows what the view beside this one shows: the nearest box that both have at the same place. */
  #follow(): void {
    const beside = this.#state.beside.value;
    if (beside === undefined || beside.from === this) return;
    for (const { key, dx, dy } of beside.anchors) {
      const box = this.#drawing?.box(key);
      if (box === undefined) continue;
      const { width, height } = this.#viewport;
      this.#stays = undefined;
      this.#viewport.scale = beside.scale;
      this.#viewport.left = width / 2 + dx - (box.x + box.width / 2) * beside.scale;
      this.#viewport.top = height / 2 + dy - (box.y + box.height / 2) * beside.scale;
      this.#redraw();
      return;
    }
  }

  fit(): void {
    this.#place("all");
    this.#moveBeside();
  }

  zoomMiddle(factor: number): void {
    this.#viewport.zoom(factor, this.#viewport.width / 2, this.#viewport.height / 2);
    this.#moved();
  }

  #setScene(): void {
    const scene = this.#scene.value;
    const start = this.#state.showStart.value;
    if (scene === undefined) return;
    const before = this.#drawing;
    this.#drawing = new Drawing(scene);
    const { width, height } = this.#drawing;
    this.#viewport.content = { width, height };
    this.#canvas.dataset["boxes"] = `${this.#drawing.boxes.length}`;
    const kept = this.#state.selected.peek();
    const old = kept === undefined ? undefined : before?.box(kept);
    const now = kept === undefined ? undefined : this.#drawing.box(kept);
    if (start !== this.#shownStart && this.#canvas.clientWidth > 0) {
      this.#shownStart = start;
      this.#resize();
      this.#place("start");
    } else if (this.#stays !== undefined && !this.#viewport.holds(this.#drawing)) this.#place(this.#stays);
    else if (old !== undefined && now !== undefined) {
      // What was selected stays where it is on the screen.
      this.#viewport.pan((old.x - now.x) * this.#viewport.scale, (old.y - now.y) * this.#viewport.scale);
    }
    this.#mapPicture = undefined;
    this.#align();
    this.#redraw();
  }

  /** After a change of the size or the scene, the view of the version before follows again. */
  #align(): void {
    if (this.#scene === this.#state.scene) this.#moveBeside();
    else this.#state.askBeside.value = this.#state.askBeside.peek() + 1;
  }

  /** Shows the start or all, also when the size changes, until the user moves the view. */
  #place(stays: "start" | "all"): void {
    if (this.#drawing === undefined) return;
    const { width, height } = this.#drawing;
    if (stays === "start") this.#viewport.start({ width, height });
    else this.#viewport.fit({ x: 0, y: 0, width, height });
    this.#stays = stays;
    this.#redraw();
  }

  #showSelection(): void {
    const wish = this.#state.showSelected.value;
    const selected = this.#state.selected.value;
    const box = selected === undefined ? undefined : this.#drawing?.box(selected);
    if (box === undefined || wish === this.#shownSelected) {
      this.#redraw();
      return;
    }
    this.#shownSelected = wish;
    // Of two views that have the box, the one of the shown version moves, and the other follows.
    const isOther = this.#scene !== this.#state.scene;
    if (isOther && this.#state.scene.peek()?.items.some(([, { key }]) => key === selected)) {
      this.#redraw();
      return;
    }
    this.#show(box);
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#canvas;
    const pixels = devicePixelRatio || 1;
    for (const canvas of [this.#canvas, this.#map]) {
      canvas.width = Math.round(canvas.clientWidth * pixels);
      canvas.height = Math.round(canvas.clientHeight * pixels);
    }
    // What was in the middle stays there.
    if (this.#drawing !== undefined) this.#viewport.pan((clientWidth - this.#viewport.width) / 2, 0);
    this.#viewport.resize(clientWidth, clientHeight);
    // Messages and wrapped rows of the page change the height soon after a program is opened.
    if (this.#stays !== undefined) this.#place(this.#stays);
    this.#align();
    this.#mapPicture = undefined;
    this.#redraw();
  }

  #redraw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #draw(): void {
    const context = this.#canvas.getContext("2d");
    const drawing = this.#drawing;
    if (context === null || drawing === undefined) return;
    const pixels = devicePixelRatio || 1;
    context.setTransform(pixels, 0, 0, pixels, 0, 0);
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const look = { isDark, selected: this.#state.selected.peek(), hovered: this.#hovered };
    drawing.draw(context, this.#viewport, look);
    this.#drawMap(drawing, isDark);
  }

  /** The whole scene, drawn once, and the part that is seen. */
  #drawMap(drawing: Drawing, isDark: boolean): void {
    const context = this.#map.getContext("2d", { willReadFrequently: true });
    if (context === null || this.#map.width === 0) return;
    const small = this.#mapViewport(drawing);
    const pixels = devicePixelRatio || 1;
    context.setTransform(pixels, 0, 0, pixels, 0, 0);
    if (this.#mapPicture === undefined) {
      drawing.draw(context, small, { isDark, selected: undefined, hovered: undefined });
      this.#mapPicture = context.getImageData(0, 0, this.#map.width, this.#map.height);
    } else context.putImageData(this.#mapPicture, 0, 0);
    const { x, y, width, height } = this.#viewport.area();
    context.strokeStyle = isDark ? "#79c0ff" : "#0550ae";
    context.lineWidth = 1.5;
    const [wide, tall] = [Math.max(3, width * small.scale), Math.max(3, height * small.scale)];
    context.strokeRect(x * small.scale + small.left, y * small.scale + small.top, wide, tall);
  }

  #mapViewport(drawing: Drawing): Viewport {
    const small = new Viewport();
    small.resize(this.#map.clientWidth, this.#map.clientHeight);
    small.fit({ x: 0, y: 0, width: drawing.width, height: drawing.height });
    return small;
  }

  #listen(): void {
    const canvas = this.#canvas;
    this.#on(canvas, "pointerdown", (event) => this.#down(event));
    this.#on(canvas, "pointermove", (event) => this.#move(event));
    this.#on(canvas, "pointerup", (event) => this.#up(event));
    this.#on(canvas, "pointercancel", (event) => this.#pointers.delete(event.pointerId));
    this.#on(canvas, "dblclick", (event) => this.#open(this.#boxAt(event)));
    this.#on(canvas, "keydown", (event) => this.#key(event));
    this.#on(canvas, "wheel", (event) => this.#wheel(event), { passive: false });
    this.#on(this.#map, "pointerdown", (event) => this.#jump(event));
    this.#on(this.#map, "pointermove", (event) => {
      if (event.buttons !== 0) this.#jump(event);
    });
  }

  #on<K extends keyof HTMLElementEventMap>(
    target: HTMLElement,
    name: K,
    listener: (event: HTMLElementEventMap[K]) => void,
    options?: AddEventListenerOptions,
  ): void {
    target.addEventListener(name, listener, options);
    this.#cleanups.push(() => target.removeEventListener(name, listener, options));
  }

  #boxAt(event: MouseEvent): DrawnBox | undefined {
    const { x, y } = this.#viewport.toScene(event.offsetX, event.offsetY);
    return this.#drawing?.at(x, y);
  }

  #down(event: PointerEvent): void {
    this.#canvas.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    this.#drag = { x: event.offsetX, y: event.offsetY, moved: 0 };
  }

  #move(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId);
    if (before === undefined) {
      const key = this.#boxAt(event)?.shown.key;
      this.#canvas.style.cursor = key === undefined ? "grab" : "pointer";
      if (key === this.#hovered) return;
      this.#hovered = key;
      this.#redraw();
      return;
    }
    const [dx, dy] = [event.offsetX - before.x, event.offsetY - before.y];
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined) this.#viewport.pan(dx, dy);
    else this.#pinch(before, event, other);
    this.#pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (this.#drag !== undefined) this.#drag.moved += Math.abs(dx) + Math.abs(dy);
    this.#moved();
  }

  /** Two fingers: the scale follows their distance. */
  #pinch(
    before: { x: number; y: number },
    { offsetX, offsetY }: PointerEvent,
    other: { x: number; y: number },
  ): void {
    const was = Math.hypot(before.x - other.x, before.y - other.y);
    const is = Math.hypot(offsetX - other.x, offsetY - other.y);
    if (was > 0) this.#viewport.zoom(is / was, (offsetX + other.x) / 2, (offsetY + other.y) / 2);
  }

  #up(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId);
    const drag = this.#drag;
    this.#drag = undefined;
    if (drag === undefined || drag.moved > CLICK_DISTANCE) return;
    const box = this.#boxAt(event);
    void this.#state.select(box?.shown.key);
    this.#redraw();
  }

  #open(box: DrawnBox | undefined): void {
    if (box?.shown.isGroup !== true) return;
    // The group stays where it is on the screen.
    this.#stays = undefined;
    void this.#state.toggle(box.shown.key);
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey)
      this.#viewport.zoom(Math.exp(-event.deltaY / 200), event.offsetX, event.offsetY);
    else this.#viewport.pan(-event.deltaX, -event.deltaY);
    this.#moved();
  }

  #jump(event: PointerEvent): void {
    if (this.#drawing === undefined) return;
    const { x, y } = this.#mapViewport(this.#drawing).toScene(event.offsetX, event.offsetY);
    const { width, height, scale } = this.#viewport;
    this.#viewport.left = width / 2 - x * scale;
    this.#viewport.top = height / 2 - y * scale;
    this.#moved();
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions: Readonly<Record<string, () => void>> = {
      "+": () => this.zoomMiddle(ZOOM_STEP),
      "=": () => this.zoomMiddle(ZOOM_STEP),
      "-": () => this.zoomMiddle(1 / ZOOM_STEP),
      f: () => this.fit(),
      ArrowUp: () => this.#step(event, "up"),
      ArrowDown: () => this.#step(event, "down"),
      ArrowLeft: () => this.#step(event, "left"),
      ArrowRight: () => this.#step(event, "right"),
      n: () => this.#go("next"),
      p: () => this.#go("previous"),
      Enter: () => this.#open(this.#selectedBox()),
      Escape: () => void this.#state.select(undefined),
      Home: () => this.#go("first"),
      End: () => this.#go("last"),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  #selectedBox(): DrawnBox | undefined {
    const key = this.#state.selected.peek();
    return key === undefined ? undefined : this.#drawing?.box(key);
  }

  /** With Shift the view moves, else the selection. */
  #step({ shiftKey }: KeyboardEvent, to: keyof typeof PANS): void {
    if (!shiftKey) this.#go(to);
    else {
      const [dx, dy] = PANS[to];
      this.#viewport.pan(dx * PAN_STEP, dy * PAN_STEP);
      this.#moved();
    }
  }

  #go(to: Direction): void {
    const next = this.#drawing?.next(this.#selectedBox(), to);
    if (next !== undefined) this.#choose(next);
  }

  #choose(box: DrawnBox): void {
    this.#show(box);
    void this.#state.select(box.shown.key);
  }
}
