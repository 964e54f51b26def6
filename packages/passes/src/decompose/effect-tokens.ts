/** @file Takes the tokens of ordered effects out of a program, as `ExportedProgram.module()` does before a retrace. */
import { type ExportedProgram, Graph, isRef, itemsOf, type Node, tuple } from "@sconce/ir";
import { renameNodes } from "./rename-nodes.js";

/**
 * The program with plain calls in place of `with_effects`, and without the token inputs and outputs. The same program
 * when it has none.
 */
export function withoutTokens(program: ExportedProgram): ExportedProgram {
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const tokens = new Set(inputSpecs.filter(({ kind }) => kind === "TOKEN").map(({ arg }) => arg.name));
  if (tokens.size === 0) return program;
  const graph = plainGraph(program.graph, tokens, outputSpecs.filter(({ kind }) => kind === "TOKEN").length);
  return program.with({
    graph,
    graphSignature: {
      inputSpecs: inputSpecs.filter(({ kind }) => kind !== "TOKEN"),
      outputSpecs: outputSpecs.filter(({ kind }) => kind !== "TOKEN"),
    },
  });
}

function plainGraph(graph: Graph, tokens: ReadonlySet<string>, outputs: number): Graph {
  const effects = new Set<string>();
  const results = new Map<string, string>();
  const nodes: Node[] = [];
  for (const node of graph.nodes()) {
    if (tokens.has(node.name)) continue;
    if (node.target === "higher_order.with_effects") {
      effects.add(node.name);
      nodes.push({ ...node, target: (node.args[1] as { target: string }).target, args: node.args.slice(2) });
    } else if (isResult(node, effects)) {
      // The first is the token, the second the operator's result.
      if (node.args[1] !== 0) results.set(node.name, (node.args[0] as { name: string }).name);
    } else if (node.op === "output") {
      nodes.push({ ...node, args: [tuple(itemsOf(graph.outputArgument())!.slice(outputs))] });
    } else nodes.push(node);
  }
  return renameNodes(new Graph(nodes, graph.subgraphs), results);
}

const isResult = (node: Node, effects: ReadonlySet<string>): boolean =>
  node.target === "operator.getitem" && isRef(node.args[0]) && effects.has(node.args[0].name);
