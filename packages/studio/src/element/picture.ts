/** @file The drawing within the element: boxes that take the focus, clicks and keys. */
import { type Hierarchy, type Item, isGroup, type Scene, sceneSvg, svgStyle } from "@sconce/drawing";

const STYLE = `
:host { display: block; overflow: auto; }
:host([hidden]) { display: none; }
svg { display: block; max-width: none; }
p { margin: 0; padding: 8px; font: 14px/1.45 system-ui, sans-serif; }
p[role="alert"] { border: 1px solid currentColor; border-radius: 6px; overflow-wrap: anywhere; }
g[role="button"] { cursor: pointer; outline: none; }
.name { cursor: pointer; }
g[aria-pressed="true"] > rect { stroke: #0550ae; stroke-width: 2.5; }
g[role="button"]:focus-visible > rect { stroke: #0550ae; stroke-width: 3; stroke-dasharray: 5 2; }
`;
const DARK = `
g[aria-pressed="true"] > rect, g[role="button"]:focus-visible > rect { stroke: #79c0ff; }
`;

type ThemeName = "auto" | "light" | "dark";

/** What the user does with boxes. */
export interface PictureActions {
  readonly select: (key: string) => void;
  readonly toggle: (key: string) => void;
}

interface Shown {
  readonly item: Item;
  readonly element: SVGGElement;
  /** The title of a frame, which lies over arrows. */
  readonly title: SVGTextElement | undefined;
}

/** A drawing in a shadow root. */
export class Picture {
  readonly #root: ShadowRoot;
  readonly #actions: PictureActions;
  readonly #sheet = new CSSStyleSheet();
  /** In the order of the keyboard: from the top to the bottom. */
  #boxes: readonly Shown[] = [];
  /** The box that has the focus, or takes it. */
  #current: string | undefined;

  constructor(root: ShadowRoot, actions: PictureActions) {
    this.#root = root;
    this.#actions = actions;
    // Style elements would need the policy to allow them.
    root.adoptedStyleSheets = [this.#sheet];
    this.#setTheme("auto");
    root.addEventListener("click", (event) => this.#click(event));
    root.addEventListener("keydown", (event) => this.#key(event as KeyboardEvent));
  }

  clear(): void {
    this.#boxes = [];
    this.#root.replaceChildren();
  }

  /** A text in the place of the drawing. */
  showText(text: string, role: "status" | "alert"): void {
    this.clear();
    const line = document.createElement("p");
    line.setAttribute("role", role);
    line.setAttribute("part", role === "alert" ? "error" : "status");
    line.textContent = text;
    this.#root.append(line);
  }

  draw(hierarchy: Hierarchy, scene: Scene, theme: ThemeName, selected: string | undefined): void {
    const hadFocus = this.#root.activeElement !== null;
    this.#setTheme(theme);
    const text = sceneSvg(hierarchy, scene, { theme, style: false });
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    const svg = document.importNode(parsed.documentElement, true);
    // What can be pressed is not part of one image.
    svg.setAttribute("role", "group");
    svg.setAttribute("part", "drawing");
    const frames = [...svg.querySelectorAll<SVGGElement>("g.frame")];
    const titles = [...svg.querySelectorAll<SVGTextElement>("text.name")];
    const closed = [...svg.querySelectorAll<SVGGElement>("g.box")];
    const boxes = scene.boxes.map((box) => {
      const element = (box.isOpen ? frames : closed).shift()!;
      const item = hierarchy.items[box.item]!;
      const title = box.isOpen ? titles.shift() : undefined;
      // The frame has the title as its name.
      title?.setAttribute("aria-hidden", "true");
      equip(element, item, box.isOpen);
      return { item, element, title, box };
    });
    boxes.sort((a, b) => a.box.y - b.box.y || a.box.x - b.box.x);
    this.#boxes = boxes;
    this.#root.replaceChildren(svg);
    this.mark(selected);
    const current = boxes.find(({ item }) => item.key === this.#current) ?? boxes[0];
    this.#setCurrent(current, hadFocus);
  }

  /** Shows which box is selected. */
  mark(selected: string | undefined): void {
    for (const { item, element } of this.#boxes)
      element.setAttribute("aria-pressed", String(item.key === selected));
  }

  #setTheme(theme: ThemeName): void {
    const dark =
      theme === "auto" ? `@media (prefers-color-scheme: dark) {${DARK}}` : theme === "dark" ? DARK : "";
    const text = theme === "light" ? "" : "p { color: #e6edf3; background: #0d1117; }";
    const texts = theme === "auto" ? `@media (prefers-color-scheme: dark) {${text}}` : text;
    this.#sheet.replaceSync(
      `${svgStyle(theme)}p { color: #1b1f24; background: #ffffff; }${STYLE}${dark}${texts}`,
    );
  }

  #boxOf(event: Event): Shown | undefined {
    const target = event.target instanceof Element ? event.target.closest("g[role=button], .name") : null;
    return target === null
      ? undefined
      : this.#boxes.find(({ element, title }) => element === target || title === target);
  }

  #click(event: Event): void {
    const box = this.#boxOf(event);
    if (box === undefined) return;
    const isInside =
      box.element.classList.contains("frame") && (event.target as Element).localName === "rect";
    if (!isInside) this.#press(box);
    else {
      // The title of a frame closes it; its area only selects it.
      this.#setCurrent(box, true);
      this.#actions.select(box.item.key);
    }
  }

  #press(box: Shown): void {
    this.#setCurrent(box, true);
    this.#actions.select(box.item.key);
    if (isGroup(box.item)) this.#actions.toggle(box.item.key);
  }

  #key(event: KeyboardEvent): void {
    const box = this.#boxOf(event);
    if (box === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.#boxes.indexOf(box);
    const last = this.#boxes.length - 1;
    const to: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowRight: at + 1,
      ArrowUp: at - 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: last,
    };
    const next = to[event.key];
    if (next !== undefined) this.#setCurrent(this.#boxes[Math.min(Math.max(next, 0), last)], true);
    else if (event.key === "Enter" || event.key === " ") this.#press(box);
    else return;
    event.preventDefault();
  }

  /** One box takes the focus of the Tab key; arrow keys move it. */
  #setCurrent(current: Shown | undefined, takesFocus: boolean): void {
    this.#current = current?.item.key;
    for (const { element } of this.#boxes)
      element.setAttribute("tabindex", element === current?.element ? "0" : "-1");
    if (takesFocus) current?.element.focus();
  }
}

/** Makes a box a button. */
function equip(element: SVGGElement, item: Item, isOpen: boolean): void {
  element.setAttribute("role", "button");
  if (isGroup(item)) element.setAttribute("aria-expanded", String(isOpen));
}
