/** @file The operator that marks an edge to be quantized. */
import { defineOp } from "@sconce/ops";

/** The target of marked edges. */
export const OBSERVE = "quantization.observe.default";

/**
 * Gives its input. `group` names the edges that share parameters, `spec` is a `QuantizationSpec` as
 * JSON, `low` and `high` are the range that calibration found; `low > high` before.
 */
export const observe = defineOp({
  schema: "quantization::observe(Tensor input, str group, str spec, float low, float high) -> Tensor",
  meta: ({ input }) => input,
  decompose: (emit, { input }) => emit("aten.alias.default", [input]),
});
