/** @file What the operators with loops share. */

import { describeValue, isSconceError } from "@sconce/errors";
import {
  type Argument,
  FakeTensor,
  flattenValue,
  type MetaValue,
  symContiguousStrides,
  type TreeSpec,
  unwrapFloat,
} from "@sconce/ir";
import { bindArgs, metaOfBound } from "@sconce/ops";
import type { AnyFunction } from "@sconce/source-check";
import { type BoolLike, eq, type IntLike, ne } from "@sconce/symbolic";
import { sizeText, Tensor } from "@sconce/tensor";
import { torchSize } from "../torch-size.js";
import { callOperator, currentTrace } from "../trace/dispatch.js";
import { fakeOf } from "../trace/real-tensor.js";
import type { TraceArgument, TraceBody, TraceNode } from "../trace/trace-node.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { Tracer } from "../trace/tracer.js";
import type { BodyTracer } from "./body-tracer.js";
import { controlFlowArguments, controlFlowResults } from "./errors.js";

/** A function that control flow runs. */
export type FlowFunction = (...args: never[]) => unknown;

/** A function that control flow runs on leaves. */
export interface FlatFunction {
  readonly fn: FlowFunction;
  /** Calls it with containers of the leaves. */
  call(values: readonly unknown[]): unknown;
}

/** The way from the arguments of a scan to its function. */
export const COMBINE_PATH = "combine_fn.keywords['combine_fn']";

/** A function that was traced. */
export interface TracedFunction {
  /** The trace of the function's graph. */
  readonly tracer: BodyTracer;
  /** The leaves of its result, and their structure. */
  readonly leaves: readonly unknown[];
  /** The structure of what the function returned. */
  readonly spec: TreeSpec;
  /** What it returned, flat. */
  readonly outputs: readonly TraceArgument[];
}

/** Traces a function; `check` looks at its result first. */
export function traceFunction(
  tracer: BodyTracer,
  run: () => unknown,
  check: (leaves: readonly unknown[], result: unknown) => void,
): TracedFunction {
  return tracer.run(() => {
    const result = run();
    const { leaves, spec } = flattenValue(result);
    check(leaves, result);
    return { tracer, leaves, spec, outputs: tracer.outputs(leaves) };
  });
}

/**
 * Returns a function whose source the trace checks before its first call: a change of a JavaScript
 * value from outside of it would not be in the program.
 */
export function checkedFunction<Fn extends FlowFunction>(trace: unknown, operator: string, fn: Fn): Fn {
  if (!(trace instanceof Tracer)) return fn;
  let isChecked = false;
  const run = (...args: never[]): unknown => {
    if (!isChecked) trace.checkBody({ operator, fn: fn as AnyFunction, args, module: trace.currentModule });
    isChecked = true;
    return fn(...args);
  };
  return run as Fn;
}

/** Returns the nested graph of a function. */
export const bodyOf = (
  { tracer, outputs }: TracedFunction,
  returns: TraceBody["returns"],
  inputs: readonly TraceNode[],
  operands?: readonly TraceArgument[],
): TraceBody => ({
  inputs,
  nodes: tracer.liveNodes(outputs),
  results: outputs,
  returns,
  names: tracer.names,
  operands,
});

/**
 * Returns the inputs of a graph that is called with all that it reads: its own, then what it
 * lifted.
 */
export const inputsOf = ({ ownInputs, lifted }: BodyTracer): TraceNode[] => [
  ...ownInputs,
  ...lifted.map(({ input }) => input),
];

/** TorchDynamo's name of a tensor that a function of a loop takes. */
export const childName = (at: number): string => (at === 0 ? "child" : `child_${at}`);

/** Returns the node of a tensor in a graph; one with values becomes a constant. */
export const tensorNode = (tracer: Tracer, tensor: Tensor): TraceNode =>
  tensor instanceof TracedTensor ? tracer.nodeOf(tensor) : tracer.findTensor(tracer.lift(tensor))!;

/** Returns what is known of a tensor. */
export const knownOf = (tensor: Tensor): FakeTensor =>
  tensor instanceof TracedTensor ? tensor.fake : fakeOf(tensor);

/** Returns the first item along the first dimension: a view, or a copy. */
export function firstItem(tensor: Tensor, isCopy: boolean): FakeTensor {
  const fake = knownOf(tensor);
  const shape = fake.shape.slice(1);
  const strides = isCopy ? symContiguousStrides(shape) : fake.strides.slice(1);
  return new FakeTensor({ ...fake, shape, strides, storageOffset: isCopy ? 0 : fake.storageOffset });
}

/** Returns what is known of items put behind each other along a new first dimension. */
export function stackedItems(item: FakeTensor, count: IntLike): FakeTensor {
  const shape = [count, ...item.shape];
  return new FakeTensor({ ...item, shape, strides: symContiguousStrides(shape), storageOffset: 0 });
}

/** Returns what is known of a copy of a tensor: it keeps the layout, where that is dense. */
export function cloneOf({ operators, env }: Tracer, fake: FakeTensor): FakeTensor {
  const row = operators.require("aten.clone.default");
  return metaOfBound(operators, row, bindArgs(row.schema, [fake], {}), env) as FakeTensor;
}

