/** @file Totals that float32 does not hold are infinite also where a kernel takes them further. */
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { gpujsBackend } from "./index.js";

/** Results of a call in mode cpu, whose arithmetic is in doubles. */
async function resultOf(call: string, shape: readonly number[], value: number): Promise<number[]> {
  const program = parseIr(`sconce-ir 1
program "ATEN" {
  input %x: USER_INPUT
  output %y: USER_OUTPUT
}
graph(%x: f32[${shape.join(", ")}]) {
  ${call}
  return (%y)
}`);
  const backend = gpujsBackend({ mode: "cpu" });
  const compiled = await backend.compile(program);
  const count = shape.reduce((product, size) => product * size, 1);
  const [y] = await compiled.run([Tensor.from(new Array<number>(count).fill(value), shape, "float32")]);
  compiled.dispose();
  return [...new Set((y as Tensor).toArray().flat(4) as number[])];
}

describe("totals that float32 does not hold", () => {
  test.each([
    ["norm", "%y: f32[2] = aten.linalg_vector_norm.default(%x, 2, [1])", [2, 4], 3e20],
    ["mean", "%y: f32[2] = aten.mean.dim(%x, [1])", [2, 4], 1e38],
    ["average pool", "%y: f32[1, 2, 2] = aten.avg_pool2d.default(%x, [3, 3])", [1, 7, 7], 1e38],
    ["adaptive pool", "%y: f32[1, 3, 3] = aten._adaptive_avg_pool2d.default(%x, [3, 3])", [1, 7, 7], 1e38],
  ] as const)("%s", async (_, call, shape, value) => {
    expect(await resultOf(call, shape, value)).toEqual([Infinity]);
  });

  test("what is divided by such a norm is 0", async () => {
    const call = `%n: f32[2, 1] = aten.linalg_vector_norm.default(%x, 2, [1], true)
  %y: f32[2, 4] = aten.div.Tensor(%x, %n)`;
    expect(await resultOf(call, [2, 4], 3e20)).toEqual([0]);
  });
});
