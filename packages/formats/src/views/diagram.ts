/**
 * @file What diagrams of a program show: boxes with labels, arrows, and a frame for each nested
 * graph.
 */
import { annotation, type ExportedProgram, forEachInput, type Graph, type Node } from "@sconce/ir";

export interface Box {
  /** Unique in the whole diagram, safe in any syntax. */
  readonly id: string;
  readonly lines: readonly string[];
  readonly kind: "input" | "state" | "call" | "graph" | "output";
}

export interface Frame {
  readonly title: string;
  readonly id: string;
  readonly boxes: readonly Box[];
  /** From box to box, by id. */
  readonly arrows: readonly { readonly from: string; readonly to: string }[];
  readonly frames: readonly Frame[];
}

/** The diagram of a program's graph. */
export function diagramOf(program: ExportedProgram): Frame {
  const state = new Set(
    program.graphSignature.inputSpecs
      .filter((spec) => spec.kind !== "USER_INPUT")
      .map((spec) => spec.arg.name),
  );
  return frameOf(program.graph, "program", "g", state);
}

function frameOf(graph: Graph, title: string, id: string, state: ReadonlySet<string>): Frame {
  const ids = new Map<string, string>();
  const boxes: Box[] = [];
  const arrows: { from: string; to: string }[] = [];
  for (const node of graph.nodes()) {
    const own = `${id}n${ids.size}`;
    ids.set(node.name, own);
    boxes.push({ id: own, lines: linesOf(node), kind: kindOf(node, state) });
    forEachInput(node, (name) => {
      const from = ids.get(name);
      if (from !== undefined) arrows.push({ from, to: own });
    });
  }
  const frames = [...graph.subgraphs].map(([target, nested], i) =>
    frameOf(nested, target, `${id}g${i}`, new Set()),
  );
  return { title, id, boxes, arrows, frames };
}

function linesOf(node: Node): string[] {
  const type = annotation(node.meta.val);
  const what = node.op === "call_function" || node.op === "get_attr" ? [node.target] : [];
  return [node.name, ...what, ...(type === undefined ? [] : [type])];
}

function kindOf(node: Node, state: ReadonlySet<string>): Box["kind"] {
  if (node.op === "placeholder") return state.has(node.name) ? "state" : "input";
  if (node.op === "output") return "output";
  return node.op === "get_attr" ? "graph" : "call";
}
