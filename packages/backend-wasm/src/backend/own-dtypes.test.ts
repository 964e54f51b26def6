/**
 * @file Statistics of normalizations that have another dtype in PyTorch than the program records,
 * where later calls read them.
 */
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

test("a mean in float32 beside a bfloat16 input is read as it is", async () => {
  const program = parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT input %w: USER_INPUT output %z: USER_OUTPUT }
graph(%x: bf16[3, 4], %w: f32[4]) {
  %n: (bf16[3, 4], bf16[3, 1], bf16[3, 1]) = aten.native_layer_norm.default(%x, [4], %w, none, 1e-5)
  %m: bf16[3, 1] = operator.getitem(%n, 1)
  %a: bf16[3, 1] = aten.add.Tensor(%m, 1)
  %z: bf16[3, 1] = aten.mul.Tensor(%a, 3)
  return (%z)
}`);
  using executable = await wasmBackend({ threads: 1 }).compile(program);
  const x = Tensor.from([1, 2, 3.5, 4.25, 1, 7, 3, 9, 0.1, 0.2, 0.3, 0.7], [3, 4], "bfloat16");
  const [z] = (await executable.run([x, Tensor.from([1, 2, 3, 4], [4], "float32")])) as Tensor[];
  // PyTorch 2.14: `(torch.ops.aten.native_layer_norm(x, [4], w, None, 1e-5)[1] + 1) * 3`.
  expect(z!.dtype).toBe("float32");
  expect(z!.toArray()).toEqual([11.0625, 18, 3.9752197265625]);
});
