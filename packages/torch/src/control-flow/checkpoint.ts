/** @file Regions that training computes again, in place of keeping their values. */
import { describeValue } from "@sconce/errors";
import { type MetaValue, unflattenTree } from "@sconce/ir";
import { currentTrace } from "../trace/dispatch.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { Tracer } from "../trace/tracer.js";
import { BodyTracer } from "./body-tracer.js";
import { controlFlowResults } from "./errors.js";
import { bodyOf, checkedFunction, requireFunctions, sameFacts, traceFunction } from "./flow-call.js";
import { OperandNames } from "./operand-names.js";

/**
 * Runs a function whose values a training would compute again
 * (`torch.utils.checkpoint.checkpoint(fn, *args, use_reentrant=False)`). A program does not train:
 * an export records the calls of the function, and a strict export records a call of its graph
 * (`tag_activation_checkpoint`), which lowering puts in place.
 *
 * @param args what the function takes. It may close over other values.
 * @throws SconceError `CONTROL_FLOW_ARGUMENTS`; in strict exports also `CONTROL_FLOW_RESULTS`,
 *   `CONTROL_FLOW_MUTATION`, `CONTROL_FLOW_ALIASING`, `CONTROL_FLOW_SIDE_EFFECT`
 * @example torch.checkpoint((x) => this.block(x), x);
 */
export function checkpoint<Args extends readonly unknown[], Result>(
  fn: (...args: Args) => Result,
  ...args: Args
): Result {
  requireFunctions("the function of checkpoint", [fn]);
  const trace = currentTrace();
  if (!(trace instanceof Tracer && trace.isStrict)) return fn(...args);
  return traceCheckpoint(trace, fn, args) as Result;
}

const OPERATOR = "tag_activation_checkpoint";

function traceCheckpoint<Args extends readonly unknown[]>(
  parent: Tracer,
  fn: (...args: Args) => unknown,
  args: Args,
): unknown {
  const names = new OperandNames(parent);
  const tracer = new BodyTracer({ parent, operator: OPERATOR, names, path: "function" });
  const run = (): unknown => checkedFunction(parent, OPERATOR, fn)(...args);
  const traced = traceFunction(tracer, run, checkResults);
  // The graph takes what it reads, in the order of the first reads.
  const operands = tracer.lifted.map(({ outer }) => outer);
  const inputs = tracer.lifted.map(({ input }) => input);
  const results = parent.callGraphs({
    name: OPERATOR,
    kind: "TagActivationCheckpoint",
    bodies: [["wrap_body", bodyOf(traced, "tuple", inputs)]],
    argumentsOf: (graphs) => [...graphs, ...operands],
    kwargs: { use_reentrant: false },
    results: traced.leaves.map((leaf): MetaValue => sameFacts((leaf as TracedTensor).fake)),
  });
  return unflattenTree(results as unknown[], traced.spec);
}

function checkResults(leaves: readonly unknown[]): void {
  for (const leaf of leaves)
    if (!(leaf instanceof TracedTensor))
      throw controlFlowResults(
        OPERATOR,
        `it returned ${describeValue(leaf)}`,
        "return tensors, in containers at will",
      );
}
