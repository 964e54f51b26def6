import type { Graph } from "../graph.js";
import type { NodeMeta } from "../meta.js";
import type { Node } from "../node.js";
import type { ExportedProgram } from "../program.js";
import type { Problem } from "./problem.js";

const KEPT: readonly (keyof NodeMeta)[] = [
  "val",
  "stackTrace",
  "nnModuleStack",
  "sourceFnStack",
  "torchFn",
  "custom",
];

/**
 * What a pass must not do to a program that is valid before and after: nodes that stay must not lose metadata, and the
 * calling convention must stay the same.
 */
export function verifyTransition(before: ExportedProgram, after: ExportedProgram): Problem[] {
  if (before === after) return [];
  const problems: Problem[] = [];
  compareGraphs(before.graph, after.graph, "", problems);
  const counts: readonly (readonly [string, number, number])[] = [
    ["inputs", before.userInputs.length, after.userInputs.length],
    ["outputs", before.userOutputs.length, after.userOutputs.length],
  ];
  for (const [what, old, now] of counts) {
    if (old !== now) {
      problems.push({
        code: "CALLING_CONVENTION",
        message: `the number of user ${what} changed from ${old} to ${now}`,
      });
    }
  }
  return problems;
}

/** A node that was made of others and only happens to have the name of one that was there. */
function isOther(node: Node, old: Node): boolean {
  const { origin } = node.meta;
  return origin !== undefined && origin !== old.meta.origin && !origin.from.includes(old.name);
}

function compareGraphs(before: Graph, after: Graph, path: string, problems: Problem[]): void {
  if (before === after) return;
  for (const node of after.nodes()) {
    const old = before.find(node.name);
    if (old === undefined || old.meta === node.meta || isOther(node, old)) continue;
    const lost = KEPT.filter((key) => old.meta[key] !== undefined && node.meta[key] === undefined);
    if (lost.length > 0) {
      problems.push({
        code: "META_LOST",
        message: `node ${node.name} lost its ${lost.join(", ")}`,
        node: node.name,
        graph: path,
      });
    }
  }
  for (const [target, graph] of after.subgraphs) {
    const old = before.subgraphs.get(target);
    if (old !== undefined) compareGraphs(old, graph, path === "" ? target : `${path}.${target}`, problems);
  }
}
