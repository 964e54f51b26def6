import { describeValue } from "@sconce/errors";
import { type Argument, unwrapFloat } from "@sconce/ir";
import { evaluateScalarFunction } from "@sconce/ops";
import { type IntLike, SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { callOperator, currentTrace, withTrace } from "../trace/dispatch.js";
import { scalarValue } from "../trace/scalar-values.js";
import { SymInt } from "../trace/sym-int.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { Tracer } from "../trace/tracer.js";
import { runAtOnceChecked } from "./at-once.js";
import { type Branch, checkOperands, traceChoice } from "./branches.js";
import { controlFlowArguments } from "./errors.js";
import { knownOf, tensorNode } from "./flow-call.js";
import { OperandNames } from "./operand-names.js";

const SPECIALIZES =
  "Index is a Python constant. When used with torch.switch, it specializes on one of the branches. If you want torch.switch to preserve the branches, please make the index an int tensor or a SymInt.";

/**
 * Chooses one of several functions by a number that is not known while a program is traced
 * (`torch._higher_order_ops.switch`). The functions become graphs of the program. They return the
 * same structure of tensors, ints and nulls. PyTorch has no form for such calls in files: `save`
 * refuses them, and IR text holds them.
 *
 * @param index a tensor of one integer, a dynamic size, or a number, which chooses at once. A
 *   number out of range is that of the nearest branch.
 * @param branches at least one function
 * @param operands tensors that all functions take, in containers at will. The functions may close
 *   over other tensors, parameters, buffers and dynamic sizes.
 * @throws SconceError `CONTROL_FLOW_ARGUMENTS`, `CONTROL_FLOW_RESULTS`, `CONTROL_FLOW_MUTATION`,
 *   `CONTROL_FLOW_ALIASING`, `CONTROL_FLOW_SIDE_EFFECT`
 * @example torch.switch(kind, [(x) => x.sin(), (x) => x.cos(), (x) => x.neg()], [x]);
 */
export function switchBranches<Operands extends readonly unknown[], Result>(
  index: Tensor | SymInt | number | boolean,
  branches: readonly ((...operands: NoInfer<Operands>) => Result)[],
  operands: readonly [...Operands] = [] as unknown as Operands,
): Result {
  checkArguments(index, branches, operands);
  if (branches.length === 1) return branches[0]!(...operands);
  const last = branches.length - 1;
  const trace = currentTrace();
  if (typeof index === "number" || typeof index === "boolean") {
    if (trace instanceof Tracer) trace.warn(SPECIALIZES);
    return branches[clamped(Number(index), last)]!(...operands);
  }
  const at =
    index instanceof Tensor
      ? (callOperator("aten.clamp.default", [index, 0, last]) as Tensor)
      : symClamped(index, last);
  if (trace instanceof Tracer && typeof at !== "number")
    return traceSwitch(trace, at, branches as readonly Branch[], operands) as Result;
  return runAtOnceChecked(
    [index, ...operands] as const,
    ([place, ...given]) => switchBranches(place, branches, given as readonly [...Operands]),
    () => branches[numberOf(at)]!(...operands),
  );
}

const clamped = (index: number, last: number): number => Math.max(0, Math.min(index, last));

/** Returns a size that is at most the place of the last branch, and not negative. */
function symClamped(index: SymInt, last: number): SymInt | number {
  // Python asks the size, which is then the first.
  const least = sizeOf("torch.sym_min", [index, last]);
  return sizeOf("torch.sym_max", [least, 0]);
}

/** Computes a function of sizes, and records it where the result is dynamic. */
function sizeOf(target: string, args: readonly (SymInt | number)[]): SymInt | number {
  const trace = currentTrace();
  const range = trace && ((size: IntLike) => ({ min: Number(trace.env.range(size).min) }));
  const operands = args.map((arg) => (arg instanceof SymInt ? scalarValue(arg) : arg));
  const { expr } = evaluateScalarFunction(target, operands, range);
  if (!(expr instanceof SymExpr)) return Number(expr);
  const value = new SymInt(expr);
  trace?.arithmetic(target, args, value);
  return value;
}

/** Returns the integer in a tensor with values; a float is cut, as by Python's `int`. */
function numberOf(at: Tensor | SymInt | number): number {
  const given = at instanceof Tensor ? unwrapFloat(callOperator("aten.item.default", [at]) as Argument) : at;
  const index = Math.trunc(Number(given));
  if (!Number.isNaN(index)) return index;
  throw controlFlowArguments(
    "torch.switch: cannot convert float NaN to integer",
    "compute an index that is a number, as a tensor of integers",
  );
}

function checkArguments(index: unknown, branches: unknown, operands: unknown): void {
  const sizes = index instanceof TracedTensor ? index.fake.shape : index instanceof Tensor ? index.shape : [];
  const isInteger = Number.isInteger(index) || typeof index === "boolean";
  const isIndex = index instanceof Tensor || index instanceof SymInt || isInteger;
  if (!isIndex || sizes.some((size) => size !== 1))
    throw controlFlowArguments(
      `Expected index to be int or single-element tensor, but got ${describeValue(index)}.`,
      "pass a tensor of one integer, a dynamic size, or an integer",
    );
  if (!Array.isArray(branches) || branches.length === 0)
    throw controlFlowArguments(
      "Expected branches to be a non-empty tuple or list of callables.",
      "pass an array of functions",
    );
  const wrong = branches.findIndex((branch) => typeof branch !== "function");
  if (wrong >= 0)
    throw controlFlowArguments(
      `Expected all branches to be callable. branch${wrong} is not callable.`,
      "pass functions",
    );
  checkOperands(operands);
}

function traceSwitch(
  parent: Tracer,
  index: Tensor | SymInt,
  functions: readonly Branch[],
  operands: readonly unknown[],
): unknown {
  const names = new OperandNames(parent).argument("index", index).argument("leaves_operands", operands);
  return traceChoice(parent, {
    operator: "switch",
    kind: "SwitchOp",
    functions,
    prefixes: functions.map((_, i) => `branch${i}_graph_`),
    paths: functions.map((_, i) => `wrapped_branches[${i}].keywords['branch_fn']`),
    names,
    operands,
    argumentsOf: (graphs, given) => [
      index instanceof Tensor ? tensorNode(parent, index) : parent.scalarArgument(index),
      graphs,
      given,
    ],
    chosen: () => chosenBranch(parent, index),
  });
}

/** Returns the branch that the example inputs take. */
function chosenBranch({ example, env }: Tracer, index: Tensor | SymInt): number | undefined {
  if (index instanceof SymInt) {
    const value = env.observed(index.expr);
    return value === undefined ? undefined : Number(value);
  }
  const value = example?.valueOf(knownOf(index));
  return value === undefined ? undefined : withTrace(undefined, () => numberOf(value));
}
