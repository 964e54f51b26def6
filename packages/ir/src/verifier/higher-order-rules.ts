/** @file What PyTorch's higher-order operators ask of their calls, by operator. */
import { countText } from "@sconce/errors";
import type { IntLike } from "@sconce/symbolic";
import { type Argument, itemsOf } from "../values/argument.js";
import { FakeTensor } from "../values/meta.js";
import { agree, familyOf, mayEqual, sliceOf, stackOf, valueText } from "./agreement.js";
import type { Body, HigherOrderCall, HigherOrderRule, Values } from "./higher-order-call.js";
import { OPERATOR_CALL_RULES } from "./operator-call-rules.js";

const isScalarTensor = (value: FakeTensor): boolean => value.shape.every((size) => mayEqual(size, 1));

const cond: HigherOrderRule = (call) => {
  if (!call.arity(3, 4) || !call.keywords()) return;
  const [predicate, yes, no, operands] = call.node.args;
  checkPredicate(call, predicate!);
  branches(call, [call.body(yes, "true_fn"), call.body(no, "false_fn")], operands);
};

const switchRule: HigherOrderRule = (call) => {
  if (!call.arity(2, 3) || !call.keywords()) return;
  const [, graphs, operands] = call.node.args;
  const bodies = (itemsOf(graphs!) ?? []).map((graph, i) => call.body(graph, `branch ${i}`));
  if (bodies.length === 0) call.refuse("no branches", "give a non-empty list of nested graphs");
  branches(call, bodies, operands);
};

/** PyTorch takes a bool or a tensor of a single element, of any dtype. */
function checkPredicate(call: HigherOrderCall, predicate: Argument): void {
  const value = call.value(predicate);
  if (value === undefined) return;
  const fits =
    value instanceof FakeTensor ? isScalarTensor(value) : ["bool", "other"].includes(familyOf(value));
  if (fits) return;
  call.refuse(
    `the predicate is ${valueText(value)}; Expected pred to be bool or single-element tensor`,
    "reduce the predicate to a single element, or compare it to get a bool",
  );
}

function branches(
  call: HigherOrderCall,
  bodies: readonly (Body | undefined)[],
  operands: Argument | undefined,
): void {
  const values = call.operands(operands, "operands");
  const known = bodies.filter((body) => body !== undefined);
  if (values !== undefined) for (const body of known) call.inputs(body, values);
  const outputs = known.map((body) => call.outputs(body));
  const [first, ...others] = outputs;
  if (first === undefined) return;
  let same = true;
  others.forEach((other, i) => {
    same = sameSignature(call, [known[0]!, known[i + 1]!], first, other) && same;
  });
  // One report for branches that differ: the recorded result then fits one of them at most.
  if (same) for (const [i, output] of outputs.entries()) call.results(output, known[i]!.name);
}

/** PyTorch merges sizes that differ into a new symbol; dtype and rank must agree. */
function sameSignature(
  call: HigherOrderCall,
  [a, b]: readonly [Body, Body],
  left: Values,
  right: Values,
): boolean {
  const fix = "return values of the same number, dtype and rank from all branches";
  if (left.length !== right.length) {
    call.differ(
      `${a.name} returns ${countText(left.length, "value")}, and ${b.name} returns ${right.length}`,
      fix,
    );
    return false;
  }
  let same = true;
  left.forEach((value, i) => {
    const other = right[i];
    if (agree(value, other) || isMerged(call, i, value, other)) return;
    same = false;
    call.differ(
      `${a.name} returns ${valueText(value!)} as result ${i}, and ${b.name} returns ${valueText(other!)}`,
      fix,
    );
  });
  return same;
}

/** Sizes may differ where the call records a symbol. */
function isMerged(call: HigherOrderCall, result: number, a: Values[number], b: Values[number]): boolean {
  const { val } = call.node.meta;
  const recorded = Array.isArray(val) ? (val as Values)[result] : undefined;
  if (!(a instanceof FakeTensor && b instanceof FakeTensor && recorded instanceof FakeTensor)) return false;
  return (
    a.dtype === b.dtype &&
    a.ndim === b.ndim &&
    recorded.ndim === a.ndim &&
    a.shape.every((size, d) => mayEqual(size, b.shape[d]!) || typeof recorded.shape[d] !== "number")
  );
}

