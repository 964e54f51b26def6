/**
 * @file Takes the tokens of ordered effects out of a program, as `ExportedProgram.module()` does
 * before a retrace.
 */
import { type ExportedProgram, type Graph, isRef, itemsOf, type Node, rebuild, tuple } from "@sconce/ir";
import { refRenamer } from "@sconce/trace";

/**
 * Returns the program with plain calls in place of `with_effects`, and without the token inputs and
 * outputs. The same program when it has none.
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
  const rename = refRenamer(results);
  return rebuild(graph, (node) => {
    if (tokens.has(node.name)) return false;
    if (node.target === "higher_order.with_effects") {
      effects.add(node.name);
      const target = (node.args[1] as { target: string }).target;
      return rename({ ...node, target, args: node.args.slice(2) });
    }
    if (isResult(node, effects)) {
      // The first is the token, the second the operator's result.
      if (node.args[1] !== 0) results.set(node.name, (node.args[0] as { name: string }).name);
      return false;
    }
    if (node.op !== "output") return rename(node);
    return rename({ ...node, args: [tuple(itemsOf(graph.outputArgument())!.slice(outputs))] });
  });
}

const isResult = (node: Node, effects: ReadonlySet<string>): boolean =>
  node.target === "operator.getitem" && isRef(node.args[0]) && effects.has(node.args[0].name);
