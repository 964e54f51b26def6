/** @file Higher-order operators: those whose arguments are graphs or operators. */
import { flexAttention } from "./flex-attention.js";
import { autoFunctionalized, autoFunctionalizedV2 } from "./functionalized.js";
import type { HigherOrder } from "./higher-order-call.js";
import {
  associativeScan,
  cond,
  mapImpl,
  scan,
  switchBranches,
  whileLoop,
  whileLoopStackOutput,
} from "./loops.js";
import { flatApply, outDtype, printed, tracepoint, withEffects } from "./operator-calls.js";
import { listed, region, wrapWithAutocast } from "./regions.js";

/** Higher-order operators by target. */
export const HIGHER_ORDER: ReadonlyMap<string, HigherOrder> = new Map([
  ["higher_order.cond", cond],
  ["higher_order.switch", switchBranches],
  ["higher_order.map_impl", mapImpl],
  ["higher_order.while_loop", whileLoop],
  ["higher_order.while_loop_stack_output", whileLoopStackOutput],
  ["higher_order.scan", scan],
  ["higher_order.associative_scan", associativeScan],
  ["higher_order.flex_attention", flexAttention],
  ["higher_order.wrap", region(0)],
  ["higher_order.wrap_with_set_grad_enabled", region(1)],
  ["higher_order.wrap_with_autocast", wrapWithAutocast],
  ["higher_order.wrap_activation_checkpoint", region(0)],
  ["higher_order.tag_activation_checkpoint", region(0)],
  ["higher_order.foreach_map", region(0)],
  ["higher_order.invoke_quant", region(0)],
  ["higher_order.invoke_quant_packed", region(0)],
  ["higher_order.local_map_hop", region(0)],
  ["higher_order.invoke_subgraph", region(0, 2)],
  ["higher_order.strict_mode", listed],
  ["higher_order.hints_wrapper", listed],
  ["higher_order.run_const_graph", listed],
  ["higher_order.with_effects", withEffects],
  ["higher_order.auto_functionalized", autoFunctionalized],
  ["higher_order.auto_functionalized_v2", autoFunctionalizedV2],
  ["higher_order.out_dtype", outDtype],
  ["higher_order.flat_apply", flatApply],
  ["higher_order.print", printed],
  ["higher_order._export_tracepoint", tracepoint],
]);
