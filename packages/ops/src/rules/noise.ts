/** @file What dropout multiplies by. */
import type { FakeTensor } from "@sconce/ir";
import type { Emit } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";

/** Returns what plain dropout multiplies by. */
export function plainNoise(emit: Emit, input: FakeTensor, p: number, feature = false): FakeTensor {
  if (p === 1) {
    const { dtype, layout, device } = input;
    return emit("aten.zeros.default", [[]], { dtype, layout, device });
  }
  return emit("aten.div.Scalar", [drawnNoise(emit, input, p, feature), 1 - p]);
}

export const drawnNoise = (emit: Emit, input: FakeTensor, p: number, feature: boolean): FakeTensor =>
  emit("aten.bernoulli.p", [
    feature ? channelNoise(emit, input) : emit("aten.empty_like.default", [input]),
    1 - p,
  ]);

function channelNoise(emit: Emit, input: FakeTensor): FakeTensor {
  if (input.ndim < 2) throw invalidArgument("Feature dropout requires at least 2 dimensions in the input");
  return emit("aten.new_empty.default", [input, input.shape.map((size, d) => (d < 2 ? size : 1))]);
}
