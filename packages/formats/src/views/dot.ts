import { dotLabel } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { type Arrow, type Box, type DiagramOptions, diagramOf, type Item } from "./diagram.js";

const SHAPES: Readonly<Record<Box["kind"], string>> = {
  input: "parallelogram",
  state: "parallelogram",
  call: "box",
  folded: "box3d",
  graph: "component",
  output: "invtrapezium",
};

/**
 * Returns the program in the DOT language of Graphviz: the same diagram as `mermaidText` gives.
 * @throws SconceError `DIAGRAM_DEPTH`
 */
export function dotText(program: ExportedProgram, options: DiagramOptions = {}): string {
  const lines = [
    "node [shape=box fontname=monospace]",
    ...diagramOf(program, "dotText", options).flatMap(linesOf),
  ];
  return `digraph program {\n${lines.map((line) => `  ${line}\n`).join("")}}\n`;
}

function linesOf(item: Item): string[] {
  if (item.type === "box") return [boxLine(item)];
  if (item.type === "arrow") return [arrowLine(item)];
  const inner = [`label="${dotLabel(item.title)}"`, ...item.items.flatMap(linesOf)];
  return [`subgraph cluster_${item.id} {`, ...inner.map((line) => `  ${line}`), "}"];
}

const boxLine = ({ id, kind, lines }: Box): string =>
  `${id} [label="${lines.map(dotLabel).join("\\n")}" shape=${SHAPES[kind]}]`;

function arrowLine({ from, to, label, dotted }: Arrow): string {
  const attributes = [
    ...(label === undefined ? [] : [`label="${dotLabel(label)}"`]),
    ...(dotted ? ["style=dotted"] : []),
  ];
  return `${from} -> ${to}${attributes.length === 0 ? "" : ` [${attributes.join(" ")}]`}`;
}
