import { FakeTensor, type Namespace } from "@sconce/ir";
import { reifiedFunction } from "@sconce/passes";
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
      if (val instanceof FakeTensor && !isGuarded) {
        const { dtype, device, layout } = val;
        result.push(
          new TraceNode({
            name: names.create("_assert_tensor_metadata_default"),
            op: "call_function",
            target: TARGET,
            args: [operand],
            kwargs: { dtype: { kind: "dtype", dtype }, device, layout: { kind: "layout", layout } },
            val: null,
            meta: { ...node.meta, torchFn: reifiedFunction(TARGET) },
          }),
        );
      }
    }
    result.push(node);
  }
  return result;
}
