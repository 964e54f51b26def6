import { finish, type Work } from "@sconce/errors";
import { type ExportedProgram, type Graph, type Node, rebuild } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { operandRenamer } from "@sconce/trace";
import { leavingValues } from "../analysis/leaving.js";
import { changesLaterCalls, hasEffect } from "../graphs/dead-nodes.js";
import { withRenamed } from "../graphs/rename.js";
import { mapSubgraphs } from "../graphs/subgraphs.js";
import { definePass, type PassContext } from "../pass/pass.js";
import { CallTable } from "./call-table.js";

/** `a = f(x); b = f(x)` becomes `a = f(x)`, with `a` in place of `b`. */
export const commonSubexpressionElimination = definePass({
  name: "cse",
  doc: "Merges equal calls on equal arguments. Keeps random operators, effects, and programs that write.",
  steps: merged,
});

function* merged(program: ExportedProgram, { operators }: PassContext): Work<ExportedProgram> {
  const { graph, replaced } = yield* mergeLevel(program.graph, operators);
  return withRenamed(program, mergeInSubgraphs(graph, operators), replaced);
}

/** Nodes between two pauses. */
const NODES_A_PIECE = 256;

const mergeInSubgraphs = (graph: Graph, operators: OperatorTable): Graph =>
  mapSubgraphs(graph, (subgraph) =>
    mergeInSubgraphs(finish(mergeLevel(subgraph, operators)).graph, operators),
  );

interface Merged {
  readonly graph: Graph;
  /** Names of the nodes that went, with the names of those that represent them. */
  readonly replaced: ReadonlyMap<string, string>;
}

const NOTHING: ReadonlyMap<string, string> = new Map();

function* mergeLevel(graph: Graph, operators: OperatorTable): Work<Merged> {
  const nodes = graph.nodes();
  /**
   * The position of the node that represents each node: its own, or that of the first equal call.
   */
  const first = new Int32Array(nodes.length);
  const table = new CallTable(graph, (position) => first[position]!);
  const leaving = leavingValues(graph, operators);
  /**
   * Separate results stay separate: the caller, or the end of the program, may write to one of
   * them.
   */
  const mayMerge = (node: Node, equal: Node): boolean => {
    if (!leaving.has(node.name)) return true;
    if (leaving.has(equal.name)) return false;
    leaving.add(equal.name);
    return true;
  };
  const purity = new Map<string, Purity>();
  const replaced = new Map<string, string>();
  for (let position = 0; position < nodes.length; position++) {
    if (position % NODES_A_PIECE === 0) yield;
    const node = nodes[position]!;
    const kind = purityOf(node, operators, purity);
    // A write may change what an equal call before it has read, views included.
    if (kind === "writes") return { graph, replaced: NOTHING };
    const equal = kind === "pure" ? table.firstEqual(position) : -1;
    first[position] = equal >= 0 && mayMerge(node, nodes[equal]!) ? equal : position;
    if (first[position] !== position) replaced.set(node.name, nodes[first[position]!]!.name);
  }
  if (replaced.size === 0) return { graph, replaced };
  const rename = operandRenamer(graph, first);
  const merged = rebuild(graph, (_, position) => first[position] === position && rename(position), {
    checkUses: false,
  });
  return { graph: merged, replaced };
}

type Purity = "pure" | "keep" | "writes";

function purityOf(node: Node, operators: OperatorTable, cache: Map<string, Purity>): Purity {
  if (node.op !== "call_function") return "keep";
  let purity = cache.get(node.target);
  if (purity === undefined) {
    const row = operators.get(node.target);
    // Equal calls in different regions are not the same.
    if (row?.schema.isMutable || changesLaterCalls(node.target)) purity = "writes";
    else if (row?.tags.includes("nondeterministic_seeded") || hasEffect(node, operators)) purity = "keep";
    else purity = row !== undefined || /^(operator|math|torch)\./.test(node.target) ? "pure" : "keep";
    cache.set(node.target, purity);
  }
  return purity;
}
