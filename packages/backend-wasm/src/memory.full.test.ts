/** @file Memory over many runs, sizes and executables. */
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { backendOn } from "./backend/open.js";
import { MemoryOwner } from "./device/wasm-memory.js";

const program = parseIr(`sconce-ir 1
symbol s0 integer positive
program "ATEN" { input %x: USER_INPUT output %s: USER_OUTPUT output %t: USER_OUTPUT }
graph(%x: f32[s0, 16]) {
  %e: f32[s0, 16] = aten.exp.default(%x)
  %s: f32[s0, 16] = aten._softmax.default(%e, 1, false)
  %t: f32[s0] = aten.sum.dim_IntList(%s, [1])
  return (%s, %t)
}`);
const rows = (count: number): Tensor =>
  Tensor.fromData(new Float32Array(count * 16).fill(1), "float32", [count, 16]);
const floatsOf = (count: number): Tensor => Tensor.fromData(new Float32Array(count).fill(1), "float32");

test("10,000 runs take as much memory as two", async () => {
  const owner = new MemoryOwner(1);
  const memory = owner.open();
  const executable = await backendOn(owner).compile(program);
  const bytes: number[] = [];
  const run = async (): Promise<void> => {
    const [, sums] = await executable.run([rows(32)]);
    expect((sums as Tensor).toArray()[31]).toBeCloseTo(1);
    bytes.push(memory.size);
  };
  for (let i = 0; i < 10_000; i++) await run();
  expect(new Set(bytes.slice(2)).size).toBe(1);
  expect(memory.bytes).toBe(0);
  expect(executable.memory!()).toMatchObject({ deviceBytes: 0, deviceBuffers: 0 });
  executable.dispose();
}, 120_000);

test("kernels of many sizes are given back", async () => {
  const owner = new MemoryOwner(1);
  const memory = owner.open();
  const executable = await backendOn(owner).compile(program);
  for (let count = 1; count <= 200; count++) {
    const [, sums] = await executable.run([rows(count)]);
    expect((sums as Tensor).shape).toEqual([count]);
  }
  expect(memory.bytes).toBe(0);
  executable.dispose();
});

test("10,000 executables that are never disposed of do not add up", async () => {
  const owner = new MemoryOwner(1);
  const memory = owner.open();
  const backend = backendOn(owner);
  const weights = floatsOf(65_536);
  const one = parseIr(`sconce-ir 1
program "ATEN" { input %w: PARAMETER "w" input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%w: f32[65536], %x: f32[65536]) {
  %y: f32[65536] = aten.add.Tensor(%w, %x)
  return (%y)
}`);
  for (let i = 0; i < 10_000; i++) {
    // Each has other weights: all of them would take 2.6 GB.
    const executable = await backend.compile(one.with({ stateDict: new Map([["w", floatsOf(65_536)]]) }));
    if (i % 100 === 0) expect((await executable.run([weights]))[0]).toBeInstanceOf(Tensor);
  }
  expect(memory.size).toBeLessThan(1e9);
  owner.close();
}, 120_000);
