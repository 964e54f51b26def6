import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const SIZE = 40;
const weight = Tensor.fromData(new Float32Array(SIZE * SIZE).fill(1), "float32", [SIZE, SIZE]);
const program = parseIr(`sconce-ir 1
program "ATEN" { input %w: PARAMETER "w" input %x: USER_INPUT output %y: USER_OUTPUT output %z: USER_OUTPUT }
graph(%w: f32[${SIZE}, ${SIZE}], %x: f32[${SIZE}, ${SIZE}]) {
  %y: f32[${SIZE}, ${SIZE}] = aten.mm.default(%x, %w)
  %z: f32[${SIZE}, ${SIZE}] = aten.add.Tensor(%x, %w)
  return (%y, %z)
}`).with({ stateDict: new Map([["w", weight]]) });
const x = Tensor.fromData(new Float32Array(SIZE * SIZE).fill(1), "float32", [SIZE, SIZE]);

test("executables have the weights of the time when they were compiled, and share equal ones", async () => {
  const backend = wasmBackend({ threads: 1 });
  const compiled = async (value: number) => {
    weight.data.fill(value as never);
    const executable = await backend.compile(program);
    const run = async () => ((await executable.run([x])) as Tensor[]).map(({ data }) => data[0]);
    return { executable, run };
  };
  const ones = await compiled(1);
  const fives = await compiled(5);
  const again = await compiled(5);
  expect(await fives.run()).toEqual([5 * SIZE, 6]);
  expect(await ones.run()).toEqual([SIZE, 2]);
  fives.executable.dispose();
  expect(await again.run()).toEqual([5 * SIZE, 6]);
  ones.executable.dispose();
  const last = await compiled(1);
  expect(await last.run()).toEqual([SIZE, 2]);
  expect(await again.run()).toEqual([5 * SIZE, 6]);
});
