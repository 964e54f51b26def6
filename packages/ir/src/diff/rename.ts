/** @file Programs with their nodes called otherwise. */

import { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import { mapModuleCalls } from "../program/module-calls.js";
import type { ExportedProgram } from "../program/program.js";
import type { ArgumentSpec } from "../program/signature.js";
import { type Argument, mapRefs, type NodeRef, ref } from "../values/argument.js";

/** New names of the nodes of a graph, and of its nested graphs. */
export interface GraphNames {
  readonly nodes: ReadonlyMap<string, string>;
  /** By the target that a nested graph has: the target that it gets, and its names. */
  readonly nested: ReadonlyMap<string, readonly [target: string, names: GraphNames]>;
}

function renameGraph(graph: Graph, { nodes: names, nested }: GraphNames): Graph {
  const nameOf = (name: string): string => names.get(name) ?? name;
  const rename = (use: NodeRef): NodeRef => (names.has(use.name) ? ref(nameOf(use.name)) : use);
  const targetOf = (node: Node): string => {
    if (node.op === "get_attr") return nested.get(node.target)?.[0] ?? node.target;
    return node.op === "placeholder" ? nameOf(node.target) : node.target;
  };
  const nodes = graph.nodes().map((node): Node => {
    const kwargs: Record<string, Argument> = {};
    for (const key in node.kwargs) kwargs[key] = mapRefs(node.kwargs[key]!, rename);
    const args = node.args.map((arg) => mapRefs(arg, rename));
    return { ...node, name: nameOf(node.name), target: targetOf(node), args, kwargs };
  });
  const subgraphs = [...graph.subgraphs].map(([target, subgraph]) => {
    const [next, inner] = nested.get(target) ?? [target, undefined];
    return [next, inner === undefined ? subgraph : renameGraph(subgraph, inner)] as const;
  });
  return new Graph(nodes, new Map(subgraphs));
}

/** Returns the program with renamed nodes; the signature and the module call graph follow. */
export function renameProgram(program: ExportedProgram, names: GraphNames): ExportedProgram {
  const rename = <T extends ArgumentSpec>(arg: T): T => ({
    ...arg,
    name: names.nodes.get(arg.name) ?? arg.name,
  });
  const { inputSpecs, outputSpecs } = program.graphSignature;
  return program.with({
    graph: renameGraph(program.graph, names),
    graphSignature: {
      inputSpecs: inputSpecs.map((spec) => ({ ...spec, arg: rename(spec.arg) })),
      outputSpecs: outputSpecs.map((spec) => ({
        ...spec,
        arg: rename(spec.arg),
        target:
          spec.kind === "USER_INPUT_MUTATION"
            ? (names.nodes.get(spec.target ?? "") ?? spec.target)
            : spec.target,
      })),
    },
    moduleCallGraph: mapModuleCalls(program.moduleCallGraph, rename),
  });
}
