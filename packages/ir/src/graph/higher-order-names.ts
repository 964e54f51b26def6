/** @file The higher-order operators of PyTorch 2.14, by `torch._ops._higher_order_ops`. */

/** Targets of PyTorch's higher-order operators. */
export const HIGHER_ORDER_TARGETS: ReadonlySet<string> = new Set(
  (
    "_export_tracepoint aoti_call_delegate associative_scan auto_functionalized auto_functionalized_v2 " +
    "autograd_function_apply call_torchbind cond custom_function_call dynamo_bypassing_wrapper " +
    "executorch_call_delegate flat_apply flex_attention flex_attention_backward flex_gemm foreach_map " +
    "graphsafe_run_with_rng_state hints_wrapper inductor_compiled_code inline_asm_elementwise " +
    "invoke_leaf_function invoke_quant invoke_quant_packed invoke_subgraph local_map_hop map_impl out_dtype " +
    "print run_and_save_rng_state run_const_graph run_dtensor_rng_op run_with_rng_state scan strict_mode switch " +
    "tag_activation_checkpoint triton_kernel_wrapper_functional triton_kernel_wrapper_mutation while_loop " +
    "while_loop_stack_output with_effects wrap wrap_activation_checkpoint wrap_with_autocast " +
    "wrap_with_set_grad_enabled"
  )
    .split(" ")
    .map((name) => `higher_order.${name}`),
);
