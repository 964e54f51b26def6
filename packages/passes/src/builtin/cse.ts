import { type Argument, Graph, mapRefs, type Node, ref } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { hasEffect } from "../decompose/dead-nodes.js";
import { callKey } from "./call-key.js";
import { definePass } from "../pass.js";
import { mapSubgraphs } from "./subgraphs.js";

/** `a = f(x); b = f(x)` becomes `a = f(x)`, with `a` in place of `b`. */
export const commonSubexpressionElimination = definePass({
  name: "cse",
  doc: "Merges calls of the same operator on the same arguments. Random operators, effects and programs that mutate are left alone.",
  run(program, { operators }) {
    return program.with({ graph: mergeEqualNodes(program.graph, operators) });
  },
});

function mergeEqualNodes(graph: Graph, operators: OperatorTable): Graph {
  const merged = mergeLevel(graph, operators);
  return mapSubgraphs(merged, (subgraph) => mergeEqualNodes(subgraph, operators));
}

function mergeLevel(graph: Graph, operators: OperatorTable): Graph {
  const first = new Map<string, string>();
  const replaced = new Map<string, string>();
  const purity = new Map<string, Purity>();
  const kept: Node[] = [];
  for (const node of graph.nodes()) {
    const current = replaced.size === 0 ? node : withRefs(node, replaced);
    const kind = purityOf(current, operators, purity);
    // A write may change what an equal call before it has read, views included.
    if (kind === "writes") return graph;
    if (kind === "pure") {
      const key = callKey(current);
      const earlier = first.get(key);
      if (earlier !== undefined) {
        replaced.set(node.name, earlier);
        continue;
      }
      first.set(key, node.name);
    }
    kept.push(current);
  }
  return replaced.size === 0 ? graph : new Graph(kept, graph.subgraphs);
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

function withRefs(node: Node, replaced: ReadonlyMap<string, string>): Node {
  const replace = (argument: Argument): Argument =>
    mapRefs(argument, (input) => {
      const name = replaced.get(input.name);
      return name === undefined ? input : ref(name);
    });
  let changed = false;
  const args = node.args.map((arg) => {
    const next = replace(arg);
    changed ||= next !== arg;
    return next;
  });
  const kwargs: Record<string, Argument> = {};
  for (const key in node.kwargs) {
    kwargs[key] = replace(node.kwargs[key]!);
    changed ||= kwargs[key] !== node.kwargs[key];
  }
  return changed ? Object.freeze({ ...node, args, kwargs }) : node;
}
