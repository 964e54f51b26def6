/** @file Higher-order operators that hold code of other systems: what they hold, and what helps. */
import { kindOf, type Node, type OperatorLiteral } from "@sconce/ir";

const RNG = "it sets the state of a generator of PyTorch. Export the forward program without its gradients";
const TRITON =
  "it calls a Triton kernel, which is Python code for GPUs. Export the model with operators of PyTorch in its place";
const DELEGATE = "it holds a program of another runtime. Export the program before it is given to a delegate";
const COMPILED = "it calls what torch.compile made. Export the model without torch.compile";
const GRADIENT =
  "it holds Python functions for a gradient. Call `run_decompositions()` in PyTorch before you save the program";

/** Why Sconce runs no call of an operator, and what to do, by target. */
export const REFUSED_HIGHER_ORDER: ReadonlyMap<string, string> = new Map(
  Object.entries({
    aoti_call_delegate: DELEGATE,
    executorch_call_delegate: DELEGATE,
    autograd_function_apply: GRADIENT,
    custom_function_call: GRADIENT,
    call_torchbind:
      "it calls a method of a C++ object. Write its result as an operator with a kernel (`library.customOp`)",
    dynamo_bypassing_wrapper: COMPILED,
    inductor_compiled_code: COMPILED,
    invoke_leaf_function:
      "it calls a Python function that is not traced. Export the model without `leaf_function`",
    inline_asm_elementwise:
      "it holds assembler text for GPUs. Export the model with operators of PyTorch in its place",
    flex_attention_backward: "it is the gradient of `flex_attention`. Export the forward program",
    flex_gemm: "it is a kernel template of Inductor. Export the model with a matrix product and its epilogue",
    graphsafe_run_with_rng_state: RNG,
    run_and_save_rng_state: RNG,
    run_dtensor_rng_op: RNG,
    run_with_rng_state: RNG,
    triton_kernel_wrapper_functional: TRITON,
    triton_kernel_wrapper_mutation: TRITON,
  }).map(([name, reason]) => [`higher_order.${name}`, reason] as const),
);

/**
 * Returns why a call cannot run: its operator, or the operator that it calls, holds code of another
 * system. Undefined for others.
 */
export function whyNotRun({ target, args }: Pick<Node, "target" | "args">): string | undefined {
  const inner = target.startsWith("higher_order.")
    ? args.slice(0, 2).find((arg) => kindOf(arg) === "operator")
    : undefined;
  for (const name of [target, (inner as OperatorLiteral | undefined)?.target]) {
    const reason = name === undefined ? undefined : REFUSED_HIGHER_ORDER.get(name);
    if (reason !== undefined) return `Sconce does not run ${name}: ${reason}`;
  }
  return undefined;
}
