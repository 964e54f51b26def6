import type { ExportedProgram } from "@sconce/ir";
import { type Box, diagramOf, type Frame } from "./diagram.js";

const SHAPES: Readonly<Record<Box["kind"], readonly [open: string, close: string]>> = {
  input: ["([", "])"],
  state: ["[(", ")]"],
  call: ["[", "]"],
  graph: ["[[", "]]"],
  output: ["([", "])"],
};

/** The program as a Mermaid flowchart: inputs round, state as cylinders, nested graphs framed. */
export function mermaidText(program: ExportedProgram): string {
  const { boxes, arrows, frames } = diagramOf(program);
  const lines = [...boxes.map(boxLine), ...arrows.map(arrowLine), ...frames.flatMap(frameLines)];
  return `flowchart TD\n${lines.map((line) => `  ${line}`).join("\n")}\n`;
}

function boxLine({ id, kind, lines }: Box): string {
  const [open, close] = SHAPES[kind];
  return `${id}${open}"${lines.map(escapeText).join("<br/>")}"${close}`;
}

const arrowLine = ({ from, to }: { from: string; to: string }): string => `${from} --> ${to}`;

function frameLines({ id, title, boxes, arrows, frames }: Frame): string[] {
  const lines = [...boxes.map(boxLine), ...arrows.map(arrowLine), ...frames.flatMap(frameLines)];
  return [`subgraph ${id}["${escapeText(title)}"]`, ...lines.map((line) => `  ${line}`), "end"];
}

/**
 * Mermaid has character entities with `#` in place of `&`; whatever could be markup is written so.
 */
const escapeText = (text: string): string =>
  text.replace(/[^\p{L}\p{N} .,_:()[\]*+/-]/gu, (char) => `#${char.codePointAt(0)};`);
