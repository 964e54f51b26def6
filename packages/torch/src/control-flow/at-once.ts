/**
 * @file Control flow outside of an export: PyTorch compiles it first, and refuses as an export
 * does.
 */
import { flattenValue, unflattenTree } from "@sconce/ir";
import { ShapeEnv } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { withTrace } from "../trace/dispatch.js";
import { fakeOf } from "../trace/real-tensor.js";
import { TraceNode } from "../trace/trace-node.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { Tracer } from "../trace/tracer.js";

let isRunning = false;

/**
 * Runs a call of control flow. Where no other call is around, it is traced first: its functions are
 * refused as in an export, and take part in no result.
 *
 * @param given what the call is given, beside its functions
 * @param trace calls it with the same while a program is traced
 * @param run computes its result
 * @throws SconceError what an export of the call throws
 */
export function runAtOnceChecked<Given extends readonly unknown[], T>(
  given: Given,
  trace: (given: Given) => unknown,
  run: () => T,
): T {
  if (isRunning) return run();
  const tracer = new Tracer({ env: new ShapeEnv(), warn: () => undefined });
  const { leaves, spec } = flattenValue(given);
  const traced = leaves.map((leaf, i) => (leaf instanceof Tensor ? placeholder(tracer, leaf, i) : leaf));
  withTrace(tracer, () => trace(unflattenTree(traced, spec) as Given));
  isRunning = true;
  try {
    return run();
  } finally {
    isRunning = false;
  }
}

function placeholder(tracer: Tracer, tensor: Tensor, at: number): TracedTensor {
  const fake = fakeOf(tensor);
  const name = `arg_${at}`;
  tracer.track(fake, new TraceNode({ name, op: "placeholder", target: name, val: fake }));
  return new TracedTensor(fake);
}
