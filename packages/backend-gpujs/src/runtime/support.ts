/** @file Which nodes the device computes, and why not the others. */
import { whyNotLowered } from "@sconce/codegen";
import { FakeTensor, forEachInput, type Graph, type Node } from "@sconce/ir";
import { isScalarFunction, type OperatorTable } from "@sconce/ops";
import { whyNotHeld } from "../emit/refusals.js";

/** Why the device cannot take a node, whatever the mode; undefined when it can. */
export function whyNotOnDevice(node: Node, graph: Graph, operators: OperatorTable): string | undefined {
  if (node.op !== "call_function") return undefined;
  if (node.target.startsWith("higher_order.")) return "control flow is the host's";
  const values = [node.meta.val];
  forEachInput(node, (name) => values.push(graph.node(name).meta.val));
  for (const value of values.flat()) {
    const reason = value instanceof FakeTensor ? whyNotHeld(value.dtype) : undefined;
    if (reason !== undefined) return reason;
  }
  if (!hasTensor(node.meta.val)) return isSize(node) ? undefined : "it gives no tensor";
  return whyNotLowered(node, graph, { operators });
}

const SIZES = new Set(["aten.sym_size.int", "aten.sym_numel.default", "aten.sym_stride.int"]);
/** Sizes follow from the metadata: tensors need not come to the host for them. */
const isSize = ({ target, meta: { val } }: Node): boolean =>
  (SIZES.has(target) || isScalarFunction(target)) &&
  (val as { readonly kind?: string } | null)?.kind === "SymInt";

/** Whether a call gives tensors at all. */
const hasTensor = (value: Node["meta"]["val"]): boolean =>
  Array.isArray(value) ? value.some((item) => item instanceof FakeTensor) : value instanceof FakeTensor;
