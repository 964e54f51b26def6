import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const program = parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT input %w: USER_INPUT output %s: USER_OUTPUT output %m: USER_OUTPUT }
graph(%x: f32[256, 300], %w: f32[300, 320]) {
  %a: f32[256, 320] = aten.mm.default(%x, %w)
  %g: f32[256, 320] = aten.gelu.default(%a)
  %s: f32[256, 320] = aten._softmax.default(%g, 1, false)
  %m: f32[256] = aten.mean.dim(%g, [1])
  return (%s, %m)
}`);
const wave = (shape: readonly [number, number], step: number) =>
  Tensor.fromData(
    Float32Array.from({ length: shape[0] * shape[1] }, (_, i) => Math.sin(i * step)),
    "float32",
    shape,
  );
const inputs = [wave([256, 300], 0.37), wave([300, 320], 0.11)];

async function bitsWith(threads: number, runs: number): Promise<string[]> {
  const executable = await wasmBackend({ threads }).compile(program);
  const seen = new Set<string>();
  for (let run = 0; run < runs; run++) {
    const outputs = (await executable.run(inputs)) as readonly Tensor[];
    seen.add(outputs.map(({ storage }) => Buffer.from(storage.bytes).toString("base64")).join());
    // Workers start between runs.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(executable.placement!().device).toContain(`${threads} thread`);
  executable.dispose();
  return [...seen];
}

test("results do not depend on the number of threads", async () => {
  const alone = await bitsWith(1, 1);
  expect(await bitsWith(2, 20)).toEqual(alone);
  expect(await bitsWith(3, 20)).toEqual(alone);
});
test.each([0, 1.5, 65, Number.NaN])("%d threads are refused", (threads) => {
  expect(() => wasmBackend({ threads })).toThrow(/threads/);
});
