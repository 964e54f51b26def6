import { Storage, Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { programOf } from "../programs.fixture.js";
import { TensorGuard } from "./tensor-guard.js";

const program = programOf(`graph(%p_w: f32[2, 2], %c_k: f32[2, 2]) {
  return (%p_w, %c_k)
}`);

test("what was written is reported by name and restored", () => {
  const guard = new TensorGuard(program);
  const [w, k] = [program.stateDict.get("w")!, program.constants.get("k")!];
  const [weights, constants] = [w.data as Float32Array, k.data as Float32Array];
  expect(guard.restore()).toEqual([]);
  constants[3] = 7;
  expect(guard.restore()).toEqual(["k"]);
  weights.fill(Number.NaN);
  constants[0] = -0;
  expect(guard.restore()).toEqual(["w", "k"]);
  for (const tensor of [w, k]) expect(tensor.toArray()).toEqual([0.5, 1.5, 2.5, 3.5]);
});

test("tensors that share a storage are all named, odd lengths and offsets are compared to the last byte", () => {
  const storage = new Storage(new Uint8Array(16).subarray(3, 10));
  const bytes = (shape: readonly number[]) => new Tensor({ dtype: "uint8", shape, storage });
  const stateDict = new Map([
    ["a", bytes([7])],
    ["b", bytes([2])],
  ]);
  const guard = new TensorGuard(program.with({ stateDict }));
  storage.bytes[6] = 1;
  expect(guard.restore()).toEqual(["a", "b"]);
  expect([...storage.bytes]).toEqual([0, 0, 0, 0, 0, 0, 0]);
});

test("a transferred buffer is reported", () => {
  const stateDict = new Map([["a", Tensor.from([1, 2], [2], "float32")]]);
  const guard = new TensorGuard(program.with({ stateDict }));
  const { buffer } = stateDict.get("a")!.data;
  structuredClone(buffer, { transfer: [buffer as ArrayBuffer] });
  expect(guard.restore()).toEqual(["a"]);
});

test("sample inputs are kept when they are asked for", () => {
  const leaf = Tensor.from([1, 2], [2], "float32");
  const sampled = program.with({ exampleInputs: { leaves: [1, leaf] } });
  const [without, guard] = [new TensorGuard(sampled), new TensorGuard(sampled, { examples: true })];
  (leaf.data as Float32Array)[0] = 5;
  expect(without.restore()).toEqual([]);
  expect(guard.restore()).toEqual(["sample input 1"]);
});
