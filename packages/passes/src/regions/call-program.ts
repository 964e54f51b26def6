/** @file One call as a program. */
import {
  type Argument,
  type ExportedProgram,
  type Graph,
  GraphBuilder,
  inputsOf,
  type MetaValue,
  type Node,
  ref,
  tuple,
} from "@sconce/ir";
import { programOfGraph } from "./region-program.js";

/**
 * One call of a program as a program by itself: what it reads are inputs of the user, and what it
 * gives are the results. Nested graphs that it calls come with it.
 *
 * @param graph the graph of `program`, or a nested one, that has the call
 */
export function callProgram(program: ExportedProgram, graph: Graph, call: Node): ExportedProgram {
  const builder = new GraphBuilder({ unknownTargets: "allow" });
  const read = [...new Set(inputsOf(call))].map((name) => graph.node(name));
  const isBody = ({ op, target }: Node): boolean => op === "get_attr" && graph.subgraphs.has(target);
  for (const node of read) if (!isBody(node)) builder.placeholder(node.name, metaOf(node));
  for (const node of read) {
    if (!isBody(node)) continue;
    builder.subgraph(node.target, graph.subgraphs.get(node.target)!);
    builder.add(node);
  }
  builder.add(call);
  const { val } = call.meta;
  builder.output(tuple(Array.isArray(val) ? parts(builder, call, val) : [ref(call.name)]));
  return programOfGraph(program, builder.build());
}

const metaOf = ({ meta: { val } }: Node): { readonly val?: MetaValue } => (val === undefined ? {} : { val });

/** Takes the values of a call that gives several. */
const parts = (builder: GraphBuilder, { name }: Node, values: readonly MetaValue[]): Argument[] =>
  values.flatMap((val, at) => {
    if (val === null || Array.isArray(val)) return [];
    return [builder.call(`${name}_${at}`, "operator.getitem", [ref(name), at], undefined, { val })];
  });
