/** @file Whether the recorded values of a program hold at given sizes. */
import { type ExportedProgram, type Problem, rebuild } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { Bindings } from "./bindings.js";
import { callProblems } from "./call-problems.js";
import { substituted } from "./refine.js";

/**
 * The first call whose recorded value is not what its operator gives at these sizes, in words.
 * PyTorch records values as if sizes were at least 2: `x[:2]` has two elements, though `x` may have
 * one.
 */
export function sizeProblem(
  program: ExportedProgram,
  sizes: Bindings,
  operators: OperatorTable,
): Problem | undefined {
  const graph = rebuild(program.graph, (node) => {
    const { val } = node.meta;
    const known = val === undefined ? val : substituted(val, sizes);
    return known === val || { ...node, meta: { ...node.meta, val: known! } };
  });
  return callProblems(program.with({ graph }), operators)[0];
}
