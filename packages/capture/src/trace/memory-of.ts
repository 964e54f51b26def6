/** @file Which values of a trace share memory. */
import type { OperatorTable } from "@sconce/ops";
import { TraceNode } from "./trace-node.js";

/** The node that made the memory of a node: views and writes in place go back to it. */
export function memoryOf(node: TraceNode, operators: OperatorTable): TraceNode {
  for (let memory = node; ; ) {
    const operand = sharedOperand(memory, operators)?.operand;
    if (operand === undefined) return memory;
    memory = operand;
  }
}

/** The operand whose memory the result of a call has, and whether the call writes to it. */
export function sharedOperand(
  { op, target, args: [operand] }: TraceNode,
  operators: OperatorTable,
): { readonly operand: TraceNode; readonly writes: boolean } | undefined {
  const schema = op === "call_function" ? operators.get(target)?.schema : undefined;
  const alias = schema?.returns[0]?.alias;
  const shares = alias !== undefined && schema?.args[0]?.alias?.set === alias.set;
  return shares && operand instanceof TraceNode ? { operand, writes: alias.write } : undefined;
}
