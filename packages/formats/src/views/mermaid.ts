import type { ExportedProgram } from "@sconce/ir";
import { type Arrow, type Box, type DiagramOptions, diagramOf, type Item } from "./diagram.js";
import { visibleLine } from "./visible-line.js";

const SHAPES: Readonly<Record<Box["kind"], readonly [open: string, close: string]>> = {
  input: ["[/", "/]"],
  state: ["[/", "/]"],
  call: ["[", "]"],
  folded: ["[[", "]]"],
  graph: ["{{", "}}"],
  output: ["[\\", "/]"],
};

/**
 * The program as a Mermaid flowchart: calls with the sizes of their results, state as
 * parallelograms with dotted arrows, nested graphs framed. Names are text, never markup.
 * @throws SconceError `DIAGRAM_DEPTH`
 */
export function mermaidText(program: ExportedProgram, options: DiagramOptions = {}): string {
  const lines = diagramOf(program, "mermaidText", options).flatMap(linesOf);
  return `flowchart TD\n${lines.map((line) => `    ${line}\n`).join("")}`;
}

function linesOf(item: Item): string[] {
  if (item.type === "box") return [boxLine(item)];
  if (item.type === "arrow") return [arrowLine(item)];
  const inner = item.items.flatMap(linesOf).map((line) => `    ${line}`);
  return [`subgraph ${item.id}["${escapeText(item.title)}"]`, ...inner, "end"];
}

function boxLine({ id, kind, lines }: Box): string {
  const [open, close] = SHAPES[kind];
  return `${id}${open}"${lines.map(escapeText).join("<br/>")}"${close}`;
}

function arrowLine({ from, to, label, dotted }: Arrow): string {
  const line = dotted ? "-.->" : "-->";
  return label === undefined ? `${from} ${line} ${to}` : `${from} ${line}|"${escapeText(label)}"| ${to}`;
}

/**
 * Mermaid has character entities with `#` in place of `&`; whatever could be markup is written so.
 * Invisible characters are escaped first, since Mermaid shows what entities stand for.
 */
const escapeText = (text: string): string =>
  visibleLine(text).replace(/[^\p{L}\p{N} .,_:()[\]*+/-]/gu, (char) => `#${char.codePointAt(0)};`);
