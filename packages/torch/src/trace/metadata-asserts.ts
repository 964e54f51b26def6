import { FakeTensor, type Namespace } from "@sconce/ir";
import { reifiedFunction } from "@sconce/trace";
import { TraceNode } from "./trace-node.js";

const CONVERSIONS = new Set(["aten.to.device", "aten.to.dtype", "aten.to.dtype_layout"]);
const TARGET = "aten._assert_tensor_metadata.default";

/**
 * Asserts the dtype, the device and the layout of the operand before each conversion
 * (`_insert_aten_to_metadata_assert_pass`): a conversion that changes nothing for the example may
 * be missing from the trace.
 */
export function withMetadataAsserts(nodes: readonly TraceNode[], names: Namespace): TraceNode[] {
  const result: TraceNode[] = [];
  for (const node of nodes) {
    const operand = node.args[0];
    if (CONVERSIONS.has(node.target) && operand instanceof TraceNode) {
      const { val } = operand.current;
      const last = result.at(-1);
      const isGuarded = last?.target === TARGET && (last.args[0] as TraceNode).current === operand.current;
      if (val instanceof FakeTensor && !isGuarded) result.push(assertOf(operand, val, node, names));
    }
    result.push(node);
  }
  return result;
}

/**
 * Asserts the same of all tensors that the calls of some operators take: their results were taken
 * from a run on such tensors (`insert_custom_op_guards`).
 */
export function withOperandAsserts(
  nodes: readonly TraceNode[],
  names: Namespace,
  targets: ReadonlySet<string> = new Set(),
): readonly TraceNode[] {
  if (targets.size === 0) return nodes;
  return nodes.flatMap((node) => {
    if (!targets.has(node.target)) return [node];
    const operands = [...node.args, ...Object.values(node.kwargs)].filter((arg) => arg instanceof TraceNode);
    const asserts = operands.flatMap((operand) => {
      const { val } = operand.current;
      return val instanceof FakeTensor ? [assertOf(operand, val, node, names)] : [];
    });
    return [...asserts, node];
  });
}

const assertOf = (operand: TraceNode, val: FakeTensor, { meta }: TraceNode, names: Namespace): TraceNode =>
  new TraceNode({
    name: names.create("_assert_tensor_metadata_default"),
    op: "call_function",
    target: TARGET,
    args: [operand],
    kwargs: {
      dtype: { kind: "dtype", dtype: val.dtype },
      device: val.device,
      layout: { kind: "layout", layout: val.layout },
    },
    val: null,
    meta: { ...meta, torchFn: reifiedFunction(TARGET), sourceFunctions: undefined },
  });
