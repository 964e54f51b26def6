import { describeValue, type SconceError } from "@sconce/errors";
import { FakeTensor, flattenValue, type MetaValue, symInt, unflattenTree } from "@sconce/ir";
import { printExpr, type SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { torchSize } from "../torch-size.js";
import { callOperator, currentTrace } from "../trace/dispatch.js";
import { SymBool, SymInt } from "../trace/sym-int.js";
import type { TraceArgument } from "../trace/trace-node.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { Tracer } from "../trace/tracer.js";
import { runAtOnceChecked } from "./at-once.js";
import { BodyTracer } from "./body-tracer.js";
import { controlFlowArguments, controlFlowResults } from "./errors.js";
import { runOnFakes } from "./fake-runs.js";
import {
  bodyOf,
  checkedFunction,
  childName,
  type FlowFunction,
  isTrue,
  knownOf,
  requireFunctions,
  requireSameFacts,
  requiresGrad,
  sameFacts,
  tensorNode,
  traceFunction,
} from "./flow-call.js";
import { InputSizes } from "./input-sizes.js";
import { mergeInputs } from "./merge-inputs.js";
import { OperandNames } from "./operand-names.js";

const isArray = (value: unknown): boolean => Array.isArray(value);

/** Returns whether a value may be carried from round to round. */
const isCarried = (leaf: unknown): leaf is Tensor | SymInt | number =>
  leaf instanceof Tensor || leaf instanceof SymInt || Number.isInteger(leaf);

/**
 * Runs a function on its own results as long as a condition holds
 * (`torch._higher_order_ops.while_loop`). Both functions become graphs of the program.
 *
 * @param condFn gives a tensor of one boolean, or a condition on sizes
 * @param bodyFn gives new values for what is carried: tensors of the same sizes and dtypes
 * @param carried tensors and integers, in containers at will. Integers are not known in the loop.
 * @throws SconceError `CONTROL_FLOW_ARGUMENTS`, `CONTROL_FLOW_RESULTS`, `CONTROL_FLOW_MUTATION`,
 *   `CONTROL_FLOW_ALIASING`, `CONTROL_FLOW_SIDE_EFFECT`
 * @example whileLoop((i) => i.lt(5), (i, x) => [i.add(1), x.mul(2)], [torch.tensor(0), x]);
 */
export function whileLoop<
  Given extends readonly unknown[],
  Condition extends (...carried: LoopValues<Given>) => unknown,
  Body extends (...carried: LoopValues<Given>) => unknown,
>(condFn: Condition, bodyFn: Body, carried: readonly [...Given]): LoopResults<Given> {
  return runLoop(condFn, bodyFn, carried) as unknown as LoopResults<Given>;
}

/**
 * What the functions of a loop take: an integer may be declared as `SymInt`, which it is while a
 * program is traced, as a number, or as both.
 */
type LoopValues<Given extends readonly unknown[]> = {
  [Index in keyof Given]: Given[Index] extends number | SymInt ? number & SymInt : Given[Index];
};

/** What a loop gives: an integer is a number, and a `SymInt` while a program is traced. */
type LoopResults<Given extends readonly unknown[]> = {
  -readonly [Index in keyof Given]: Given[Index] extends number ? number | SymInt : Given[Index];
};

type Step<Carried extends readonly unknown[]> = (...values: Carried) => unknown;

function runLoop<Carried extends readonly unknown[]>(
  condFn: (...carried: never) => unknown,
  bodyFn: (...carried: never) => unknown,
  carried: Carried,
): Carried {
  requireFunctions("cond_fn and body_fn", [condFn, bodyFn]);
  const { leaves, spec } = flattenValue(carried);
  if (!isArray(carried)) throw wrongCarry(describeValue(carried));
  if (!leaves.every(isCarried)) {
    const wrong = leaves.filter((leaf) => !isCarried(leaf));
    throw wrongCarry(wrong.map((leaf) => describeValue(leaf)).join(", "));
  }
  const trace = currentTrace();
  const run = (fn: (...values: never) => unknown): Run => {
    const checked = checkedFunction(trace, "while_loop", fn as Step<Carried>);
    return (values) => checked(...(unflattenTree(values, spec) as unknown as Carried));
  };
  if (trace instanceof Tracer) {
    const results = traceLoop(trace, [condFn, bodyFn], [run(condFn), run(bodyFn)], leaves);
    return unflattenTree(results as unknown[], spec) as Carried;
  }
  return runAtOnceChecked(
    [carried] as const,
    ([given]) => runLoop(condFn, bodyFn, given),
    () => loopAtOnce(condFn as Step<Carried>, bodyFn as Step<Carried>, carried),
  );
}

function loopAtOnce<Carried extends readonly unknown[]>(
  cond: Step<Carried>,
  body: Step<Carried>,
  carried: Carried,
): Carried {
  const { leaves, spec } = flattenValue(carried);
  let state = carried;
  while (isTrue(cond(...state))) {
    const next = flattenValue(body(...state)).leaves;
    requireSameFacts("while_loop", NAMES, next, leaves);
    // Leaves are matched by their order, whatever containers the body gives.
    state = unflattenTree(next, spec) as Carried;
  }
  return state === carried ? (unflattenTree(leaves.map(copied), spec) as Carried) : state;
}

/** A loop without rounds gives copies, as PyTorch's does. */
const copied = (leaf: unknown): unknown =>
  leaf instanceof Tensor ? callOperator("aten.clone.default", [leaf]) : leaf;

const wrongCarry = (given: string): SconceError =>
  controlFlowArguments(
    `Expect carried_inputs to be a tuple of possibly nested dict/list/tuple that only consists of tensor or int leaves, but got ${given}.`,
    "pass an array of tensors and integers; carry other numbers and booleans as tensors, `torch.tensor(0.5)`",
  );

const NAMES = ["body_fn_output", "carried_inputs"] as const;

type Run = (values: readonly unknown[]) => unknown;

function traceLoop(
  parent: Tracer,
  functions: readonly FlowFunction[],
  [condition, body]: readonly [Run, Run],
  leaves: readonly (Tensor | SymInt | number)[],
): readonly unknown[] {
  const carried = leaves.map((leaf): TraceArgument => {
    if (leaf instanceof Tensor) return tensorNode(parent, leaf);
    return leaf instanceof SymInt ? parent.scalarArgument(leaf) : leaf;
  });
  // An integer changes from round to round: the graphs share a symbol for it.
  const inside = leaves.map((leaf) =>
    leaf instanceof Tensor ? knownOf(leaf) : parent.env.freshUnbackedInt(),
  );
  const sizes = new InputSizes(parent);
  const begin = beginner(parent, functions, leaves, inside);
  const first = begin(0);
  let decided: boolean | undefined;
  const traced = traceFunction(
    first.tracer,
    () => condition(first.values),
    (results) => {
      decided = checkCondition(results);
    },
  );
  if (decided === false) return leaves;
  const second = begin(1);
  const step = traceFunction(
    second.tracer,
    () => body(second.values),
    (results) => {
      requireSameFacts("while_loop", NAMES, results, second.values);
      requireIntegers(results);
    },
  );
  sizes.guard(leaves, [first.tracer, second.tracer]);
  const merged = mergeInputs([first.tracer, second.tracer]);
  if (parent.gradEnabled && [...inside, ...merged.operands.map(({ val }) => val)].some(requiresGrad))
    countRounds(second.tracer, leaves);
  runOnFakes(parent, [step]);
  return parent.callGraphs({
    name: "while_loop",
    kind: "WhileLoopOp",
    bodies: [
      ["while_loop_cond_graph_", bodyOf(traced, "value", [...first.tracer.ownInputs, ...merged.inputs[0]!])],
      ["while_loop_body_graph_", bodyOf(step, "tuple", [...second.tracer.ownInputs, ...merged.inputs[1]!])],
    ],
    argumentsOf: (graphs) => [
      ...graphs,
      { kind: "tuple", items: carried },
      { kind: "tuple", items: merged.operands },
    ],
    results: inside.map(
      (val): MetaValue =>
        val instanceof FakeTensor ? sameFacts(val) : symInt(parent.env.freshUnbackedInt()),
    ),
  });
}

/**
 * Where gradients are recorded, PyTorch collects what each round carries: a symbol represents the
 * number of rounds, and ranges of the program have it.
 */
function countRounds(tracer: BodyTracer, leaves: readonly unknown[]): void {
  if (leaves.some((leaf) => !(leaf instanceof Tensor)))
    throw controlFlowArguments(
      "all carried_inputs must be tensors where torch.while_loop records gradients, and an integer is carried",
      "carry `torch.tensor(0)` in place of the integer, or call `torch.whileLoop` in `torch.noGrad`",
    );
  const { env } = tracer;
  const rounds = env.freshUnbackedInt();
  env.setRange(rounds, { min: 1, max: Infinity });
  tracer.innerSymbols.add(printExpr(rounds));
}

/** Refuses a result of the body that is neither a tensor nor an integer. */
function requireIntegers(results: readonly unknown[]): void {
  const wrong = results.findIndex((leaf) => !isCarried(leaf));
  if (wrong !== -1)
    throw controlFlowResults(
      "while_loop",
      `the body gives ${describeValue(results[wrong])} for carried_inputs[${wrong}], which is an integer`,
      "return an integer where an integer is carried; carry other numbers and booleans as tensors",
    );
}

/** Begins the graph of one of the functions; its inputs are new tensors and the shared symbols. */
function beginner(
  parent: Tracer,
  functions: readonly FlowFunction[],
  leaves: readonly unknown[],
  inside: readonly (FakeTensor | SymExpr)[],
): (index: number) => { readonly tracer: BodyTracer; readonly values: readonly unknown[] } {
  const names = new OperandNames(parent);
  names.argument("args[2]", leaves);
  return (index) => {
    const path = `args[${index}]`;
    names.closure(path, functions[index]);
    const tracer = new BodyTracer({ parent, operator: "while_loop", names, path });
    const tensors = inside.filter((val) => val instanceof FakeTensor).length;
    let next = index * tensors;
    const values = inside.map((val) =>
      val instanceof FakeTensor
        ? tracer.tensorInput(new FakeTensor(val), childName(next++))
        : tracer.intInput(val),
    );
    return { tracer, values };
  };
}

/** Returns the value of a condition that is the same in each round. */
function checkCondition(results: readonly unknown[]): boolean | undefined {
  const [result] = results;
  const fix = "return a tensor of one boolean, such as `i.lt(5)`";
  if (results.length === 1 && result instanceof TracedTensor) {
    if (result.fake.dtype === "bool" && result.fake.ndim === 0) return undefined;
    throw controlFlowResults(
      "while_loop",
      `unsupported cond_fn return type. Expected cond_fn to return a scalar tensor or a bool but got ${torchSize(result.fake.shape)} of ${result.fake.dtype}.`,
      fix,
    );
  }
  if (result instanceof SymBool) return undefined;
  if (results.length !== 1 || !(typeof result === "boolean" || typeof result === "number"))
    throw controlFlowResults(
      "while_loop",
      `unsupported cond_fn return type. Expected cond_fn to return a scalar tensor or a bool but got ${results.map((leaf) => describeValue(leaf)).join(", ")}.`,
      fix,
    );
  if (result)
    throw controlFlowResults(
      "while_loop",
      `infinite loop detected. Infinite loop detected because while_loop's cond_fn always returns the same value ${String(result)}.`,
      "let the condition depend on what is carried",
    );
  return false;
}
