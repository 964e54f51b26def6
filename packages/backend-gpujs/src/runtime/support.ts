/** @file Decides which nodes the device computes, with a reason for each other node. */
import { whyNotLowered } from "@sconce/codegen";
import { FakeTensor, forEachInput, type Graph, isSymScalar, type MetaValue, type Node } from "@sconce/ir";
import { isScalarFunction, type OperatorTable } from "@sconce/ops";
import { freeSymbols, SymExpr, type SymInt } from "@sconce/symbolic";
import type { Device } from "../device.js";

/**
 * Returns why a device cannot take a node, or undefined if nothing speaks against it before
 * lowering.
 */
export function whyNotOnDevice(
  node: Node,
  graph: Graph,
  operators: OperatorTable,
  { whyNotHeld }: Pick<Device, "whyNotHeld">,
): string | undefined {
  if (node.op !== "call_function") return undefined;
  if (node.target.startsWith("higher_order.")) return "control flow runs on the host";
  const inputs: MetaValue[] = [];
  forEachInput(node, (name) => inputs.push(graph.node(name).meta.val ?? null));
  for (const value of [node.meta.val, ...inputs].flat()) {
    const reason = value instanceof FakeTensor ? whyNotHeld(value.dtype) : undefined;
    if (reason !== undefined) return reason;
  }
  const known = new Set(inputs.flatMap(symbolsOf));
  if ([...known, ...symbolsOf(node.meta.val ?? null)].some(isFloatSymbol))
    return "its sizes depend on a float that the run computes";
  if (symbolsOf(node.meta.val ?? null).some((symbol) => !known.has(symbol)))
    return "its output sizes depend on data";
  if (!hasTensor(node.meta.val)) return isSize(node) ? undefined : "it gives no tensor";
  return whyNotLowered(node, graph, { operators });
}

/** Operators that give sizes, which no kernel has to compute. */
export const SIZES: ReadonlySet<string> = new Set([
  "aten.sym_size.int",
  "aten.sym_numel.default",
  "aten.sym_stride.int",
]);
/** Sizes follow from the metadata: tensors need not come to the host for them. */
const isSize = ({ target, meta: { val } }: Node): boolean =>
  (SIZES.has(target) || isScalarFunction(target)) && isSymScalar(val) && val.kind === "SymInt";

/** Names of the symbols in a value's sizes, or in the size that it is. */
function symbolsOf(value: MetaValue): string[] {
  if (Array.isArray(value)) return (value as readonly MetaValue[]).flatMap(symbolsOf);
  if (value instanceof FakeTensor) return value.shape.flatMap(namesIn);
  return isSymScalar(value) && value.kind === "SymInt" ? namesIn(value.expr) : [];
}
const namesIn = (size: SymInt): string[] => (size instanceof SymExpr ? [...freeSymbols(size).keys()] : []);

/** Whether PyTorch names a symbol so that stands for a float; sizes do not determine its value. */
const isFloatSymbol = (name: string): boolean => /^zuf\d/.test(name);

/** Whether a call gives tensors at all. */
const hasTensor = (value: Node["meta"]["val"]): boolean =>
  Array.isArray(value) ? value.some((item) => item instanceof FakeTensor) : value instanceof FakeTensor;
