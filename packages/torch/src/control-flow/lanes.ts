/** @file Calls that compute one item of a batch, as `torch.vmap` records them. */
import type { Argument, FakeTensor, MetaValue } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { atLaneLevel, laneLevel } from "../trace/lane-levels.js";
import type { Size } from "../trace/sym-int.js";
import type { Tracer } from "../trace/tracer.js";
import { knownOf, sameFacts, stackedItems } from "./flow-call.js";

/** A batch whose items are computed. */
export interface Lanes {
  /** Counts the open batches, this one included. */
  readonly level: number;
  /** An item of a tensor along a dimension; `fake` is what is known of it. */
  readonly item: (batch: Tensor, dim: number, fake: FakeTensor) => Tensor;
}

type Operand = Tensor | Size | Argument;

/** Records the call with which PyTorch's `vmap` begins. */
export function recordLoading(trace: Tracer): void {
  const name = "lazy_load_decompositions";
  trace.callFunction(`torch._functorch.predispatch.${name}`, [], null, name);
}

/**
 * Records a region in which `run` computes one item of each result; gives the results of all
 * items, along a new first dimension.
 *
 * @param count how many items there are
 * @param finish is called with each result behind the call that stacks it
 * @param isLoaded whether {@link recordLoading} was called before
 */
export function recordLanes(
  trace: Tracer,
  count: Size,
  run: (lanes: Lanes) => readonly Tensor[],
  finish: (result: Tensor, level: number) => void = () => {},
  isLoaded = false,
): Tensor[] {
  const level = laneLevel(trace) + 1;
  const call = (name: string, args: readonly Operand[], val: MetaValue): unknown =>
    trace.callFunction(`torch._functorch.predispatch.${name}`, args, val, name);
  if (!isLoaded) recordLoading(trace);
  call("_vmap_increment_nesting", [count, "error"], null);
  const item: Lanes["item"] = (batch, dim, fake) =>
    call("_add_batch_dim", [batch, dim, level], fake) as Tensor;
  const results = atLaneLevel(trace, level, () => run({ level, item }));
  const size = typeof count === "number" ? count : count.expr;
  const stacked = results.map((result) => {
    const all = call(
      "_remove_batch_dim",
      [result, level, count, 0],
      sameFacts(stackedItems(knownOf(result), size)),
    );
    finish(result, level);
    return all as Tensor;
  });
  call("_vmap_decrement_nesting", [], null);
  return stacked;
}
