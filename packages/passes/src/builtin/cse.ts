import { Graph, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { hasEffect } from "../decompose/dead-nodes.js";
import { definePass } from "../pass.js";
import { CallTable } from "./call-table.js";
import { refRenamer, withRenamed } from "./rename.js";
import { mapSubgraphs } from "./subgraphs.js";

/** `a = f(x); b = f(x)` becomes `a = f(x)`, with `a` in place of `b`. */
export const commonSubexpressionElimination = definePass({
  name: "cse",
  doc: "Merges calls of the same operator on the same arguments. Random operators, effects and programs that mutate are left alone.",
  run(program, { operators }) {
    const { graph, replaced } = mergeLevel(program.graph, operators);
    return withRenamed(program, mergeInSubgraphs(graph, operators), replaced);
  },
});

const mergeInSubgraphs = (graph: Graph, operators: OperatorTable): Graph =>
  mapSubgraphs(graph, (subgraph) => mergeInSubgraphs(mergeLevel(subgraph, operators).graph, operators));

interface Merged {
  readonly graph: Graph;
  /** Names of the nodes that went, with the names of those that stand for them. */
  readonly replaced: ReadonlyMap<string, string>;
}

const NOTHING: ReadonlyMap<string, string> = new Map();

function mergeLevel(graph: Graph, operators: OperatorTable): Merged {
  /** Number of the node that each name stands for. */
  const numbers = new Map<string, number>();
  const replaced = new Map<string, string>();
  const table = new CallTable((name) => numbers.get(name)!);
  const purity = new Map<string, Purity>();
  for (const node of graph.nodes()) {
    const kind = purityOf(node, operators, purity);
    // A write may change what an equal call before it has read, views included.
    if (kind === "writes") return { graph, replaced: NOTHING };
    const first = kind === "pure" ? table.firstEqual(node) : undefined;
    numbers.set(node.name, first === undefined ? numbers.size : numbers.get(first.name)!);
    if (first !== undefined) replaced.set(node.name, first.name);
  }
  if (replaced.size === 0) return { graph, replaced };
  const kept: Node[] = [];
  const rename = refRenamer(replaced);
  for (const node of graph.nodes()) if (!replaced.has(node.name)) kept.push(rename(node));
  return { graph: new Graph(kept, graph.subgraphs), replaced };
}

type Purity = "pure" | "keep" | "writes";

function purityOf(node: Node, operators: OperatorTable, cache: Map<string, Purity>): Purity {
  if (node.op !== "call_function") return "keep";
  let purity = cache.get(node.target);
  if (purity === undefined) {
    const row = operators.get(node.target);
    if (row?.schema.isMutable) purity = "writes";
    else if (row?.tags.includes("nondeterministic_seeded") || hasEffect(node, operators)) purity = "keep";
    else purity = row !== undefined || /^(operator|math|torch)\./.test(node.target) ? "pure" : "keep";
    cache.set(node.target, purity);
  }
  return purity;
}
