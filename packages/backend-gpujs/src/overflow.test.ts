/** @file Totals that float32 does not hold are infinite also where a kernel takes them further. */
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { gpujsBackend } from "./index.js";

/** Results of a call in mode cpu. */
async function resultOf(
  call: string,
  shape: readonly number[],
  value: number | readonly number[],
): Promise<number[]> {
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
  const [y] = await compiled.run([
    Tensor.from(typeof value === "number" ? new Array<number>(count).fill(value) : value, shape, "float32"),
  ]);
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

/** As in PyTorch, whose totals are float32. */
describe("steps of totals that float32 does not hold", () => {
  const opposites = [3e38, 3e38, -3e38, -3e38];

  test("of a sum show", async () => {
    expect(await resultOf("%y: f32[] = aten.sum.default(%x)", [4], opposites)).toEqual([Infinity]);
  });

  test("of a product of matrices show", async () => {
    const call = `%t: f32[4, 1] = aten.permute.default(%x, [1, 0])
  %a: f32[4, 1] = aten.sign.default(%t)
  %b: f32[4, 1] = aten.mul.Tensor(%t, %a)
  %y: f32[1, 1] = aten.mm.default(%x, %b)`;
    expect(await resultOf(call, [1, 4], opposites)).toEqual([Number.NaN]);
  });

  test("of a product show, in PyTorch's order", async () => {
    const call = "%y: f32[] = aten.prod.default(%x)";
    expect(await resultOf(call, [4], [3e38, 3e38, 1e-38, 1e-38])).toEqual([Infinity]);
    expect(await resultOf(call, [4], [1e-38, 1e-38, 3e38, 3e38])).toEqual([0]);
  });

  test("of running products do not show, which PyTorch computes in float64", async () => {
    const call = "%y: f32[4] = aten.cumprod.default(%x, 0)";
    const [first, second, last] = await resultOf(call, [4], [3e38, 3e38, 1e-38, 1e-38]);
    expect([first, second]).toEqual([Math.fround(3e38), Infinity]);
    expect(last).toBeCloseTo(9, 4);
  });
});
