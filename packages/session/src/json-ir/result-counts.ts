/**
 * @file How many results the calls that cut a tensor give. A short text can ask for a hundred
 * thousand tensors in each call, so the count must be the declared one before any of them is made.
 */
import {
  type ExportedProgram,
  FakeTensor,
  type Graph,
  isRef,
  isSymScalar,
  type Node,
  type SymInt,
} from "@sconce/ir";
import { argumentAt, type OperatorTable } from "@sconce/ops";
import { evaluateInt, freeSymbols } from "@sconce/symbolic";
import { otherType } from "../errors.js";

type Count = (size: number, pieces: number) => number;

const bySize: Count = (size, pieces) => (size === 0 ? 1 : Math.ceil(size / pieces));
const byChunks: Count = (size, chunks) => bySize(size, Math.ceil(size / chunks));
const byNumber: Count = (_, pieces) => pieces;

/** How the size of the dimension and an argument give the number of results. */
const CUTS: ReadonlyMap<string, readonly [count: Count, argument: string]> = new Map([
  ["aten.split.Tensor", [bySize, "split_size"]],
  ["aten.unsafe_split.Tensor", [bySize, "split_size"]],
  ["aten.unbind.int", [(size) => size, "dim"]],
  ["aten.chunk.default", [byChunks, "chunks"]],
  ["aten.unsafe_chunk.default", [byChunks, "chunks"]],
  ["aten.tensor_split.sections", [byNumber, "sections"]],
  ["aten.hsplit.int", [byNumber, "sections"]],
  ["aten.vsplit.int", [byNumber, "sections"]],
  ["aten.dsplit.int", [byNumber, "sections"]],
]);

/**
 * Refuses calls that would give more tensors than they declare.
 * @throws SconceError `JSON_IR_GRAPH`
 */
export function checkResultCounts({ graph, symbolHints }: ExportedProgram, operators: OperatorTable): void {
  for (const each of allGraphs(graph)) checkCounts(each, symbolHints, operators);
}

/** The graph and its nested ones, each once. */
function allGraphs(graph: Graph): ReadonlySet<Graph> {
  const graphs = new Set([graph]);
  for (const each of graphs) for (const nested of each.subgraphs.values()) graphs.add(nested);
  return graphs;
}

function checkCounts(graph: Graph, symbolHints: ReadonlyMap<string, number>, operators: OperatorTable): void {
  for (const node of graph.nodes()) {
    const cut = node.op === "call_function" ? CUTS.get(node.target) : undefined;
    if (cut === undefined) continue;
    const [count, argument] = cut;
    const declared = Array.isArray(node.meta.val) ? node.meta.val.length : 1;
    const input = node.args[0];
    const source = isRef(input) ? graph.find(input.name)?.meta.val : undefined;
    if (!(source instanceof FakeTensor)) continue;
    const dim = Number(argumentOf(node, "dim", operators) ?? 0);
    const size = source.shape.at(dim) ?? 0;
    const pieces = numberOf(argumentOf(node, argument, operators), graph);
    // The shape rules count by the example of a dynamic size.
    if (pieces === undefined || ![size, pieces].every((one) => isKnown(one, symbolHints))) continue;
    const results = count(evaluateInt(size, symbolHints), evaluateInt(pieces, symbolHints));
    if (results > declared) throw otherType(node.name, `${declared} results`, `${results}`);
  }
}

/** The number that a call is given, or that a node declares; undefined for anything else. */
function numberOf(value: unknown, graph: Graph): SymInt | undefined {
  if (!isRef(value)) return typeof value === "object" ? undefined : Number(value ?? 0);
  const val = graph.find(value.name)?.meta.val;
  return isSymScalar(val) && val.kind === "SymInt" ? val.expr : undefined;
}

const isKnown = (size: SymInt, hints: ReadonlyMap<string, number>): boolean =>
  typeof size === "number" || [...freeSymbols(size).keys()].every((name) => hints.has(name));

/** An argument of a call, by position or by name; its default where the call leaves it out. */
function argumentOf(node: Node, name: string, operators: OperatorTable): unknown {
  const schema = operators.schemaOf(node.target)!;
  const at = schema.args.findIndex((argument) => argument.name === name);
  return at < 0 ? undefined : (argumentAt(node, schema, at) ?? schema.args[at]!.defaultValue);
}
