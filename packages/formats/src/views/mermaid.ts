import { mermaidLabel } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { type Arrow, type Box, type DiagramOptions, diagramOf, type Item } from "./diagram.js";

const SHAPES: Readonly<Record<Box["kind"], readonly [open: string, close: string]>> = {
  input: ["[/", "/]"],
  state: ["[/", "/]"],
  call: ["[", "]"],
  folded: ["[[", "]]"],
  graph: ["{{", "}}"],
  output: ["[\\", "/]"],
};

/**
 * Returns the program as a Mermaid flowchart: calls with the sizes of their results, state as
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
  return [`subgraph ${item.id}["${mermaidLabel(item.title)}"]`, ...inner, "end"];
}

function boxLine({ id, kind, lines }: Box): string {
  const [open, close] = SHAPES[kind];
  return `${id}${open}"${lines.map(mermaidLabel).join("<br/>")}"${close}`;
}

function arrowLine({ from, to, label, dotted }: Arrow): string {
  const line = dotted ? "-.->" : "-->";
  return label === undefined ? `${from} ${line} ${to}` : `${from} ${line}|"${mermaidLabel(label)}"| ${to}`;
}
