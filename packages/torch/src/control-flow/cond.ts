import { describeValue } from "@sconce/errors";
import { type FakeTensor, flattenValue, type MetaValue, treeSpecEquals, unflattenTree } from "@sconce/ir";
import { SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { currentTrace, withTrace } from "../trace/dispatch.js";
import { SymBool } from "../trace/sym-int.js";
import type { TraceNode } from "../trace/trace-node.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { Tracer } from "../trace/tracer.js";
import { BodyTracer } from "./body-tracer.js";
import { askAsDynamo, type MergedSize } from "./dynamo-guards.js";
import { controlFlowArguments, controlFlowResults } from "./errors.js";
import { runOnFakes } from "./fake-runs.js";
import {
  bodyOf,
  checkedFunction,
  isTrue,
  knownOf,
  type TracedFunction,
  tensorNode,
  traceFunction,
} from "./flow-call.js";
import { mergeInputs } from "./merge-inputs.js";
import { mergeOutputs } from "./merge-outputs.js";
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
    if (trace instanceof Tracer) trace.warn(SPECIALIZES);
    return pred ? trueFn(...operands) : falseFn(...operands);
  }
  checkArguments(pred, [trueFn, falseFn], operands);
  if (trace instanceof Tracer) return traceCond(trace, pred, [trueFn, falseFn], operands) as Result;
  return isTrue(pred) ? trueFn(...operands) : falseFn(...operands);
}

type Branch = (...operands: never[]) => unknown;

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
  if (branches.some((branch) => typeof branch !== "function"))
    throw controlFlowArguments("Expect both branches to be callable.", "pass two functions");
  const leaves = Array.isArray(operands) ? flattenValue(operands).leaves : [operands];
  if (!Array.isArray(operands) || leaves.some((leaf) => !(leaf instanceof Tensor)))
    throw controlFlowArguments(
      `Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of tensor leaves, but got (${leaves.map((leaf) => describeValue(leaf)).join(", ")}).`,
      "pass an array of tensors; let the functions close over other values",
    );
}

function traceCond(
  parent: Tracer,
  pred: Tensor | SymBool,
  functions: readonly Branch[],
  operands: readonly unknown[],
): unknown {
  const names = new OperandNames(parent);
  const before = parent.isNested || parent.isStrict ? undefined : parent.env.clone();
  names.argument("args[0]", pred).argument("args[3]", operands);
  const traced = functions.map((branch, i) => {
    const path = `args[${i + 1}]`;
    names.closure(path, branch);
    const run = (): unknown => checkedFunction(parent, "cond", branch)(...(operands as never[]));
    return traceFunction(new BodyTracer({ parent, operator: "cond", names, path }), run, checkLeaves);
  });
  const [first, second] = traced as [TracedFunction, TracedFunction];
  if (!treeSpecEquals(first.spec, second.spec))
    throw controlFlowResults(
      "cond",
      "differing branch outputs. Expected branches to return the same pytree structure.",
      "return the same containers with the same keys from both branches",
    );
  const merged = mergeInputs(traced.map(({ tracer }) => tracer));
  const branches = traced.map(({ tracer, outputs }, i) => ({
    inputs: merged.inputs[i]!,
    nodes: tracer.nodes,
    results: outputs,
    keyOf: (node: TraceNode) => tracer.keyOf(node),
  }));
  const asked = before === undefined ? undefined : askAsDynamo(parent, branches, merged.operands);
  if (before !== undefined && asked !== undefined) parent.env.guardEarlier(before, asked.conditions);
  runOnFakes(parent, traced, true);
  const made = new Map<SymExpr, readonly string[]>();
  const place = {
    env: parent.env,
    made: (symbol: SymExpr, nodes: readonly string[]) => void made.set(symbol, nodes),
  };
  const results = first.leaves.map((leaf, i) =>
    mergeOutputs(place, branchValue(leaf), branchValue(second.leaves[i])),
  );
  const predicate = pred instanceof SymBool ? parent.scalarArgument(pred) : tensorNode(parent, pred);
  const values = parent.callGraphs({
    name: "cond",
    kind: "CondOp",
    bodies: traced.map((branch, i) => [
      i === 0 ? "true_graph" : "false_graph",
      bodyOf(branch, "tuple", merged.inputs[i]!, merged.operands),
    ]),
    argumentsOf: (graphs) => [predicate, ...graphs, { kind: "tuple", items: merged.operands }],
    results,
    exampleResults: exampleResults(parent, pred, traced),
  });
  assertBounds(parent, made, results, asked?.sizes);
  return unflattenTree(values as unknown[], first.spec);
}

/**
 * TorchDynamo asserts that sizes in which branches differ are not negative. The program knows that
 * of most of them, or asserts it itself; what it knows better, and what it knows of sizes that do
 * not differ for it, is asserted as well.
 */
function assertBounds(
  parent: Tracer,
  made: ReadonlyMap<SymExpr, readonly string[]>,
  results: readonly MetaValue[],
  sizes: readonly MergedSize[] = [],
): void {
  const asserted = new Set<SymExpr>();
  for (const { at, dim, name, least } of sizes) {
    const size = (results[at] as FakeTensor).shape[dim]!;
    if (!(size instanceof SymExpr)) continue;
    if (made.has(size) && least >= parent.env.rangeOf(size).min) continue;
    asserted.add(size);
    parent.assertLeast(size, least, name);
  }
  for (const [merged, nodes] of made)
    if (!asserted.has(merged)) for (const name of nodes) parent.names.create(name);
}

/** What the branch gives that the example inputs take, in a draft. */
function exampleResults(
  { example, env }: Tracer,
  pred: Tensor | SymBool,
  branches: readonly TracedFunction[],
): (Tensor | undefined)[] | undefined {
  if (example === undefined) return undefined;
  const value = pred instanceof SymBool ? env.observed(pred.expr) : example.valueOf(knownOf(pred));
  if (value === undefined) return undefined;
  const leaves = branches[withTrace(undefined, () => isTrue(value)) ? 0 : 1]!.leaves;
  return leaves.map((leaf) => (leaf instanceof TracedTensor ? example.valueOf(leaf.fake) : undefined));
}

/** What is known of a leaf of a branch's result. */
const branchValue = (leaf: unknown): MetaValue =>
  leaf instanceof TracedTensor ? leaf.fake : { kind: "constant", value: leaf as number };

function checkLeaves(leaves: readonly unknown[]): void {
  for (const leaf of leaves) checkLeaf(leaf);
}

function checkLeaf(leaf: unknown): void {
  if (leaf instanceof Tensor || Number.isInteger(leaf) || typeof leaf === "boolean") return;
  const message =
    typeof leaf === "object" && leaf !== null
      ? "unsupported branch return type. Expected branches to return a possibly nested pytree of tensors or constant ints."
      : "unsupported branch return type (constant non-int). Constants returned from branches must be ints.";
  throw controlFlowResults("cond", `${message} Got ${describeValue(leaf)}`, "return tensors or ints");
}
