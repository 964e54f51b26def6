/** @file Which values of a trace share memory. */
import type { FakeTensor, OpSchema } from "@sconce/ir";
import { forgetReads, type OperatorTable } from "@sconce/ops";
import type { ShapeEnv } from "@sconce/symbolic";
import { TraceNode } from "./trace-node.js";

/** Returns the node that made the memory of a node: views and writes in place go back to it. */
export const memoryOf = (node: TraceNode, operators: OperatorTable): TraceNode =>
  endOf(node, MEMORIES, (at) => sharedOperand(at, operators)?.operand);
const MEMORIES = new WeakMap<TraceNode, TraceNode>();

/**
 * Returns the last node of a chain, which all of its nodes remember: a chain of writes may be long.
 */
export function endOf(
  node: TraceNode,
  known: WeakMap<TraceNode, TraceNode>,
  next: (node: TraceNode) => TraceNode | undefined,
): TraceNode {
  const passed: TraceNode[] = [];
  let end = node;
  for (;;) {
    const further: TraceNode | undefined = known.get(end) ?? next(end);
    if (further === undefined || further === end) break;
    passed.push(end);
    end = further;
  }
  for (const one of passed) known.set(one, end);
  return end;
}

/** Returns the operand whose memory the result of a call has, and whether the call writes to it. */
export function sharedOperand(
  { op, target, args: [operand] }: TraceNode,
  operators: OperatorTable,
): { readonly operand: TraceNode; readonly writes: boolean } | undefined {
  const schema = op === "call_function" ? operators.get(target)?.schema : undefined;
  const alias = schema?.returns[0]?.alias;
  const shares = alias !== undefined && schema?.args[0]?.alias?.set === alias.set;
  return shares && operand instanceof TraceNode ? { operand, writes: alias.write } : undefined;
}

/** Forgets what was read from the memory that a call writes to: the next read may differ. */
export function forgetWritten(
  { args }: OpSchema,
  { args: operands }: TraceNode,
  operators: OperatorTable,
  { env, nodeOf }: { readonly env: ShapeEnv; readonly nodeOf: (tensor: FakeTensor) => TraceNode | undefined },
): void {
  args.forEach(({ alias }, i) => {
    const operand = operands[i];
    if (alias?.write !== true || !(operand instanceof TraceNode)) return;
    const memory = memoryOf(operand, operators);
    forgetReads(env, (tensor) => {
      const node = nodeOf(tensor);
      return node !== undefined && memoryOf(node, operators) === memory;
    });
  });
}
