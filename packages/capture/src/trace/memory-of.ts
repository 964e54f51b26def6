/** @file Which values of a trace share memory. */
import type { OperatorTable } from "@sconce/ops";
import { TraceNode } from "./trace-node.js";

/** The node that made the memory of a node: views and writes in place go back to it. */
export function memoryOf(node: TraceNode, operators: OperatorTable): TraceNode {
  for (let memory = node; ; ) {
    const schema = memory.op === "call_function" ? operators.get(memory.target)?.schema : undefined;
    const alias = schema?.returns[0]?.alias;
    const [first] = memory.args;
    const shares = alias !== undefined && schema?.args[0]?.alias?.set === alias.set;
    if (!shares || !(first instanceof TraceNode)) return memory;
    memory = first;
  }
}
