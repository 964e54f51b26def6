/** @file Higher-order operators that call another operator: what they ask of their calls. */

import type { OperatorLookup, OpSchema } from "../graph/operator.js";
import { type DTypeLiteral, isInt, itemsOf, kindOf } from "../values/argument.js";
import { FakeTensor } from "../values/meta.js";
import { valueText } from "./agreement.js";
import type { HigherOrderCall, HigherOrderRule } from "./higher-order-call.js";

const returnsOf = (operators: OperatorLookup | undefined, target: string): number | undefined =>
  operators?.schemaOf(target)?.returns.length;

function operatorAt(call: HigherOrderCall, at: number): string | undefined {
  const value = call.node.args[at];
  if (kindOf(value) === "operator") return (value as { readonly target: string }).target;
  call.refuse(`argument ${at} is not an operator`, "give the operator to call, op(ns.name.overload)");
  return undefined;
}

/**
 * Returns the operator that an argument names, when its schema is known; reported when it names
 * none.
 */
function schemaAt(
  call: HigherOrderCall,
  at: number,
  operators: OperatorLookup | undefined,
): OpSchema | undefined {
  const target = operatorAt(call, at);
  return target === undefined ? undefined : operators?.schemaOf(target);
}

const autoFunctionalizedV2: HigherOrderRule = (call, operators) => {
  if (!call.arity(1, 1)) return;
  const target = operatorAt(call, 0);
  const { kwargs, meta } = call.node;
  const bases = itemsOf(kwargs["_all_bases"] ?? null);
  if (bases === undefined) {
    call.refuse("_all_bases is missing", "give the tensors that the operator writes to as _all_bases");
    return;
  }
  for (const [key, index] of Object.entries(kwargs)) {
    if (!key.endsWith("_base_index") || index === null) continue;
    if (isInt(index) && Number(index) >= 0 && Number(index) < bases.length) continue;
    call.refuse(
      `${key} is not an index of the ${bases.length} tensors in _all_bases`,
      "give an index in range",
    );
  }
  const returns = target === undefined ? undefined : returnsOf(operators, target);
  if (returns === undefined || !Array.isArray(meta.val)) return;
  const wanted = Math.max(1, returns) + bases.length;
  if (meta.val.length !== wanted)
    call.results(
      Array.from({ length: wanted }, () => undefined),
      `${target} with ${bases.length} bases`,
    );
};

const withEffects: HigherOrderRule = (call, operators) => {
  if (!call.arity(2, Infinity)) return;
  const target = operatorAt(call, 1);
  const token = call.value(call.node.args[0]!);
  if (token !== undefined && token !== null && !(token instanceof FakeTensor))
    call.refuse(`the token is ${valueText(token)}, not a tensor`, "pass the token of the effect before");
  const returns = target === undefined ? undefined : returnsOf(operators, target);
  if (returns === undefined) return;
  call.results(
    Array.from({ length: 1 + Math.max(1, returns) }, () => undefined),
    `${target} with a token`,
  );
};

const unknownResults = (count: number): undefined[] => Array.from({ length: count }, () => undefined);

/**
 * The first version: the results of the operator, then the new values of the arguments that it
 * writes to.
 */
const autoFunctionalized: HigherOrderRule = (call, operators) => {
  if (!call.arity(1, 1)) return;
  const schema = schemaAt(call, 0, operators);
  if (schema === undefined || !call.keywords(...schema.args.map(({ name }) => name))) return;
  const written = schema.args.filter(({ alias }) => alias?.write === true);
  if (written.length === 0) {
    call.refuse(`${schema.target} writes to none of its arguments`, "call the operator itself");
    return;
  }
  if (!Array.isArray(call.node.meta.val)) return;
  call.results(unknownResults(Math.max(1, schema.returns.length) + written.length), schema.target);
};

/** `out_dtype(op, dtype, *args)`: one tensor of that dtype. */
const outDtype: HigherOrderRule = (call, operators) => {
  if (!call.arity(2, Infinity) || !call.keywords()) return;
  const schema = schemaAt(call, 0, operators);
  const dtype = call.node.args[1];
  if (kindOf(dtype) !== "dtype") {
    call.refuse("argument 1 is not a dtype", "give the dtype of the result");
    return;
  }
  const problem = schema && whyNotOutDtype(schema);
  if (problem !== undefined) call.refuse(problem, "give a functional operator with one tensor as result");
  const { val } = call.node.meta;
  const wanted = (dtype as DTypeLiteral).dtype;
  if (val !== undefined && !(val instanceof FakeTensor && val.dtype === wanted))
    call.differ(`the call records ${valueText(val)}, and its output dtype is ${wanted}`, "record the dtype");
};

function whyNotOutDtype({ target, isMutable, returns }: OpSchema): string | undefined {
  if (isMutable) return `${target} is not functional`;
  return returns.length === 1 && returns[0]!.type.base === "Tensor" && !returns[0]!.type.list
    ? undefined
    : `${target} does not return a single tensor`;
}

/**
 * Returns the rule of an operator that draws random numbers: from a given state, or with the state
 * that it starts from as first result.
 */
const withRngState =
  (at: number, saves = false): HigherOrderRule =>
  (call) => {
    if (!call.arity(at + 1, Infinity)) return;
    const target = operatorAt(call, at);
    if (target !== undefined && saves) call.results(unknownResults(2), `${target} with its state`);
  };

/** A method of a custom object, by its name. */
const callTorchbind: HigherOrderRule = (call) => {
  if (!call.arity(2, Infinity)) return;
  if (typeof call.node.args[1] === "string") return;
  call.refuse(
    "argument 1 is not the name of a method",
    "give the object, the method's name and its arguments",
  );
};

const TRITON = ["kernel_idx", "constant_args_idx", "grid", "tma_descriptor_metadata", "kwargs"];

/** Returns a Triton kernel by its index, with keyword arguments only. */
const tritonKernel =
  (...more: readonly string[]): HigherOrderRule =>
  (call) => {
    if (!call.arity(0, 0) || !call.keywords(...TRITON, ...more, "launch_kwargs")) return;
    const missing = [...TRITON, ...more].find((name) => call.node.kwargs[name] === undefined);
    if (missing !== undefined) call.refuse(`${missing} is missing`, `give ${missing}`);
  };

/** Rules by target. */
export const OPERATOR_CALL_RULES: readonly (readonly [target: string, rule: HigherOrderRule])[] = [
  ["higher_order.auto_functionalized", autoFunctionalized],
  ["higher_order.auto_functionalized_v2", autoFunctionalizedV2],
  ["higher_order.with_effects", withEffects],
  ["higher_order.out_dtype", outDtype],
  ["higher_order.run_with_rng_state", withRngState(1)],
  ["higher_order.graphsafe_run_with_rng_state", withRngState(0)],
  ["higher_order.run_and_save_rng_state", withRngState(0, true)],
  ["higher_order.call_torchbind", callTorchbind],
  ["higher_order.triton_kernel_wrapper_functional", tritonKernel("tensors_to_clone")],
  ["higher_order.triton_kernel_wrapper_mutation", tritonKernel()],
];
