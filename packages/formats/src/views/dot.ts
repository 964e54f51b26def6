import type { ExportedProgram } from "@sconce/ir";
import { type Box, diagramOf, type Frame } from "./diagram.js";

const SHAPES: Readonly<Record<Box["kind"], string>> = {
  input: "ellipse",
  state: "cylinder",
  call: "box",
  graph: "component",
  output: "ellipse",
};

/**
 * The program in the DOT language of Graphviz: inputs round, state as cylinders, nested graphs
 * framed.
 */
export function dotText(program: ExportedProgram): string {
  const { boxes, arrows, frames } = diagramOf(program);
  const lines = [
    "node [shape=box fontname=monospace]",
    ...boxes.map(boxLine),
    ...arrows.map(arrowLine),
    ...frames.flatMap(frameLines),
  ];
  return `digraph program {\n${lines.map((line) => `  ${line}`).join("\n")}\n}\n`;
}

const boxLine = ({ id, kind, lines }: Box): string =>
  `${id} [label="${lines.map(escapeText).join("\\n")}" shape=${SHAPES[kind]}]`;

const arrowLine = ({ from, to }: { from: string; to: string }): string => `${from} -> ${to}`;

function frameLines({ id, title, boxes, arrows, frames }: Frame): string[] {
  const lines = [
    `label="${escapeText(title)}"`,
    ...boxes.map(boxLine),
    ...arrows.map(arrowLine),
    ...frames.flatMap(frameLines),
  ];
  return [`subgraph cluster_${id} {`, ...lines.map((line) => `  ${line}`), "}"];
}

const escapeText = (text: string): string =>
  text
    .replace(/["\\]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replace(/\p{Cc}/gu, "?");
