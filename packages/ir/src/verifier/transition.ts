import type { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import type { Problem } from "../graph/problem.js";
import type { ExportedProgram } from "../program/program.js";
import type { NodeMeta } from "../values/meta.js";

const KEPT: readonly (keyof NodeMeta)[] = [
  "val",
  "stackTrace",
  "nnModuleStack",
  "sourceFnStack",
  "torchFn",
  "custom",
];

/**
 * Returns what a pass must not do to a program that is valid before and after: nodes that stay must
 * not lose metadata, and the calling convention must stay the same. `drops` names metadata that the
 * pass takes away on purpose.
 */
export function verifyTransition(
  before: ExportedProgram,
  after: ExportedProgram,
  drops: readonly (keyof NodeMeta)[] = [],
): Problem[] {
  if (before === after) return [];
  const problems: Problem[] = [];
  const kept = KEPT.filter((key) => !drops.includes(key));
  // A change of dialect makes all nodes anew: their names are no longer the same nodes'.
  if (before.dialect === after.dialect)
    compareGraphs({ before: before.graph, after: after.graph, path: "" }, kept, problems);
  compareNames(before, after, problems);
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

/** Callers find inputs, and state its values, by name. */
function compareNames(before: ExportedProgram, after: ExportedProgram, problems: Problem[]): void {
  const [old, now] = [before.userInputs, after.userInputs];
  for (const [i, input] of old.entries()) {
    const name = "name" in input ? input.name : undefined;
    const other = now[i];
    if (name === undefined || other === undefined || !("name" in other) || other.name === name) continue;
    problems.push({
      code: "RENAMED",
      message: `user input ${name} is called ${other.name} now`,
      node: other.name,
    });
  }
  for (const name of before.stateDict.keys()) {
    if (after.stateDict.has(name) || after.constants.has(name) || !isRead(after, name)) continue;
    problems.push({ code: "RENAMED", message: `the parameter or buffer ${name} is gone, and still read` });
  }
}

const isRead = ({ graphSignature }: ExportedProgram, target: string): boolean =>
  graphSignature.inputSpecs.some((spec) => spec.target === target);

/**
 * Returns whether a node was made of others and only happens to have the name of one that was
 * there.
 */
function isOther(node: Node, old: Node): boolean {
  const { origin } = node.meta;
  return origin !== undefined && origin !== old.meta.origin && !origin.from.includes(old.name);
}

interface Versions {
  readonly before: Graph;
  readonly after: Graph;
  readonly path: string;
}

function compareGraphs(
  { before, after, path }: Versions,
  kept: readonly (keyof NodeMeta)[],
  problems: Problem[],
): void {
  if (before === after) return;
  for (const node of after.nodes()) {
    const old = before.find(node.name);
    if (old === undefined || old.meta === node.meta || isOther(node, old)) continue;
    // The values of an output are those of its arguments: PyTorch writes them down or not.
    const has = node.op === "output" ? kept.filter((key) => key !== "val") : kept;
    const lost = has.filter((key) => old.meta[key] !== undefined && node.meta[key] === undefined);
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
    if (old === undefined) continue;
    const inner = path === "" ? target : `${path}.${target}`;
    compareGraphs({ before: old, after: graph, path: inner }, kept, problems);
  }
}
