/** @file Weights that are folded when a program is compiled. */
/// <reference types="node" />
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { cpuBackend } from "@sconce/backend-cpu";
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

const wave = (shape: readonly number[], step: number): Tensor => {
  const length = shape.reduce((product, size) => product * size, 1);
  const values = Float32Array.from({ length }, (_, i) => 1.5 + Math.sin(i * step));
  return Tensor.fromData(values, "float32", shape);
};
/** A convolution of 1x1 with a batch norm. */
function network(channels: number, batch: string, symbols = ""): ExportedProgram {
  const names = ["w", "scale", "shift", "mean", "variance"];
  const sizes = [[channels, channels, 1, 1], ...names.slice(1).map(() => [channels])];
  const specs = names.map((name) => `input %${name}: PARAMETER "${name}"`).join(" ");
  const params = names.map((name, i) => `%${name}: f32[${sizes[i]!.join(", ")}]`).join(", ");
  const image = `f32[${batch}, ${channels}, 2, 2]`;
  return parseIr(`sconce-ir 1
${symbols}program "ATEN" { ${specs} input %x: USER_INPUT output %y: USER_OUTPUT }
graph(${params}, %x: ${image}) {
  %c: ${image} = aten.convolution.default(%x, %w, none, [1, 1], [0, 0], [1, 1], false, [0, 0], 1)
  %n: (${image}, f32[0], f32[0]) = aten._native_batch_norm_legit_no_training.default(%c, %scale, %shift, %mean, %variance, 0.1, 1e-05)
  %y: ${image} = operator.getitem(%n, 0)
  return (%y)
}`).with({ stateDict: new Map(names.map((name, i) => [name, wave(sizes[i]!, 0.1 + i)])) });
}
async function difference(program: ExportedProgram, batches: readonly number[]): Promise<number> {
  const [here, there] = [
    await wasmBackend({ threads: 1 }).compile(program),
    await cpuBackend().compile(program),
  ];
  let most = 0;
  for (const batch of batches) {
    const x = wave([batch, 24, 2, 2], 0.7);
    const [a, b] = (await Promise.all([here.run([x]), there.run([x])])).map(([y]) =>
      (y as Tensor).toFloat64Array(),
    );
    a!.forEach((value, i) => {
      most = Math.max(most, Math.abs(value - b![i]!) / Math.max(1, Math.abs(b![i]!)));
    });
  }
  return most;
}

test("are in the memory of the backend alone", async () => {
  const program = network(1024, "1");
  gc();
  const before = process.memoryUsage().arrayBuffers;
  const executable = await wasmBackend({ threads: 1 }).compile(program);
  const more = (): number => process.memoryUsage().arrayBuffers - before;
  for (let i = 0; i < 100 && more() > 1e6; i++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  // 4.2 MB of weights.
  expect(more()).toBeLessThan(1e6);
  expect(executable.memory!().deviceBytes).toBeGreaterThan(4e6);
  await executable.run([wave([1, 1024, 2, 2], 0.3)]);
  expect(executable.state.get("w")!.data[0]).toBe(1.5);
  executable.dispose();
});
test("are there for all sizes", async () => {
  expect(await difference(network(24, "2"), [2, 2])).toBeLessThan(1e-5);
  const symbolic = network(24, "s0", "symbol s0 integer positive\n");
  expect(await difference(symbolic, [1, 3, 2, 1])).toBeLessThan(1e-5);
});
