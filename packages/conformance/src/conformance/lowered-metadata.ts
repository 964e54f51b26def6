/** @file Compares the metadata of a lowered program's nodes with PyTorch's. */
import type { ExportedProgram, Graph, Node, NodeMeta } from "@sconce/ir";
import { isGenerated } from "./canonical-program.js";

const FIELDS = [
  "stackTrace",
  "nnModuleStack",
  "sourceFnStack",
  "torchFn",
  "custom",
] as const satisfies readonly (keyof NodeMeta)[];

/** Returns the first field that differs between two canonical programs, or undefined. */
export function metadataDifference(got: ExportedProgram, want: ExportedProgram): string | undefined {
  return graphDifference(got.graph, want.graph, "");
}

function graphDifference(got: Graph, want: Graph, where: string): string | undefined {
  if (got.size !== want.size) return `${where}${got.size} nodes instead of ${want.size}`;
  for (let i = 0; i < got.size; i++) {
    const [a, b] = [got.nodeAt(i), want.nodeAt(i)];
    const problem = nodeDifference(a, b);
    if (problem !== undefined) return `${where}${b.name}: ${problem}`;
    const nested = a.op === "get_attr" ? got.subgraphs.get(a.target) : undefined;
    const wanted = want.subgraphs.get(b.target);
    if (nested === undefined || wanted === undefined) continue;
    const inner = graphDifference(nested, wanted, `${where}${b.target}.`);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function nodeDifference(got: Node, want: Node): string | undefined {
  // Files hold no metadata of inputs.
  if (isGuardRead(want) || want.op === "placeholder") return undefined;
  for (const field of FIELDS) {
    const [a, b] = [fieldText(got, field), fieldText(want, field)];
    if (a !== b && !(field === "stackTrace" && isGenerated(want.meta.stackTrace)))
      return `${field} is ${a ?? "missing"} instead of ${b ?? "missing"}`;
  }
  return undefined;
}

/**
 * Returns whether a node is a size that PyTorch's code for checking guards has read: its metadata
 * counts the calls of that code, which no file holds.
 */
const isGuardRead = ({ target, meta }: Node): boolean =>
  target === "aten.sym_size.int" && meta.torchFn?.[1] === "method_descriptor.size";

/** Empty fields are not written to files. */
function fieldText(node: Node, field: (typeof FIELDS)[number]): string | undefined {
  const value = node.meta[field];
  const text = value === undefined ? undefined : JSON.stringify(value);
  return text === "[]" || text === "{}"
    ? undefined
    : text?.replaceAll(/<eval_with_key>\.\d+/g, "<eval_with_key>");
}
