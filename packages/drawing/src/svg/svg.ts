import { checkOptions, markupLine, type OptionNames, optionValue } from "@sconce/errors";
import type { ExportedProgram, Graph } from "@sconce/ir";
import { hierarchyOf } from "../hierarchy/hierarchy.js";
import type { Hierarchy, Item } from "../hierarchy/item.js";
import { sceneOf } from "../scene/lay-out.js";
import type { Scene, SceneArrow, SceneBox } from "../scene/scene.js";
import { FRAME_TITLE, shownText } from "../scene/sizes.js";
import { coordinate, curveText } from "./curve.js";
import { DARK, LIGHT, type Theme } from "./theme.js";

/** What a drawing shows, and its colors. */
export interface SvgOptions {
  /** Keys of the groups that are open, or all. @defaultValue all */
  readonly open?: ReadonlySet<string> | "all" | undefined;
  /** Opens groups with fewer groups around them than this; not with `open`. */
  readonly depth?: number | undefined;
  /** Whether the calls of a module are a group. @defaultValue true */
  readonly modules?: boolean | undefined;
  /** Whether parameters, buffers and constants are shown. @defaultValue false */
  readonly state?: boolean | undefined;
  /** Colors; `auto` follows the reader's settings. @defaultValue `auto` */
  readonly theme?: "auto" | "light" | "dark" | undefined;
  /** The title, for screen readers. @defaultValue the number of calls */
  readonly title?: string | undefined;
}

const OPTIONS: OptionNames<SvgOptions> = {
  open: true,
  depth: true,
  modules: true,
  state: true,
  theme: true,
  title: true,
};

const THEMES: ReadonlySet<unknown> = new Set(["auto", "light", "dark"]);

/**
 * Returns the drawing of a program, or of a graph, as SVG text.
 * @throws SconceError `UNKNOWN_OPTION`, `OPTION_VALUE`
 */
export function svgText(source: ExportedProgram | Graph, options: SvgOptions = {}): string {
  checkOptions("svgText", options, OPTIONS);
  const { modules, state, depth, theme, title } = options;
  if (depth !== undefined && !(Number.isInteger(depth) && depth >= 0))
    throw optionValue("svgText", "depth", depth, "a whole number from 0 on");
  if (theme !== undefined && !THEMES.has(theme))
    throw optionValue("svgText", "theme", theme, "`auto`, `light` or `dark`");
  const hierarchy = hierarchyOf(source, { modules });
  const open = depth === undefined ? (options.open ?? "all") : keysToDepth(hierarchy, depth);
  return sceneSvg(hierarchy, sceneOf(hierarchy, { open, state }), { theme, title });
}

/** Keys of the groups that have fewer groups around them than `depth`. */
export function keysToDepth({ items }: Hierarchy, depth: number): ReadonlySet<string> {
  const depths = new Int32Array(items.length);
  const keys = new Set<string>();
  for (const { id, key, parent } of items.slice(1)) {
    depths[id] = parent === 0 ? 0 : depths[parent]! + 1;
    if (depths[id]! < depth) keys.add(key);
  }
  return keys;
}

/** How a scene becomes SVG text. */
export interface SceneSvgOptions extends Pick<SvgOptions, "theme" | "title"> {
  /** Whether the colors are in the text; else {@link svgStyle} has them. @defaultValue true */
  readonly style?: boolean | undefined;
}

/**
 * Returns a scene as SVG text. Frames are the elements `g.frame`, and other boxes `g.box`, both in
 * the order of the scene. Titles of frames are the elements `text.name`, in the order of the
 * frames: they come after the arrows, so that no arrow crosses their letters.
 */
