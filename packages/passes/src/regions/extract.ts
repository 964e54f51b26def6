import { finish } from "@sconce/errors";
import { type ExportedProgram, forEachInput, type Graph, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { requireFunctional } from "../analysis/require-functional.js";
import { withGraph } from "../graphs/rename.js";
import { notConvex, regionEffect } from "./errors.js";
import { orderedCalls, producerOf } from "./order.js";
import { outline, type Region } from "./outline.js";

/** Chooses calls of the program's own graph. */
export type NodeSelector = (node: Node) => boolean;

/** Returns the calls that a module made, those of its submodules included: `"encoder.layers.0"`. */
export const inModule =
  (path: string): NodeSelector =>
  ({ meta }) =>
    (meta.nnModuleStack ?? []).some(([, own]) => own === path || own.startsWith(`${path}.`));

/** A part of a program as a separate program. */
export interface Extraction {
  /**
   * The program with the nodes behind an `invoke_subgraph`; the same program when none is selected.
   */
  readonly program: ExportedProgram;
  /** The region that was extracted; undefined when no node is selected. */
  readonly region: Region | undefined;
}

/**
 * Moves the selected calls into a nested graph; `inlineSubmodule` undoes it. What takes one of
 * several results goes with the call that gives them.
 *
 * @throws SconceError `NOT_FUNCTIONAL`; `NOT_CONVEX` when something outside needs a result of the
 * selection and the
 *   selection needs its result; `REGION_EFFECT` for effects and random numbers, which must keep
 *   their place
 */
export function extractSubmodule(
  program: ExportedProgram,
  select: NodeSelector,
  operators: OperatorTable,
  name = "submodule",
): Extraction {
  requireFunctional(program, operators, "extract-submodule");
  const { graph } = program;
  const region = selection(graph, select);
  if (region.every((own) => own < 0)) return { program, region: undefined };
  const level = levelsAround(graph, region, orderedCalls(graph, operators));
  const outlined = finish(outline(graph, { region, level, names: [name], pass: "extract-submodule" }));
  return { program: withGraph(program, outlined.graph), region: outlined.regions[0] };
}

function selection(graph: Graph, select: NodeSelector): Int32Array {
  const region = new Int32Array(graph.size).fill(-1);
  graph.nodes().forEach((node, at) => {
    if (node.op !== "call_function") return;
    const producer = producerOf(graph, at);
    const follows = producer !== undefined && graph.nodeAt(producer).op === "call_function";
    region[at] = follows ? region[producer]! : select(node) ? 0 : -1;
  });
  return region;
}

/** 0 before the selection, 1 for it, 2 behind it. */
function levelsAround(graph: Graph, region: Int32Array, ordered: (node: Node) => boolean): Int32Array {
  const level = new Int32Array(graph.size);
  let effects = 0;
  graph.nodes().forEach((node, at) => {
    if (node.op !== "call_function") return;
    const isOrdered = ordered(node);
    if (region[at] === 0) {
      if (isOrdered) throw regionEffect(node);
      forEachInput(node, (input) => {
        if (level[graph.indexOf(input)] === 2) throw notConvex(node, input, between(graph, region, node));
      });
      level[at] = 1;
      return;
    }
    let own = isOrdered ? effects : 0;
    forEachInput(node, (input) => {
      if (level[graph.indexOf(input)]! > 0) own = 2;
    });
    level[at] = own;
    if (isOrdered) effects = own;
  });
  return level;
}

/** Nodes outside of the selection on paths from it to one of its nodes, in graph order. */
function between(graph: Graph, region: Int32Array, node: Node): string[] {
  const { offsets, positions } = graph.operands;
  const inputs = (at: number): Int32Array => positions.subarray(offsets[at]!, offsets[at + 1]!);
  const end = graph.indexOf(node.name);
  const after = new Uint8Array(end);
  for (let at = 0; at < end; at++)
    after[at] = Number(inputs(at).some((input) => region[input] === 0 || after[input] === 1));
  const needed = new Set(inputs(end));
  const found: string[] = [];
  for (let at = end - 1; at >= 0; at--) {
    if (!needed.has(at)) continue;
    for (const input of inputs(at)) needed.add(input);
    if (after[at] === 1 && region[at] !== 0) found.push(graph.nodeAt(at).name);
  }
  return found.reverse();
}
