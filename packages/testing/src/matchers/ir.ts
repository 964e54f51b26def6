import { ExportedProgram, type Graph, GraphBuilder, isGraph, type Node, type NodeMeta } from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import { parseGraph, parseIr } from "@sconce/session";
import { lineDiff } from "./line-diff.js";
import type { MatcherResult } from "./result.js";

/** IR as a text, a graph or a program. */
export type IrLike = string | Graph | ExportedProgram;

/**
 * In what the received IR differs from the expected, as a diff of IR texts; undefined when it is
 * the same.
 *
 * As much is compared as the expected text says: a graph against the graph of a program, a type
 * only where there is one, metadata only when there is any. Names of nodes, their order and their
 * arguments always are.
 */
export function irDifference(received: IrLike, expected: IrLike): string | undefined {
  const [got, want] = [opened(received), opened(expected)];
  if (want instanceof ExportedProgram && isGraph(got))
    return "a graph was received, where a program was expected";
  const wanted = typeof expected === "string" && isGraph(want) ? want : undefined;
  const subject = isGraph(want) && got instanceof ExportedProgram ? got.graph : got;
  const seen = wanted !== undefined ? asDetailed(subject as Graph, wanted) : subject;
  const metadata = [isGraph(want) ? want : want.graph].some(hasMetadata);
  return lineDiff(printIr(want, { metadata }), printIr(seen, { metadata })) || undefined;
}

/** Returns the matcher `toEqualIR`. */
export function toEqualIR(received: IrLike, expected: IrLike): MatcherResult {
  const difference = irDifference(received, expected);
  return {
    pass: difference === undefined,
    message: () =>
      difference === undefined
        ? "expected the IR to be different"
        : `the IR differs (- expected, + received):\n\n${difference}`,
  };
}

function opened(value: IrLike): Graph | ExportedProgram {
  if (typeof value !== "string") return value;
  return /^\s*program "/m.test(value) ? parseIr(value) : parseGraph(value);
}

const hasMetadata = (graph: Graph): boolean =>
  graph.nodes().some((node) => Object.keys(node.meta).some((key) => key !== "val")) ||
  [...graph.subgraphs.values()].some(hasMetadata);

/** Returns the graph without the types that the other leaves out. */
function asDetailed(graph: Graph, other: Graph): Graph {
  const nodes = graph.nodes().map((node): Node => {
    if (other.find(node.name)?.meta.val !== undefined || node.meta.val === undefined) return node;
    const { val: _, ...meta } = node.meta;
    // Nodes that the other lacks keep their types: they are what the diff shows.
    return other.has(node.name) ? { ...node, meta: meta as NodeMeta } : node;
  });
  const subgraphs = new Map(
    [...graph.subgraphs].map(([name, nested]) => {
      const match = other.subgraphs.get(name);
      return [name, match === undefined ? nested : asDetailed(nested, match)] as const;
    }),
  );
  return new GraphBuilder({ unknownTargets: "allow" }).addAll(nodes, subgraphs).build();
}
