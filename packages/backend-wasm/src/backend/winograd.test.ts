import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const wave = (shape: readonly number[], step: number): Tensor => {
  const count = shape.reduce((product, size) => product * size, 1);
  return Tensor.from(
    Array.from({ length: count }, (_, i) => Math.sin(i * step)),
    shape,
    "float32",
  );
};
const program = (): ExportedProgram =>
  parseIr(
    `sconce-ir 1
program "ATEN" {
  parameter "w": f32[16, 16, 3, 3]
  input %w: PARAMETER "w"
  input %x: USER_INPUT
  output %r: USER_OUTPUT
}
graph(%w: f32[16, 16, 3, 3], %x: f32[1, 16, 10, 10]) {
  %a: f32[1, 16, 10, 10] = aten.convolution.default(%x, %w, none, [1, 1], [1, 1], [1, 1], false, [0, 0], 1)
  %b: f32[1, 16, 10, 10] = aten.relu.default(%a)
  %c: f32[1, 16, 10, 10] = aten.convolution.default(%b, %w, none, [1, 1], [1, 1], [1, 1], false, [0, 0], 1)
  %d: f32[1, 16, 10, 10] = aten.relu.default(%c)
  %r: f32[1, 16, 10, 10] = aten.convolution.default(%d, %w, none, [1, 1], [1, 1], [1, 1], false, [0, 0], 1)
  return (%r)
}`,
    { tensors: new Map([["w", wave([16, 16, 3, 3], 1.7)]]) },
  );

test("larger tiles have larger errors, and all sides give the same numbers but for them", async () => {
  const x = wave([1, 16, 10, 10], 0.3);
  const results: Float32Array[] = [];
  for (const winograd of [0, 2, 4] as const) {
    const executable = await wasmBackend({ threads: 1, winograd }).compile(program());
    results.push(((await executable.run([x]))[0] as Tensor).data as Float32Array);
    executable.dispose!();
  }
  const [direct, two, four] = results as [Float32Array, Float32Array, Float32Array];
  const size = Math.max(...direct.map(Math.abs));
  const error = (values: Float32Array): number =>
    Math.max(...values.map((value, i) => Math.abs(value - direct[i]!))) / size;
  expect(error(two)).toBeGreaterThan(0);
  expect(error(four)).toBeGreaterThan(error(two));
  expect(error(four)).toBeLessThan(1e-5);
});

test("sides of tiles are 0, 2 or 4", () => {
  expect(() => wasmBackend({ winograd: 3 as 2 })).toThrow('the option "winograd" of wasmBackend cannot be 3');
});
