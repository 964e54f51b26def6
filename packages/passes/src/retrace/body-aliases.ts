/**
 * @file Memory that graphs of control flow share with their inputs, as PyTorch looks for it before
 * it lowers a call (`_check_alias_and_mutation` in `torch/_higher_order_ops/utils.py`).
 */
import { isTuple, type Node } from "@sconce/ir";
import type { EmitArg } from "@sconce/ops";
import { type FunctionalStorage, FunctionalTensor } from "../functionalize/functional-tensor.js";
import { aliasingBody } from "./errors.js";

/** How PyTorch calls the graphs of a call, and which arguments they are given as they are. */
interface Checked {
  /** The name of a graph, by its number among those of the call. */
  readonly nameOf: (at: number) => string;
  /** Lists of operands; what a loop goes over is copied row by row. */
  readonly whole: readonly number[];
}

const named = (names: readonly string[], whole: readonly number[]): Checked => ({
  nameOf: (at) => names[at] ?? names[0]!,
  whole,
});
const LOOP = named(["cond_fn", "body_fn"], [2, 3]);

/** Others are lowered without a look: PyTorch relies on who made their graphs. */
const CHECKED: Readonly<Record<string, Checked>> = {
  "higher_order.cond": named(["cond_true", "cond_false"], [3]),
  "higher_order.switch": { nameOf: (at) => `switch_branch${at}`, whole: [2] },
  "higher_order.map_impl": named(["map"], [2]),
  "higher_order.while_loop": LOOP,
  "higher_order.while_loop_stack_output": LOOP,
  "higher_order.scan": named(["scan"], [1, 3]),
  "higher_order.associative_scan": named(["associative_scan"], [2]),
  "higher_order.hints_wrapper": named(["hints_wrapper"], [1]),
};

/** A graph of a call, and what it was traced with. */
interface TracedBody {
  /** Its number among the graphs of the call. */
  readonly at: number;
  readonly inputs: readonly EmitArg[];
  readonly results: EmitArg;
}

/**
 * Refuses a graph whose inputs and results share memory: lowering makes separate values of them.
 *
 * @param args those of the call
 * @throws SconceError `CONTROL_FLOW_ALIASING`
 */
export function refuseAliases(node: Node, args: readonly EmitArg[], body: TracedBody): void {
  const checked = CHECKED[node.target];
  if (checked === undefined) return;
  const refuse = (shared: string): never => {
    throw aliasingBody(node, checked.nameOf(body.at), shared);
  };
  const given = checked.whole.flatMap((at) => storagesOf(args[at]));
  if (new Set(given).size < given.length) refuse("Two of its inputs share memory.");
  const inputs = new Set(body.inputs.flatMap(storagesOf));
  const results = storagesOf(body.results);
  if (results.some((storage) => inputs.has(storage)))
    refuse("One of its results is an input, or a view of one.");
  if (new Set(results).size < results.length) refuse("Two of its results share memory.");
}

function storagesOf(value: EmitArg | undefined): readonly FunctionalStorage[] {
  if (value instanceof FunctionalTensor) return [value.storage];
  const items = isTuple(value) ? value.items : value;
  return Array.isArray(items) ? (items as readonly EmitArg[]).flatMap(storagesOf) : [];
}