/**
 * The number of iterations over the leaves; undefined, and reported, when they have no first
 * dimension in common.
 */
function iterations(call: HigherOrderCall, xs: Values, what: string): IntLike | undefined {
  let count: IntLike | undefined;
  for (const [i, value] of xs.entries()) {
    if (value === undefined) return undefined;
    const size = value instanceof FakeTensor ? value.shape[0] : undefined;
    if (size === undefined) {
      call.refuse(
        `${what} ${i} is ${valueText(value)}, not a tensor of at least one dimension`,
        `give tensors of the same first size as ${what}`,
      );
      return undefined;
    }
    if (count !== undefined && !mayEqual(count, size)) {
      call.refuse(
        `${what} 0 and ${i} have first sizes ${String(count)} and ${String(size)}`,
        `give tensors of the same first size as ${what}`,
      );
      return undefined;
    }
    count ??= size;
  }
  return count;
}

const stacked = (values: Values, size: IntLike | undefined): Values =>
  values.map((value) => (size === undefined ? undefined : stackOf(value, size)));

/** Places of operands that a graph writes to, as text. */
const WRITTEN = "mutated_arg_indices";

const mapImpl: HigherOrderRule = (call) => {
  if (!call.arity(2, 3) || !call.keywords(WRITTEN)) return;
  const [graph, leaves, rest] = call.node.args;
  const body = call.body(graph, "f");
  const xs = call.operands(leaves, "xs");
  const others = call.operands(rest, "args");
  if (xs === undefined || others === undefined) return;
  const size = iterations(call, xs, "xs");
  if (body === undefined) return;
  call.inputs(body, [...xs.map(sliceOf), ...others]);
  call.results(stacked(call.outputs(body), size), body.name);
};

/** Carried values must leave a body as they entered it. */
function carried(call: HigherOrderCall, before: Values, after: Values, { name }: Body): void {
  if (after.length < before.length) {
    call.differ(
      `${name} returns ${countText(after.length, "value")}, and ${before.length} are carried`,
      `return one value for each carried input from ${name}`,
    );
    return;
  }
  before.forEach((value, i) => {
    if (agree(value, after[i])) return;
    call.differ(
      `carried input ${i} is ${valueText(value!)}, and ${name} returns ${valueText(after[i]!)} for it`,
      "keep dtype and sizes of carried values the same in every iteration",
    );
  });
}

const whileLoop =
  (stack: boolean): HigherOrderRule =>
  (call) => {
    if (!call.arity(3, 4) || !call.keywords(WRITTEN)) return;
    const [condition, graph, carry, rest] = call.node.args;
    const test = call.body(condition, "cond_fn");
    const body = call.body(graph, "body_fn");
    const inputs = call.operands(carry, "carried_inputs");
    const others = call.operands(rest, "additional_inputs");
    if (inputs === undefined || others === undefined) return;
    const all = [...inputs, ...others];
    if (test !== undefined) {
      call.inputs(test, all);
      checkCondition(call, test);
    }
    if (body === undefined) return;
    call.inputs(body, all);
    const outputs = call.outputs(body);
    if (outputs.length > inputs.length) {
      call.differ(
        `${body.name} returns ${countText(outputs.length, "value")}, and ${inputs.length} are carried`,
        `return one value for each carried input from ${body.name}`,
      );
    } else carried(call, inputs, outputs, body);
    if (!stack && outputs.length === inputs.length) call.results(outputs, body.name);
  };

function checkCondition(call: HigherOrderCall, test: Body): void {
  const outputs = call.outputs(test);
  const [value] = outputs;
  const fits =
    outputs.length === 1 &&
    (value === undefined ||
      (value instanceof FakeTensor
        ? value.dtype === "bool" && isScalarTensor(value)
        : ["bool", "other"].includes(familyOf(value))));
  if (fits) return;
  const given = outputs.length === 1 ? valueText(value!) : `${outputs.length} values`;
  call.differ(
    `${test.name} returns ${given}, and cond_fn must return a boolean scalar tensor or a bool`,
    `return one bool from ${test.name}`,
  );
}

