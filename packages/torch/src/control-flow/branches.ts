/** @file Calls that choose one of several functions, which become graphs of the program. */
import { describeValue } from "@sconce/errors";
import { type FakeTensor, flattenValue, type MetaValue, treeSpecEquals, unflattenTree } from "@sconce/ir";
import { SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import type { TraceArgument, TraceNode } from "../trace/trace-node.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import type { Tracer } from "../trace/tracer.js";
import { BodyTracer } from "./body-tracer.js";
import { askAsDynamo, type MergedSize } from "./dynamo-guards.js";
import { DynamoSymbols } from "./dynamo-symbols.js";
import { controlFlowArguments, controlFlowResults } from "./errors.js";
import { runOnFakes } from "./fake-runs.js";
import { bodyOf, checkedFunction, type TracedFunction, traceFunction } from "./flow-call.js";
import { InputSizes } from "./input-sizes.js";
import { mergeInputs } from "./merge-inputs.js";
import { mergeOutputs } from "./merge-outputs.js";
import type { OperandNames } from "./operand-names.js";

/** A function that a call may choose. */
export type Branch = (...operands: never[]) => unknown;

/** A call that chooses one of several functions. */
export interface Choice {
  /** The operator, without its namespace. */
  readonly operator: "cond" | "switch";
  /** PyTorch's class of it. */
  readonly kind: string;
  readonly functions: readonly Branch[];
  /** The names of the functions' graphs, without a number. */
  readonly prefixes: readonly string[];
  /** The ways from the arguments of the operator to its functions. */
  readonly paths: readonly string[];
  readonly names: OperandNames;
  readonly operands: readonly unknown[];
  /** Returns the arguments of the call. */
  argumentsOf(graphs: readonly TraceArgument[], operands: TraceArgument): readonly TraceArgument[];
  /** Returns which function the example inputs choose, in a draft. */
  chosen(): number | undefined;
}

/** Refuses operands that are not an array of tensors. */
export function checkOperands(operands: unknown): void {
  const leaves = Array.isArray(operands) ? flattenValue(operands).leaves : [operands];
  if (!Array.isArray(operands) || leaves.some((leaf) => !(leaf instanceof Tensor)))
    throw controlFlowArguments(
      `Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of tensor leaves, but got (${leaves.map((leaf) => describeValue(leaf)).join(", ")}).`,
      "pass an array of tensors; let the functions close over other values",
    );
}

/**
 * Returns what TorchDynamo has made where a call is traced: sizes of operands have its symbols
 * first.
 */
function dynamoOf(parent: Tracer, operands: readonly unknown[]): DynamoSymbols {
  if (parent instanceof BodyTracer) return parent.dynamo;
  const dynamo = new DynamoSymbols();
  for (const leaf of flattenValue(operands).leaves)
    if (leaf instanceof TracedTensor) dynamo.countInput(leaf.fake);
  return dynamo;
}

/** Records the call, and returns its results in the containers that the functions return. */
export function traceChoice(parent: Tracer, choice: Choice): unknown {
  const { operator, functions, names, operands, paths } = choice;
  const sizes = new InputSizes(parent);
  const dynamo = dynamoOf(parent, operands);
  const traced = functions.map((branch, i) => {
    const path = paths[i]!;
    names.closure(path, branch);
    const run = (): unknown => checkedFunction(parent, operator, branch)(...(operands as never[]));
    const tracer = new BodyTracer({ parent, operator, names, path, dynamo });
    return traceFunction(tracer, run, checkLeaves(operator));
  });
  const first = traced[0]!;
  if (traced.some(({ spec }) => !treeSpecEquals(first.spec, spec)))
    throw controlFlowResults(
      operator,
      "differing branch outputs. Expected branches to return the same pytree structure.",
      `return the same containers with the same keys from ${operator === "cond" ? "both" : "all"} branches`,
    );
  const merged = mergeInputs(traced.map(({ tracer }) => tracer));
  const branches = traced.map(({ tracer, outputs }, i) => ({
    inputs: merged.inputs[i]!,
    nodes: tracer.nodes,
    results: outputs,
    keyOf: (node: TraceNode) => tracer.keyOf(node),
  }));
  const asked = sizes.isCompiled ? askAsDynamo(parent, operator, branches, merged.operands) : undefined;
  sizes.guard(operands, merged.tracers, asked?.conditions);
  // TorchDynamo runs nested calls too, on operands that know nothing yet.
  const reads = new Set(traced.flatMap(({ tracer }) => [...tracer.operandReads]));
  dynamo.made += runOnFakes(parent, traced, true) + reads.size;
  const made = new Map<SymExpr, readonly string[]>();
  // TorchDynamo knows the upper bounds of sizes in branches of `switch`, and asserts them.
  const place = {
    operator,
    env: parent.env,
    made: (symbol: SymExpr, nodes: readonly string[]) =>
      void made.set(symbol, operator === "cond" || nodes.includes("le") ? nodes : [...nodes, "le"]),
  };
  const results = first.leaves.map((_, i) =>
    mergeOutputs(
      place,
      traced.map(({ leaves }) => branchValue(leaves[i])),
    ),
  );
  const values = parent.callGraphs({
    name: operator,
    kind: choice.kind,
    bodies: traced.map((branch, i) => [
      choice.prefixes[i]!,
      // PyTorch calls the inputs of these graphs as the operands.
      bodyOf(branch, "tuple", merged.inputs[i]!, operator === "cond" ? merged.operands : undefined),
    ]),
    argumentsOf: (graphs) => choice.argumentsOf(graphs, { kind: "tuple", items: merged.operands }),
    results,
    exampleResults: exampleResults(parent, choice, traced),
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
    parent.assertBound(size, { kind: "ge", value: least }, name);
  }
  for (const [merged, nodes] of made)
    if (!asserted.has(merged)) for (const name of nodes) parent.names.create(name);
}

/** Returns what the branch gives that the example inputs take, in a draft. */
function exampleResults(
  { example }: Tracer,
  choice: Choice,
  branches: readonly TracedFunction[],
): (Tensor | undefined)[] | undefined {
  const chosen = example === undefined ? undefined : choice.chosen();
  if (chosen === undefined) return undefined;
  const { leaves } = branches[chosen]!;
  return leaves.map((leaf) => (leaf instanceof TracedTensor ? example!.valueOf(leaf.fake) : undefined));
}

/** Returns what is known of a leaf of a branch's result. */
const branchValue = (leaf: unknown): MetaValue =>
  leaf instanceof TracedTensor
    ? leaf.fake
    : leaf === null
      ? null
      : { kind: "constant", value: leaf as number };

const checkLeaves =
  (operator: Choice["operator"]) =>
  (leaves: readonly unknown[]): void => {
    for (const leaf of leaves) if (leaf !== null || operator === "cond") checkLeaf(operator, leaf);
  };

function checkLeaf(operator: Choice["operator"], leaf: unknown): void {
  if (leaf instanceof Tensor || Number.isInteger(leaf) || typeof leaf === "boolean") return;
  const ints = operator === "cond" ? "constant ints" : "constant int/None leaves";
  const message =
    typeof leaf === "object" && leaf !== null
      ? `unsupported branch return type. Expected branches to return a possibly nested pytree of tensors or ${ints}.`
      : "unsupported branch return type (constant non-int). Constants returned from branches must be ints.";
  throw controlFlowResults(operator, `${message} Got ${describeValue(leaf)}`, "return tensors or ints");
}
