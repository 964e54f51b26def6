/** @file Equal layers are compiled once, and large weights are packed in parts. */
import { cpuBackend } from "@sconce/backend-cpu";
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { afterEach, expect, test, vi } from "vitest";
import { wasmBackend } from "./backend.js";

afterEach(() => vi.unstubAllGlobals());

const noise = (shape: readonly number[], seed: number): Tensor => {
  const count = shape.reduce((a, b) => a * b, 1);
  return Tensor.fromData(
    Float32Array.from({ length: count }, (_, i) => Math.sin((i + 1) * seed)),
    "float32",
    shape,
  );
};

/** The number of kernels in modules that are compiled meanwhile. */
async function kernelsIn(body: () => Promise<void>): Promise<number> {
  let count = 0;
  const { Module } = WebAssembly;
  class Watched extends Module {
    constructor(bytes: BufferSource) {
      super(bytes);
      count += Module.exports(this).filter(({ name }) => /^k\d+$/.test(name)).length;
    }
  }
  vi.stubGlobal("WebAssembly", Object.create(WebAssembly, { Module: { value: Watched } }));
  await body();
  vi.unstubAllGlobals();
  return count;
}
async function compared(program: ExportedProgram, x: Tensor): Promise<number> {
  const [[expected], [actual]] = (await Promise.all(
    [cpuBackend(), wasmBackend({ threads: 1 })].map(async (backend) => {
      const executable = await backend.compile(program);
      const results = (await executable.run([x])) as Tensor[];
      executable.dispose();
      return results;
    }),
  )) as [Tensor[], Tensor[]];
  const [a, b] = [expected!.toFloat64Array(), actual!.toFloat64Array()];
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);
}

test("equal layers share the code of their kernels", async () => {
  const size = 24;
  const names = ["a", "b", "c", "d"];
  const layers = names.map(
    (name, i) => `%t${i}: f32[${size}, ${size}]{1, ${size}} = aten.permute.default(%${name}, [1, 0])
    %m${i}: f32[${size}, ${size}] = aten.mm.default(${i === 0 ? "%x" : `%r${i - 1}`}, %t${i})
    %r${i}: f32[${size}, ${size}] = aten.tanh.default(%m${i})`,
  );
  const program = parseIr(`sconce-ir 1
program "ATEN" { ${names.map((name) => `input %${name}: PARAMETER "${name}"`).join(" ")} input %x: USER_INPUT output %s: USER_OUTPUT }
graph(${names.map((name) => `%${name}: f32[${size}, ${size}]`).join(", ")}, %x: f32[${size}, ${size}]) {
  ${layers.join("\n")}
  %s: f32[${size}, ${size}] = aten._softmax.default(%r3, 1, false)
  return (%s)
}`).with({ stateDict: new Map(names.map((name, i) => [name, noise([size, size], i + 1.3)])) });
  expect(
    await kernelsIn(async () => {
      expect(await compared(program, noise([size, size], 7.7))).toBeLessThan(1e-5);
    }),
  ).toBe(2);
});

test.each([
  [173, 771],
  [16, 10_000],
  [9, 5],
])("weights of %i x %i are packed as a whole and in parts", async (rows, columns) => {
  const program = parseIr(`sconce-ir 1
program "ATEN" { input %w: PARAMETER "w" input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%w: f32[${rows}, ${columns}], %x: f32[64, ${columns}]) {
  %t: f32[${columns}, ${rows}]{1, ${columns}} = aten.permute.default(%w, [1, 0])
  %y: f32[64, ${rows}] = aten.mm.default(%x, %t)
  return (%y)
}`).with({ stateDict: new Map([["w", noise([rows, columns], 1.7)]]) });
  expect(await compared(program, noise([64, columns], 3.1))).toBeLessThan(1e-6 * columns);
});
