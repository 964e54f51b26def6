import { finish } from "@sconce/errors";
import type { ExportedProgram, Graph } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { requireFunctional } from "../analysis/require-functional.js";
import { withGraph } from "../graphs/rename.js";
import type { NodeSelector } from "./extract.js";
import { producerOf } from "./order.js";
import { outline, type Region } from "./outline.js";
import { regionProgram } from "./region-program.js";

/**
 * One part of a split program. Its inputs and outputs go by the names of the whole program's nodes.
 */
export interface Part extends Region {
  /** Returns the part as a separate program; made when first asked for. */
  program(): ExportedProgram;
}

/** A program cut into parts that run one after the other. */
export interface Split {
  /**
   * The program as a chain of `invoke_subgraph` calls; the same program when there is one part
   * only.
   */
  readonly program: ExportedProgram;
  /** The parts, in the order in which they run. */
  readonly parts: readonly Part[];
}

/**
 * Cuts a program into parts that run one after the other: a call for which `startsPart` holds
 * begins a new one. Nothing changes its place, so effects and random numbers stay in order.
 *
 * @throws SconceError `NOT_FUNCTIONAL`
 */
export function splitBy(program: ExportedProgram, startsPart: NodeSelector, operators: OperatorTable): Split {
  requireFunctional(program, operators, "split-by");
  const { graph } = program;
  const { region, count } = partsOf(graph, startsPart);
  if (count < 2) return { program, parts: [] };
  const names = Array.from({ length: count }, (_, i) => `part_${i}`);
  // The parts' numbers are their levels too, 0 being left for bodies of control flow.
  const level = region.map((own) => own + 1);
  const { graph: chain, regions } = finish(outline(graph, { region, level, names, pass: "split-by" }));
  const parts = regions.map((own): Part => ({ ...own, program: () => regionProgram(program, own) }));
  return { program: withGraph(program, chain), parts };
}

function partsOf(graph: Graph, startsPart: NodeSelector): { region: Int32Array; count: number } {
  const region = new Int32Array(graph.size).fill(-1);
  let current = -1;
  graph.nodes().forEach((node, at) => {
    if (node.op !== "call_function") return;
    const producer = producerOf(graph, at);
    if (producer !== undefined && region[producer]! >= 0) {
      region[at] = region[producer]!;
      return;
    }
    if (current < 0 || startsPart(node)) current++;
    region[at] = current;
  });
  return { region, count: current + 1 };
}
