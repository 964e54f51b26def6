import { type Argument, Graph, mapRefs, type Node, ref } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { hasEffect } from "../decompose/dead-nodes.js";
import { definePass } from "../pass.js";
import { CallTable } from "./call-table.js";
import { withRenamed } from "./rename.js";
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
  for (const node of graph.nodes()) if (!replaced.has(node.name)) kept.push(withRefs(node, replaced));
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

/** The node with references renamed; the same object when none is. */
export function withRefs(node: Node, replaced: ReadonlyMap<string, string>): Node {
  const replace = (argument: Argument): Argument =>
    mapRefs(argument, (input) => {
      const name = replaced.get(input.name);
      return name === undefined ? input : ref(name);
    });
  let args: Argument[] | undefined;
  for (let i = 0; i < node.args.length; i++) {
    const next = replace(node.args[i]!);
    if (next !== node.args[i]) {
      args ??= node.args.slice();
      args[i] = next;
    }
  }
  let kwargs: Record<string, Argument> | undefined;
  for (const key in node.kwargs) {
    const next = replace(node.kwargs[key]!);
    if (next !== node.kwargs[key]) {
      kwargs ??= { ...node.kwargs };
      kwargs[key] = next;
    }
  }
  if (args === undefined && kwargs === undefined) return node;
  const { name, op, target, meta } = node;
  return Object.freeze({ name, op, target, args: args ?? node.args, kwargs: kwargs ?? node.kwargs, meta });
}
