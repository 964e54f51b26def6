/**
 * @file The names of outputs that a signature and calling conventions hold, for a graph with other
 * ones in their place.
 */

import { Graph } from "../graph/graph.js";
import { isRef, itemsOf } from "../values/argument.js";
import { mapModuleCalls } from "./module-calls.js";
import type { ExportedProgramInit } from "./program-parts.js";
import { renameOutputs } from "./signature.js";

/**
 * Returns the change of a program, with the signature and the calling conventions that its graph
 * needs: where another node stands in place of an output, they name that node
 * (`_get_updated_graph_signature` of `torch.export`). A signature that is given stays as it is, and
 * so does one whose outputs trade places or have another number.
 */
export function withOutputsOf(
  program: Pick<ExportedProgramInit, "graph" | "graphSignature" | "moduleCallGraph">,
  change: Partial<ExportedProgramInit>,
): Partial<ExportedProgramInit> {
  const { graph } = change;
  if (graph === undefined || graph === program.graph || Object.hasOwn(change, "graphSignature"))
    return change;
  const renamed = renamedOutputs(outputNames(program.graph), outputNames(graph));
  if (renamed.size === 0) return change;
  const calls = mapModuleCalls(program.moduleCallGraph, (arg) => {
    const name = renamed.get(arg.name);
    return name === undefined ? arg : { ...arg, name };
  });
  return {
    moduleCallGraph: calls,
    ...change,
    graphSignature: renameOutputs(program.graphSignature, renamed),
  };
}

/**
 * Outputs that are gone, with what is in their place everywhere; empty when nothing is, or not
 * everywhere the same.
 */
function renamedOutputs(
  before: readonly (string | undefined)[],
  after: readonly (string | undefined)[],
): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  if (before.length !== after.length) return renamed;
  const left = new Set(after);
  for (const [i, old] of before.entries()) {
    const name = after[i];
    if (old === undefined || name === undefined || left.has(old)) continue;
    if ((renamed.get(old) ?? name) !== name) return new Map();
    renamed.set(old, name);
  }
  return renamed;
}

/**
 * Returns the node of each output; undefined for a constant. Nothing for a graph without a list of
 * outputs.
 */
function outputNames(graph: Graph): readonly (string | undefined)[] {
  const last = graph.size > 0 ? Graph.indexOf(graph).at(graph.size - 1) : undefined;
  const results = last?.op === "output" && last.args.length > 0 ? itemsOf(last.args[0]!) : undefined;
  return (results ?? []).map((value) => (isRef(value) ? value.name : undefined));
}
