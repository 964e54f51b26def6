/** @file Executables that nothing can reach, and that were never disposed of. */
/// <reference types="node" />
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { MemoryOwner, type WasmMemory } from "../device/wasm-memory.js";
import { backendOn } from "./open.js";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

const floats = (length: number, value = 1): Tensor =>
  Tensor.fromData(new Float32Array(length).fill(value), "float32");
const counter = (start: number) =>
  parseIr(`sconce-ir 1
program "ATEN" { input %w: PARAMETER "w" input %b: BUFFER "b" input %x: USER_INPUT
  output %sum: BUFFER_MUTATION "b" output %y: USER_OUTPUT }
graph(%w: f32[4096], %b: f32[4096], %x: f32[4096]) {
  %p: f32[4096] = aten.mul.Tensor(%w, %x)
  %sum: f32[4096] = aten.add.Tensor(%b, %p)
  %y: f32[4096] = aten.mul.Tensor(%sum, %sum)
  return (%sum, %y)
}`).with({
    stateDict: new Map([
      ["w", floats(4096, start)],
      ["b", floats(4096, 0)],
    ]),
  });

async function collect(isDone: () => boolean, times = 100): Promise<void> {
  for (let i = 0; i < times && !isDone(); i++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

test("give their weights and state back, and close the memory", async () => {
  const owner = new MemoryOwner(1);
  const memory = owner.open();
  const backend = backendOn(owner);
  for (let i = 0; i < 20; i++) await (await backend.compile(counter(i))).run([floats(4096)]);
  expect(memory.count).toBeGreaterThan(2);
  await collect(() => memory.count === 0);
  expect(memory.bytes).toBe(0);
  owner.close();
  expect(() => memory.memory).toThrow(/disposed/);
});

test("leave results and state to those who have them", async () => {
  const owner = new MemoryOwner(1);
  const memory = owner.open();
  const run = async () => {
    const executable = await backendOn(owner).compile(counter(3));
    const [result] = await executable.run([floats(4096, 2)], { results: "device" });
    return [result as Tensor, executable.state.get("b")!] as const;
  };
  const [result, state] = await run();
  await collect(() => memory.count === 2);
  expect(memory.count).toBe(2);
  expect([result, state].map((tensor) => tensor.data[4095])).toEqual([36, 6]);
  expect(memory.count).toBe(0);
  owner.close();
});

test("do not free twice what was disposed of", async () => {
  const owner = new MemoryOwner(1);
  const other = await backendOn(owner).compile(counter(1));
  let memory: WasmMemory | undefined;
  const use = async (): Promise<void> => {
    const executable = await backendOn(owner).compile(counter(2));
    await executable.run([floats(4096)]);
    memory = owner.open();
    owner.close();
    executable.dispose();
  };
  await use();
  await collect(() => false, 10);
  const [result] = await other.run([floats(4096, 2)]);
  expect((result as Tensor).data[0]).toBe(4);
  other.dispose();
  await collect(() => memory!.count === 0);
  expect(() => memory!.memory).toThrow(/disposed/);
});
