/**
 * @file How many results the calls that cut a tensor give. A short text can ask for a hundred
 * thousand tensors in each call, so the count must be the declared one before any of them is made.
 */
import { type Argument, FakeTensor, type IntLike, isSymScalar, type Node } from "@sconce/ir";
import { argumentAt, type OperatorTable } from "@sconce/ops";
import { evaluateInt, freeSymbols } from "@sconce/symbolic";
import { otherType } from "./errors.js";

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
 * Refuses a call that would give more tensors than it declares. `value` gives what is known of its
 * arguments: a declared type may be wrong.
 * @throws SconceError `JSON_IR_GRAPH`
 */
export function checkResultCount(
  node: Node,
  declared: number,
  value: (argument: Argument) => unknown,
  symbolHints: ReadonlyMap<string, number>,
  operators: OperatorTable,
): void {
  const cut = CUTS.get(node.target);
  const source = cut === undefined ? undefined : value(node.args[0] ?? null);
  if (cut === undefined || !(source instanceof FakeTensor)) return;
  const [count, argument] = cut;
  const dim = Number(argumentOf(node, "dim", operators) ?? 0);
  const size = source.shape.at(dim) ?? 0;
  const pieces = numberOf(value(argumentOf(node, argument, operators)));
  // The shape rules count by the example of a dynamic size.
  if (pieces === undefined || ![size, pieces].every((one) => isKnown(one, symbolHints))) return;
  const results = count(evaluateInt(size, symbolHints), evaluateInt(pieces, symbolHints));
  if (results > declared) throw otherType(node.name, `${declared} results`, `${results}`);
}

/** Returns the number that a call is given; undefined for anything else. */
function numberOf(value: unknown): IntLike | undefined {
  if (isSymScalar(value)) return value.kind === "SymInt" ? value.expr : undefined;
  return typeof value === "object" && value !== null ? undefined : Number(value ?? 0);
}

const isKnown = (size: IntLike, hints: ReadonlyMap<string, number>): boolean =>
  typeof size === "number" || [...freeSymbols(size).keys()].every((name) => hints.has(name));

/**
 * Returns an argument of a call, by position or by name; its default where the call leaves it out.
 */
function argumentOf(node: Node, name: string, operators: OperatorTable): Argument {
  const schema = operators.schemaOf(node.target)!;
  const at = schema.args.findIndex((argument) => argument.name === name);
  return at < 0 ? null : (argumentAt(node, schema, at) ?? schema.args[at]!.defaultValue ?? null);
}
