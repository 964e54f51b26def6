/**
 * @file Results of the host beside what the program records of them: regions that read them rely on
 * it.
 */
import { isSconceError } from "@sconce/errors";
import { type ExportedProgram, FakeTensor, type Graph, isRef, isSymScalar, type Node } from "@sconce/ir";
import { type Bindings, evaluate, freeSymbols, isUnbacked, SymExpr, type SymValue } from "@sconce/symbolic";
import { areKnown } from "../memory/sizes.js";
import { isTensor, type RunValue } from "../memory/values.js";
import { HostRun } from "./original-runs.js";

/**
 * Returns whether a result is what the program records of its node, at the sizes that are known. A
 * number that gives a symbol its value must be in the range that is declared of it.
 */
export function isLikeRecorded(
  name: string,
  value: RunValue,
  sizes: Bindings,
  { graph, rangeConstraints }: ExportedProgram,
): boolean {
  const node = graph.node(name);
  const { val } = node.meta;
  if (val instanceof FakeTensor) {
    if (!isTensor(value) || value.shape.length !== val.ndim) return false;
    if (value.dtype !== val.dtype && !hasOwnDType(node, graph)) return false;
    return val.shape.every(
      (size, d) => isAt(size, value.shape[d]!, sizes) && isInRange(size, sizes, rangeConstraints),
    );
  }
  if (!isSymScalar(val)) return true;
  const given = typeof value === "bigint" ? Number(value) : value;
  if (typeof given !== "number" && typeof given !== "boolean") return true;
  return isAt(val.expr, given, sizes) && isInRange(val.expr, sizes, rangeConstraints);
}

/** Returns whether an expression has this value, or has symbols that are not known. */
function isAt(expr: SymValue, value: number | boolean, sizes: Bindings): boolean {
  if (!(expr instanceof SymExpr)) return expr === value;
  if (expr.op === "Symbol" && sizes.get(expr.name) === value) return true;
  if (!areKnown(expr, sizes)) return true;
  try {
    const known = evaluate(expr, sizes);
    return known === value || (Number.isNaN(known) && Number.isNaN(value));
  } catch (error) {
    // Such as a division by a size that is zero.
    if (isSconceError(error)) return false;
    throw error;
  }
}

function isInRange(expr: SymValue, sizes: Bindings, ranges: ExportedProgram["rangeConstraints"]): boolean {
  if (!(expr instanceof SymExpr) || (expr.op === "Symbol" && !isUnbacked(expr))) return true;
  for (const [name, symbol] of freeSymbols(expr)) {
    const [range, size] = [isUnbacked(symbol) ? ranges.get(name) : undefined, sizes.get(name)];
    if (range !== undefined && size !== undefined && !(size >= range.min && size <= range.max)) return false;
  }
  return true;
}

/**
 * PyTorch's own metadata of some operators has another dtype than their results, such as running
 * statistics of halves: the shape rule records the same.
 */
function hasOwnDType(node: Node, graph: Graph): boolean {
  const [source] = node.args;
  const call = node.target === "operator.getitem" && isRef(source) ? graph.node(source.name) : node;
  return call.target.startsWith("aten.");
}

/**
 * Throws where a result of the host has its own dtype and a call reads it: what that gives has
 * another dtype than recorded too, which only a run of the whole program by the host shows.
 */
export function requireRecordedDType(name: string, value: RunValue, { graph }: ExportedProgram): void {
  const { val } = graph.node(name).meta;
  if (!(val instanceof FakeTensor) || !isTensor(value) || value.dtype === val.dtype) return;
  if (graph.users(name).some(({ op }) => op === "call_function"))
    throw new HostRun(`%${name} is read in another dtype than the program records`);
}
