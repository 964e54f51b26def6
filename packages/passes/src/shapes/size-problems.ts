/** @file Whether the recorded values of a program hold at given sizes. */
import { type ExportedProgram, type Graph, type Problem, rebuild } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { mapSubgraphs } from "../graphs/subgraphs.js";
import type { Bindings } from "./bindings.js";
import { checkRecorded } from "./call-problems.js";
import { substituted } from "./refine.js";

/**
 * The first call whose recorded value is not what its operator gives at these sizes, in words.
 * PyTorch records values as if sizes were at least 2: `x[:2]` has two elements, though `x` may have
 * one. Strides may be any: no kernel reads by them.
 */
export function sizeProblem(
  program: ExportedProgram,
  sizes: Bindings,
  operators: OperatorTable,
): Problem | undefined {
  const graph = atSizes(program.graph, sizes);
  return checkRecorded(program.with({ graph }), operators, { layouts: false }).problems[0];
}

function atSizes(graph: Graph, sizes: Bindings): Graph {
  const known = rebuild(graph, (node) => {
    const { val } = node.meta;
    const next = val === undefined ? val : substituted(val, sizes);
    return next === val || { ...node, meta: { ...node.meta, val: next! } };
  });
  return mapSubgraphs(known, (nested) => atSizes(nested, sizes));
}