/** Returns whether two sizes are equal; a trace asks it as a guard. */
export const isSameSize = (a: IntLike, b: IntLike): boolean => isDecided(eq(a, b));

/** Returns whether two sizes differ; a trace asks it as a guard. */
export const isOtherSize = (a: IntLike, b: IntLike): boolean => isDecided(ne(a, b));

function isDecided(condition: BoolLike): boolean {
  if (typeof condition === "boolean") return condition;
  const trace = currentTrace();
  return trace instanceof Tracer && trace.env.guard(condition);
}

/** Returns whether lists of sizes are equal, as guards of a trace; what only data decide is not. */
function areSameSizes(left: readonly IntLike[], right: readonly IntLike[]): boolean {
  if (left.length !== right.length) return false;
  return left.every((size, i) => {
    try {
      return isSameSize(size, right[i]!);
    } catch (error) {
      if (isSconceError(error, "DATA_DEPENDENT_GUARD")) return false;
      throw error;
    }
  });
}

/** Returns a value of its own for a result that has the facts of another tensor. */
export const sameFacts = (value: MetaValue): MetaValue =>
  value instanceof FakeTensor ? new FakeTensor(value) : value;

/** Returns whether gradients are recorded for a tensor. */
export const requiresGrad = (value: unknown): boolean => value instanceof FakeTensor && value.requiresGrad;

/** Refuses what is not a function. */
export function requireFunctions(names: string, functions: readonly unknown[]): void {
  if (functions.some((fn) => typeof fn !== "function"))
    throw controlFlowArguments(`Expect ${names} to be callable.`, "pass functions");
}

/** Refuses leaves that are not tensors. */
export function requireTensors(leaves: readonly unknown[], message: string): asserts leaves is Tensor[] {
  const wrong = leaves.filter((leaf) => !(leaf instanceof Tensor));
  if (wrong.length > 0)
    throw controlFlowArguments(
      `${message} ${wrong.map((leaf) => describeValue(leaf)).join(", ")}`,
      "pass tensors, in containers at will; let the function close over other values",
    );
}

/**
 * Refuses results whose facts differ from those of other tensors (`check_meta_consistency`).
 * Messages call the two lists `left` and `right`.
 */
export function requireSameFacts(
  operator: string,
  [left, right]: readonly [string, string],
  given: readonly unknown[],
  wanted: readonly unknown[],
): void {
  const fix = `return what \`${right}\` holds: as many tensors, of the same sizes and dtypes`;
  if (given.length !== wanted.length)
    throw controlFlowResults(
      operator,
      `Expected ${left} and ${right} to have same number of outputs but got lhs:[${given.map((leaf) => describeValue(leaf)).join(", ")}] and rhs:[${wanted.map((leaf) => describeValue(leaf)).join(", ")}]`,
      fix,
    );
  const problems = given.flatMap((leaf, i) => {
    const other = wanted[i];
    if (!(leaf instanceof Tensor && other instanceof Tensor)) {
      if (leaf instanceof Tensor === other instanceof Tensor) return [];
      return [`pair[${i}] differ in 'type: ${describeValue(leaf)} vs ${describeValue(other)}'`];
    }
    const [a, b] = [knownOf(leaf), knownOf(other)];
    const facts = [
      ["shape", torchSize(a.shape), torchSize(b.shape), areSameSizes(a.shape, b.shape)],
      ["dtype", `torch.${a.dtype}`, `torch.${b.dtype}`, a.dtype === b.dtype],
      ["stride", sizeText(a.strides), sizeText(b.strides), areSameSizes(a.strides, b.strides)],
    ].filter(([, , , isSame]) => !isSame);
    if (facts.length === 0) return [];
    const texts = facts.map(([name, x, y]) => `'${name}: ${x} vs ${y}'`).join(", ");
    return [`pair[${i}] differ in ${texts}, where lhs is ${String(a)} and rhs is ${String(b)}`];
  });
  if (problems.length > 0)
    throw controlFlowResults(
      operator,
      `Expected ${left} and ${right} to have same metadata but found:\n${problems.join("\n")}`,
      fix,
    );
}

/** One item along the first dimension, where nothing is traced: a view, or a copy. */
export const itemAt = (tensor: Tensor, i: number, isCopy = false): Tensor =>
  callOperator(isCopy ? "aten.select_copy.int" : "aten.select.int", [tensor, 0, i]) as Tensor;

/** Items behind each other along a new first dimension. */
export const stackItems = (items: readonly Tensor[]): Tensor =>
  callOperator("aten.stack.default", [items]) as Tensor;

/** Returns the truth of a tensor with one element that has values. */
export function isTrue(value: unknown): boolean {
  const single =
    value instanceof Tensor ? unwrapFloat(callOperator("aten.item.default", [value]) as Argument) : value;
  // NaN counts as true in PyTorch.
  return Boolean(single) || Number.isNaN(single);
}
