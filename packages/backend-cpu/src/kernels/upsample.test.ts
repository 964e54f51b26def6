import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { cpuBackend } from "../index.js";

/** Results that are NaN, counted over all inputs of one NaN. */
async function spread(operator: string, side: number, to: number, arguments_: string): Promise<number> {
  const rank = operator.includes("3d") ? 3 : 2;
  const [from, out] = [side, to].map((size) => new Array<number>(rank).fill(size)) as [number[], number[]];
  const program = parseIr(`sconce-ir 1
program "ATEN" {
  input %x: USER_INPUT
  output %y: USER_OUTPUT
}
graph(%x: f32[1, 1, ${from.join(", ")}]) {
  %y: f32[1, 1, ${out.join(", ")}] = aten.${operator}.default(%x, [${out.join(", ")}], ${arguments_})
  return (%y,)
}`);
  const executable = await cpuBackend().compile(program);
  const count = side ** rank;
  let total = 0;
  for (let place = 0; place < count; place++) {
    const values = Array.from({ length: count }, (_, i) => (i === place ? Number.NaN : i));
    const [y] = await executable.run([Tensor.from(values, [1, 1, ...from], "float32")]);
    total += (y as Tensor).toFloat64Array().filter(Number.isNaN).length;
  }
  return total;
}

describe("a NaN spreads through taps of weight zero, as in PyTorch", () => {
  test.each([
    ["upsample_bilinear2d", 7, 3, [36, 25]],
    ["upsample_bilinear2d", 4, 2, [16, 9]],
    ["upsample_bilinear2d", 3, 6, [121, 121]],
    ["upsample_bilinear2d", 5, 5, [25, 25]],
    ["upsample_bicubic2d", 4, 2, [36, 25]],
    ["upsample_bicubic2d", 5, 5, [256, 256]],
    ["upsample_bicubic2d", 3, 5, [169, 196]],
  ])("%s from %d to %d", async (operator, from, to, [plain, aligned]) => {
    expect(await spread(operator, from, to, "false, none, none")).toBe(plain);
    expect(await spread(operator, from, to, "true, none, none")).toBe(aligned);
  });

  test("upsample_trilinear3d", async () => {
    expect(await spread("upsample_trilinear3d", 4, 2, "false, none, none, none")).toBe(64);
    expect(await spread("upsample_trilinear3d", 4, 2, "true, none, none, none")).toBe(27);
    expect(await spread("upsample_trilinear3d", 3, 3, "true, none, none, none")).toBe(27);
  });
});
