/** @file Images that get another size, with sizes that a run decides, against the interpreter. */
import { cpuBackend } from "@sconce/backend-cpu";
import { parseIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const operators = defaultOperators();
const program = (call: string, shape: string) =>
  parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT range "s0" [2, 100] }
graph(%x: f32[1, 2, s0, 5]) {
  %y: f32[${shape}] = aten.upsample_${call}
  return (%y)
}`);

/**
 * By a factor of 1.2, 3 rows stay 3 and are copied, though positions by that factor would read
 * others. Given sizes may be those of the image, or double.
 */
test.each([
  ["nearest2d.vec(%x, none, [1.2, 1.0])", "1, 2, TruncToInt(1.2*ToFloat(s0)), 5"],
  ["nearest2d.vec(%x, [6, 7], none)", "1, 2, 6, 7"],
  ["bilinear2d.vec(%x, [6, 7], false, none)", "1, 2, 6, 7"],
  ["bilinear2d.vec(%x, [6, 10], true, none)", "1, 2, 6, 10"],
  ["bilinear2d.vec(%x, [1, 1], true, none)", "1, 2, 1, 1"],
])("%s", async (call, shape) => {
  const resize = program(call, shape);
  using own = await wasmBackend({ threads: 1 }).compile(resize);
  using reference = await cpuBackend({ operators }).compile(resize);
  for (const rows of [3, 6, 12, 2, 17]) {
    const data = Float32Array.from({ length: rows * 10 }, (_, i) => (i % 7 === 3 ? Infinity : Math.sin(i)));
    const x = Tensor.fromData(data, "float32", [1, 2, rows, 5]);
    const [got, want] = [await own.run([x]), await reference.run([x])] as [Tensor[], Tensor[]];
    expect(got[0]!.shape).toEqual(want[0]!.shape);
    const numbers = want[0]!.toFloat64Array();
    for (const [i, value] of got[0]!.toFloat64Array().entries()) {
      if (Number.isFinite(numbers[i])) expect(value).toBeCloseTo(numbers[i]!, 5);
      else expect(value).toBe(numbers[i]);
    }
  }
  expect(own.placement!().nodes.map(({ place }) => place)).toEqual(["device"]);
});
