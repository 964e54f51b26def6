/**
 * @file Normalizations of rows with a large mean, compared with float64: no less exact than
 * PyTorch's on the same kind of data.
 */

import { cpuBackend } from "@sconce/backend-cpu";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { gpujsBackend, type Mode } from "./index.js";

const [ROWS, WIDTH, MEAN] = [64, 768, 1e4];
/** Of PyTorch 2.14's float32 layer norm against its float64 one, on `1e4 + randn(64, 768)`. */
const PYTORCH_ERROR = 1.47e-3;

const program = parseIr(`sconce-ir 1
program "ATEN" {
  input %x: USER_INPUT
  output %l0: USER_OUTPUT
  output %g0: USER_OUTPUT
  output %b0: USER_OUTPUT
  output %var: USER_OUTPUT
}
graph(%x: f32[64, 768]) {
  %l: (f32[64, 768], f32[64, 1], f32[64, 1]) = aten.native_layer_norm.default(%x, [768], none, none, 1e-05)
  %l0: f32[64, 768] = operator.getitem(%l, 0)
  %v: f32[64, 4, 192] = aten.view.default(%x, [64, 4, 192])
  %g: (f32[64, 4, 192], f32[64, 2], f32[64, 2]) = aten.native_group_norm.default(%v, none, none, 64, 4, 192, 2, 1e-05)
  %g0: f32[64, 4, 192] = operator.getitem(%g, 0)
  %p: f32[768, 64] = aten.permute.default(%x, [1, 0])
  %b: (f32[768, 64], f32[64], f32[64]) = aten._native_batch_norm_legit.no_stats(%p, none, none, true, 0.1, 1e-05)
  %b0: f32[768, 64] = operator.getitem(%b, 0)
  %var: f32[64] = aten.var.correction(%x, [1], correction=1)
  return (%l0, %g0, %b0, %var)
}`);

/** Normal deviates around {@link MEAN}, the same each time. */
function sample(): Tensor {
  let seed = 1;
  const uniform = (): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return (seed + 1) / 0x80000000;
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  return Tensor.from(
    Array.from({ length: ROWS * WIDTH }, () => MEAN + normal()),
    [ROWS, WIDTH],
    "float32",
  );
}

/** Values normalized over runs of `width`, and the variance of each, in float64. */
function exactly(
  values: Float64Array,
  width: number,
): { readonly unit: Float64Array; readonly spread: number[] } {
  const unit = new Float64Array(values.length);
  const spread: number[] = [];
  for (let start = 0; start < values.length; start += width) {
    const row = values.subarray(start, start + width);
    const mean = row.reduce((sum, value) => sum + value, 0) / width;
    const squares = row.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    spread.push(squares / (width - 1));
    row.forEach((value, i) => {
      unit[start + i] = (value - mean) / Math.sqrt(squares / width + 1e-5);
    });
  }
  return { unit, spread };
}

const furthest = (got: Float64Array, want: Float64Array): number =>
  got.reduce((most, value, i) => Math.max(most, Math.abs(value - want[i]!)), 0);

const modes: readonly Mode[] = ["cpu", "webasm"];
const backends = [cpuBackend(), ...modes.map((mode) => gpujsBackend({ name: `${mode}-mode`, mode }))];

describe.each(backends.map((backend) => [backend.name, backend] as const))("backend %s", (_, backend) => {
  test("rows with a mean of 1e4 are normalized as exactly as by PyTorch", async () => {
    const x = sample();
    using executable = await backend.compile(program);
    const [layer, group, batch, variance] = (await executable.run([x])).map((one) =>
      (one as Tensor).toFloat64Array(),
    ) as [Float64Array, Float64Array, Float64Array, Float64Array];
    const values = x.toFloat64Array();
    const { unit, spread } = exactly(values, WIDTH);
    expect(furthest(layer, unit)).toBeLessThan(PYTORCH_ERROR);
    expect(furthest(group, exactly(values, 384).unit)).toBeLessThan(PYTORCH_ERROR);
    const transposed = batch.map((_, i) => batch[(i % WIDTH) * ROWS + Math.floor(i / WIDTH)]!);
    expect(furthest(transposed, unit)).toBeLessThan(PYTORCH_ERROR);
    for (const [row, value] of variance.entries())
      expect(Math.abs(value / spread[row]! - 1)).toBeLessThan(1e-5);
  });
});
