/**
 * @file What a pass did wrong with opaque operators: calls that it made up, and arguments that it
 * changed.
 */
import {
  type ExportedProgram,
  forEachInput,
  type Graph,
  isOpaque,
  type MetaValue,
  type Node,
  opaqueCalls,
  type Problem,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { shapeEnvOf } from "@sconce/trace";
import { opaqueInputs } from "../opaque/errors.js";
import { changeOf, type SizeFacts } from "../opaque/inputs.js";

/**
 * Opaque calls of a program that a pass must not have made: of an operator that the program
 * `before` does not call, or with an argument of another dtype or shape than the node of the same
 * name had, while its results stayed.
 */
export function opaqueProblems(
  program: ExportedProgram,
  before: ExportedProgram,
  operators: OperatorTable,
): Problem[] {
  if (program.graph === before.graph) return [];
  const calls = opaqueCalls(program.graph, operators);
  if (calls.length === 0) return [];
  const known = new Set(opaqueCalls(before.graph, operators).map(({ target }) => target));
  const env = shapeEnvOf(program);
  return calls.flatMap(({ node, graph, target, path }): Problem[] => {
    const place = { node: node.name, graph: path.join(".") };
    if (!known.has(target))
      return [{ code: "UNKNOWN_OPERATOR", message: `operator '${target}' is not known`, ...place }];
    if (!isOpaque(node.target, operators)) return [];
    const then = nestedGraph(before.graph, path);
    const old = then?.find(node.name);
    if (then === undefined || old?.target !== node.target) return [];
    const message = changedArgument(node, graph, old, then, env);
    return message === undefined ? [] : [{ code: "OPAQUE_INPUTS", message, ...place }];
  });
}

function nestedGraph(graph: Graph, path: readonly string[]): Graph | undefined {
  return path.reduce<Graph | undefined>((current, name) => current?.subgraphs.get(name), graph);
}

/** Arguments at the same place are compared, whatever nodes they refer to. */
function changedArgument(
  node: Node,
  graph: Graph,
  old: Node,
  before: Graph,
  facts: SizeFacts,
): string | undefined {
  if (old === node && graph === before) return undefined;
  const [now, then] = [valuesOf(node, graph), valuesOf(old, before)];
  for (const [i, [input, val]] of now.entries()) {
    const change = changeOf(then[i]?.[1], val, facts);
    if (change !== undefined) return opaqueInputs(node, input, change).message;
  }
  return undefined;
}

function valuesOf(node: Node, graph: Graph): (readonly [name: string, val: MetaValue | undefined])[] {
  const values: (readonly [string, MetaValue | undefined])[] = [];
  forEachInput(node, (name) => values.push([name, graph.node(name).meta.val]));
  return values;
}