const scan: HigherOrderRule = (call) => {
  if (!call.arity(3, 4) || !call.keywords(WRITTEN)) return;
  const [graph, initial, leaves, rest] = call.node.args;
  const body = call.body(graph, "combine_fn");
  const init = call.operands(initial, "init");
  const xs = call.operands(leaves, "xs");
  const others = call.operands(rest, "additional_inputs");
  if (init === undefined || xs === undefined || others === undefined) return;
  const size = iterations(call, xs, "xs");
  if (body === undefined) return;
  call.inputs(body, [...init, ...xs.map(sliceOf), ...others]);
  const outputs = call.outputs(body);
  carried(call, init, outputs, body);
  call.results([...outputs.slice(0, init.length), ...stacked(outputs.slice(init.length), size)], body.name);
};

const associativeScan: HigherOrderRule = (call) => {
  if (!call.arity(2, 3) || !call.keywords(WRITTEN)) return;
  const [graph, leaves, rest] = call.node.args;
  const body = call.body(graph, "combine_fn");
  const xs = call.operands(leaves, "xs");
  const others = call.operands(rest, "additional_inputs");
  if (xs === undefined || others === undefined) return;
  const size = iterations(call, xs, "xs");
  if (body === undefined) return;
  const slices = xs.map(sliceOf);
  call.inputs(body, [...slices, ...slices, ...others]);
  const outputs = call.outputs(body);
  if (outputs.length > xs.length)
    call.differ(
      `${body.name} returns ${countText(outputs.length, "value")} for ${xs.length} scanned tensors`,
      `return one value for each scanned tensor from ${body.name}`,
    );
  else carried(call, slices, outputs, body);
  call.results(stacked(slices, size), "the scan");
};

/**
 * Returns a call that runs one graph as it is: the graph at `at`, its operands from `from` on or as
 * the list there.
 */
const region =
  (at: number, from: number, listed = false): HigherOrderRule =>
  (call) => {
    if (!call.arity(listed ? at + 1 : from, listed ? from + 2 : Infinity)) return;
    const { args } = call.node;
    const body = call.body(args[at], "the body");
    const operands = listed
      ? call.operands(args[from], "args")
      : args.slice(from).map((arg) => call.value(arg));
    if (body === undefined || operands === undefined) return;
    // Keywords of a region are operands too, whose places only the region's own signature says.
    if (Object.keys(call.node.kwargs).length === 0) call.inputs(body, operands);
    call.results(call.outputs(body), body.name);
  };

/**
 * Scores are computed by `score_mod`, and the blocks of the mask by `mask_mod`; the results are
 * like the query.
 */
const flexAttention: HigherOrderRule = (call) => {
  if (!call.arity(7, 9)) return;
  const { args } = call.node;
  for (const [i, name] of ["query", "key", "value"].entries()) {
    const value = call.value(args[i]!);
    if (value === undefined || (value instanceof FakeTensor && value.ndim === 4)) continue;
    call.refuse(`${name} is ${valueText(value)}, not a tensor of 4 dimensions`, `pass a tensor as ${name}`);
  }
  call.body(args[3], "score_mod");
  call.operands(args[4], "block_mask");
};

/** Rules by target. Other operators of PyTorch's are known by name only. */
export const HIGHER_ORDER_RULES: ReadonlyMap<string, HigherOrderRule> = new Map([
  ["higher_order.cond", cond],
  ["higher_order.switch", switchRule],
  ["higher_order.map_impl", mapImpl],
  ["higher_order.while_loop", whileLoop(false)],
  ["higher_order.while_loop_stack_output", whileLoop(true)],
  ["higher_order.scan", scan],
  ["higher_order.associative_scan", associativeScan],
  ["higher_order.wrap", region(0, 1)],
  ["higher_order.wrap_with_set_grad_enabled", region(1, 2)],
  ["higher_order.wrap_with_autocast", region(4, 5)],
  ["higher_order.invoke_subgraph", region(0, 2)],
  ["higher_order.strict_mode", region(0, 1, true)],
  ["higher_order.hints_wrapper", region(0, 1, true)],
  ["higher_order.run_const_graph", region(0, 1, true)],
  ["higher_order.tag_activation_checkpoint", region(0, 1)],
  ["higher_order.wrap_activation_checkpoint", region(0, 1)],
  ["higher_order.foreach_map", region(0, 1)],
  ["higher_order.invoke_quant", region(0, 1)],
  ["higher_order.invoke_quant_packed", region(0, 1)],
  ["higher_order.local_map_hop", region(0, 1)],
  ...OPERATOR_CALL_RULES,
  ["higher_order.flex_attention", flexAttention],
]);
