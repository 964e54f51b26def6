/** @file Sums whose dtype is bool compile, also of dynamic sizes, and are true or false. */
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./index.js";

test.each(["f32", "i32"] as const)("columns of %s", async (type) => {
  const program = parseIr(`sconce-ir 1
program "ATEN" {
  range "s77" [2, inf]
  range "s27" [2, inf]
  input %x: USER_INPUT
  output %y: USER_OUTPUT
  output %z: USER_OUTPUT
}
graph(%x: ${type}[s77, s27]) {
  %y: b8[s27] = aten.sum.dim_IntList(%x, [0], dtype=bool)
  %z: b8[] = aten.sum.default(%x, dtype=bool)
  return (%y, %z)
}`);
  const compiled = await wasmBackend({ threads: 1 }).compile(program);
  const values = Array.from({ length: 48 }, (_, i) => (i % 16 < 9 ? i : 0));
  const x = Tensor.from(values, [3, 16], type === "f32" ? "float32" : "int32");
  const results = (await compiled.run([x])) as Tensor[];
  compiled.dispose();
  const wanted = Array.from({ length: 16 }, (_, i) => Number(i < 9));
  expect(results.map((t) => Array.from(t.contiguous().data as Uint8Array))).toEqual([wanted, [1]]);
});
