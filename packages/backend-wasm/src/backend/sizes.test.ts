/** @file Sizes that come one after another share the weights. */
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const [rows, columns] = [40, 24];
const weight = Tensor.fromData(new Float32Array(rows * columns).fill(0.5), "float32", [rows, columns]);
const program: ExportedProgram = parseIr(`sconce-ir 1
symbol s0 integer positive
program "ATEN" { input %w: PARAMETER "w" input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%w: f32[${rows}, ${columns}], %x: f32[s0, ${columns}]) {
  %t: f32[${columns}, ${rows}]{1, ${columns}} = aten.permute.default(%w, [1, 0])
  %y: f32[s0, ${rows}] = aten.mm.default(%x, %t)
  return (%y)
}`).with({ stateDict: new Map([["w", weight]]) });
const ones = (count: number): Tensor =>
  Tensor.fromData(new Float32Array(count * columns).fill(1), "float32", [count, columns]);

test("weights are held once for all sizes, as they were at first", async () => {
  const executable = await wasmBackend({ threads: 1 }).compile(program);
  const held: number[] = [];
  const values: unknown[] = [];
  for (const count of [8, 9, 24, 25, 200]) {
    const [y] = (await executable.run([ones(count)])) as Tensor[];
    held.push(executable.memory!().deviceBytes);
    values.push(y!.toFloat64Array().at(-1));
    weight.data.fill(2 as never);
  }
  weight.data.fill(0.5 as never);
  expect(new Set(held).size).toBe(1);
  expect(values).toEqual(values.map(() => columns / 2));
  executable.dispose();
});
