/** @file Flex attention with dynamic sizes: which an export takes, and which it refuses. */
import { Dim, exportProgram, nn, noGrad, torch } from "@sconce/capture";
import type { ExportedProgram } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const { createBlockMask, flexAttention } = nn.attention;
type Inputs = [q: Tensor, k: Tensor, v: Tensor];
const SIZES = [2, 2, 16, 8];

const inputs = (sizes: readonly number[]): Inputs => [
  torch.randn([...sizes]),
  torch.randn([...sizes]),
  torch.randn([...sizes]),
];
const scored = (q: Tensor, k: Tensor, v: Tensor): Tensor =>
  flexAttention(q, k, v, { scale: 0.5, scoreMod: (s, _b, h, i, j) => s.add(i.sub(j).mul(h)) });

function dynamic(dim: number, model: (...given: Inputs) => Tensor): ExportedProgram {
  const shape = { [dim]: Dim("n") };
  return noGrad(() => exportProgram(model, inputs(SIZES), { dynamicShapes: [shape, shape, shape] }));
}

describe("flex attention with dynamic sizes", () => {
  test.each([
    ["batch", 0],
    ["number of heads", 1],
    ["length", 2],
    ["size", 3],
  ] as const)("takes a %s that all inputs share", (_, dim) => {
    const program = dynamic(dim, scored);
    for (const size of [3, 5]) {
      const given = inputs(SIZES.with(dim, size));
      const [result] = [program.module()(...given)].flat() as [Tensor];
      expect(result.toArray()).toEqual(scored(...given).toArray());
    }
  });

  test.each<readonly [string, number, (...given: Inputs) => Tensor, string]>([
    [
      "a length beside a mask",
      2,
      (q, k, v) => flexAttention(q, k, v, { blockMask: causal }),
      "a length beside a mask",
    ],
    [
      "heads with `enableGqa`",
      1,
      (q, k, v) => flexAttention(q, k, v, { enableGqa: true }),
      "the number of heads",
    ],
    ["a size without `scale`", 3, (q, k, v) => flexAttention(q, k, v), "the size of queries"],
  ])("refuses %s", (_, dim, model, what) => {
    expect(() => dynamic(dim, model)).toThrow(
      expect.objectContaining({
        code: "CONTROL_FLOW_ARGUMENTS",
        message: expect.stringContaining(what) as string,
      }),
    );
  });
});

const causal = createBlockMask((_b, _h, i, j) => i.ge(j), null, null, 16, 16);
