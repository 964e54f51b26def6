import { describeValue } from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
import { currentTrace, withTrace } from "../trace/dispatch.js";
import { SymBool } from "../trace/sym-int.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { Tracer } from "../trace/tracer.js";
import { runAtOnceChecked } from "./at-once.js";
import { type Branch, checkOperands, traceChoice } from "./branches.js";
import { controlFlowArguments } from "./errors.js";
import { isTrue, knownOf, requireFunctions, tensorNode } from "./flow-call.js";
import { OperandNames } from "./operand-names.js";

const SPECIALIZES =
  "Pred is a Python constant. When used with torch.cond, it specializes on one of the branches. If you want torch.cond to preserve two branches, please make the predicate a boolean tensor or a SymBool.";

/**
 * Chooses one of two functions by a value that is not known while a program is traced
 * (`torch.cond`). Both functions become graphs of the program. They return the same structure of
 * tensors and ints.
 *
 * @param pred a tensor of one element, or a condition on dynamic sizes. A boolean or a number
 * chooses
 *   at once.
 * @param operands tensors that both functions take, in containers at will. The functions may close
 *   over other tensors, parameters, buffers and dynamic sizes.
 * @throws SconceError `CONTROL_FLOW_ARGUMENTS`, `CONTROL_FLOW_RESULTS`, `CONTROL_FLOW_MUTATION`,
 *   `CONTROL_FLOW_ALIASING`, `CONTROL_FLOW_SIDE_EFFECT`
 * @example cond(x.sum().gt(0), (x) => x.sin(), (x) => x.cos(), [x]);
 */
export function cond<Operands extends readonly unknown[], Result>(
  pred: Tensor | SymBool | boolean | number,
  trueFn: (...operands: Operands) => Result,
  falseFn: (...operands: Operands) => Result,
  operands: Operands = [] as unknown as Operands,
): Result {
  const trace = currentTrace();
  if (typeof pred === "boolean" || typeof pred === "number") {
    requireFunctions("both branches", [trueFn, falseFn]);
    if (trace instanceof Tracer) trace.warn(SPECIALIZES);
    return pred ? trueFn(...operands) : falseFn(...operands);
  }
  checkArguments(pred, [trueFn, falseFn], operands);
  if (trace instanceof Tracer) return traceCond(trace, pred, [trueFn, falseFn], operands) as Result;
  return runAtOnceChecked(
    [pred, operands] as const,
    ([condition, given]) => cond(condition, trueFn, falseFn, given),
    () => (isTrue(pred) ? trueFn(...operands) : falseFn(...operands)),
  );
}

function checkArguments(pred: unknown, branches: readonly unknown[], operands: unknown): void {
  if (!(pred instanceof Tensor || pred instanceof SymBool))
    throw controlFlowArguments(
      `Expected pred to be bool or tensor, but got ${describeValue(pred)}.`,
      "pass a tensor of one element, a condition on sizes such as `sym.gt(n, 4)`, or a boolean",
    );
  const sizes = pred instanceof TracedTensor ? pred.fake.shape : pred instanceof Tensor ? pred.shape : [];
  if (sizes.some((size) => size !== 1))
    throw controlFlowArguments(
      `Expected pred to be bool or single-element tensor, but got a tensor of sizes [${sizes.join(", ")}].`,
      "reduce the tensor with `all()` or `any()`",
    );
  requireFunctions("both branches", branches);
  checkOperands(operands);
}

function traceCond(
  parent: Tracer,
  pred: Tensor | SymBool,
  functions: readonly Branch[],
  operands: readonly unknown[],
): unknown {
  const names = new OperandNames(parent).argument("args[0]", pred).argument("args[3]", operands);
  return traceChoice(parent, {
    operator: "cond",
    kind: "CondOp",
    functions,
    prefixes: ["true_graph_", "false_graph_"],
    paths: ["args[1]", "args[2]"],
    names,
    operands,
    argumentsOf: (graphs, given) => [
      pred instanceof SymBool ? parent.scalarArgument(pred) : tensorNode(parent, pred),
      ...graphs,
      given,
    ],
    chosen: () => chosenBranch(parent, pred),
  });
}

/** Returns the branch that the example inputs take: 0 for the first. */
function chosenBranch({ example, env }: Tracer, pred: Tensor | SymBool): number | undefined {
  const value = pred instanceof SymBool ? env.observed(pred.expr) : example?.valueOf(knownOf(pred));
  if (value === undefined) return undefined;
  return withTrace(undefined, () => isTrue(value)) ? 0 : 1;
}