export function sceneSvg(
  { items }: Hierarchy,
  { width, height, boxes, arrows }: Scene,
  { theme = "auto", title, style = true }: SceneSvgOptions = {},
): string {
  const size = `${coordinate(width)} ${coordinate(height)}`;
  const name = title ?? `Graph of ${items[0]!.calls} calls`;
  const frames = boxes.filter(({ isOpen }) => isOpen);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="sconce" role="img" aria-label="${markupLine(name)}" viewBox="0 0 ${size}" width="${coordinate(width)}" height="${coordinate(height)}">`,
    ...(style ? [`<style>${svgStyle(theme)}</style>`] : []),
    '<defs><marker id="sconce-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>',
    `<rect class="background" width="${coordinate(width)}" height="${coordinate(height)}"/>`,
    ...frames.map((box) => frameText(items[box.item]!, box)),
    ...arrows.map((arrow) => arrowText(items, arrow)),
    ...frames.map((box) => frameTitle(items[box.item]!, box)),
    ...boxes.filter(({ isOpen }) => !isOpen).map((box) => boxText(items[box.item]!, box)),
    "</svg>\n",
  ].join("\n");
}

const rectangle = ({ x, y, width, height }: SceneBox, radius: number): string =>
  `<rect x="${coordinate(x)}" y="${coordinate(y)}" width="${coordinate(width)}" height="${coordinate(height)}" rx="${radius}"/>`;

function frameText({ kind, title, detail }: Item, box: SceneBox): string {
  const name = markupLine(`${title} ${detail}`.trim());
  return `<g class="frame ${kind}"><title>${name}</title>${rectangle(box, 8)}</g>`;
}

function frameTitle({ title, detail }: Item, { x, y }: SceneBox): string {
  const shown = detail === "" ? "" : ` <tspan class="detail">${markupLine(shownText(detail))}</tspan>`;
  return `<text class="name" x="${coordinate(x + 10)}" y="${coordinate(y + FRAME_TITLE - 7)}">${markupLine(shownText(title))}${shown}</text>`;
}

function boxText(item: Item, box: SceneBox): string {
  const x = coordinate(box.x + box.width / 2);
  const line = (text: string, y: number, kind: string): string =>
    `<text class="${kind}" x="${x}" y="${coordinate(box.y + y)}">${markupLine(shownText(text))}</text>`;
  const lines = [
    line(item.title, 18, "title"),
    ...(item.detail === "" ? [] : [line(item.detail, 33, "detail")]),
  ];
  const texts = new Set([item.node ?? item.title, item.title, item.detail].filter((text) => text !== ""));
  const name = [...texts].join(" · ");
  return `<g class="box ${item.kind}"><title>${markupLine(name)}</title>${rectangle(box, 5)}${lines.join("")}</g>`;
}

function arrowText(items: readonly Item[], { from, value, count, points }: SceneArrow): string {
  const { detail, title } = items[value]!;
  const what = count === 1 ? detail : `${count} values`;
  const kind = items[from]!.kind === "state" ? "arrow state" : "arrow";
  const name = `<title>${markupLine(`${title} ${what}`.trim())}</title>`;
  return `<path class="${kind}" d="${curveText(points)}" marker-end="url(#sconce-arrow)">${name}</path>`;
}

const KINDS = ["input", "state", "call", "output", "module", "graph", "part"] as const;

/** Returns the style sheet of drawings, for pages whose policy forbids styles in elements. */
export function svgStyle(theme: "auto" | "light" | "dark"): string {
  const shared = [
    ".sconce text{font:12px ui-monospace,Menlo,Consolas,monospace}",
    ".sconce .detail{font-size:10px}",
    ".sconce .box text{text-anchor:middle}",
    ".sconce .name{paint-order:stroke;stroke-width:6px;stroke-linejoin:round}",
    ".sconce .arrow{fill:none;stroke-width:1.2}",
    ".sconce .arrow.state{stroke-dasharray:2 3}",
  ].join("");
  if (theme !== "auto") return shared + colorText(theme === "dark" ? DARK : LIGHT);
  return `${shared}${colorText(LIGHT)}@media(prefers-color-scheme:dark){${colorText(DARK)}}`;
}

function colorText(theme: Theme): string {
  return [
    `.sconce .background{fill:${theme.background}}`,
    `.sconce text{fill:${theme.text}}`,
    `.sconce .detail{fill:${theme.muted}}`,
    `.sconce .name{stroke:${theme.background}}`,
    `.sconce rect{stroke:${theme.border}}`,
    ".sconce .background{stroke:none}",
    `.sconce .arrow{stroke:${theme.arrow}}`,
    `.sconce marker path{fill:${theme.arrow}}`,
    ...KINDS.map((kind) => `.sconce .${kind} rect{fill:${theme[kind]}}`),
    `.sconce .frame rect{fill:${theme.frame}}`,
  ].join("");
}
