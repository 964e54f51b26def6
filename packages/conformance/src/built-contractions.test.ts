/** @file Blocks of sums of products in JavaScript, beside the interpreter. */
import { Dim, exportProgram, nn, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { compareScript } from "./built-programs.fixture.js";

const RULE = { tolerance: { rtol: 1e-4, atol: 1e-5 }, compare_values: true };

/** Numbers without a pattern that a wrong place would have, too. */
const some = (...shape: number[]): Tensor =>
  torch
    .sin(
      torch
        .arange(
          shape.reduce((a, b) => a * b, 1),
          { dtype: "float32" },
        )
        .mul(1.7),
    )
    .reshape(shape);

const model = (layer: nn.Module): nn.Module => {
  for (const { data, shape } of layer.parameters())
    (data as Float32Array).set(some(...shape).data as Float32Array);
  return layer.eval();
};

const LAYERS: Readonly<Record<string, readonly [nn.Module, readonly number[]]>> = {
  "a padded convolution": [new nn.Conv2d(3, 8, 3, { padding: 1 }), [2, 3, 8, 6]],
  "a convolution with steps": [new nn.Conv2d(4, 6, 3, { padding: 2, stride: 2, dilation: 2 }), [1, 4, 11, 9]],
  "a convolution without padding": [new nn.Conv2d(5, 7, 2), [1, 5, 5, 9]],
  "a depthwise convolution": [new nn.Conv2d(6, 6, 3, { padding: 1, groups: 6 }), [1, 6, 8, 8]],
  "a convolution of groups": [new nn.Conv2d(8, 12, 3, { padding: 1, groups: 4 }), [1, 8, 4, 4]],
  "a transposed convolution": [new nn.ConvTranspose2d(4, 6, 4, { stride: 2, padding: 1 }), [1, 4, 5, 6]],
  "a transposed convolution of groups": [new nn.ConvTranspose2d(4, 8, 3, { groups: 2 }), [1, 4, 4, 4]],
  "a convolution of a line": [new nn.Conv1d(3, 5, 3, { padding: 1 }), [2, 3, 13]],
  "a linear layer": [new nn.Linear(9, 12), [5, 9]],
};

test.each(Object.entries(LAYERS))("%s", async (_, [layer, shape]) => {
  const x = some(...shape);
  const program = exportProgram(model(layer), [x]);
  expect(await compareScript(program, [[x]], RULE)).toMatchObject({ differences: [], refused: undefined });
});

test("sizes of the call", async () => {
  const layer = model(new nn.Conv2d(3, 8, 3, { padding: 1 }));
  const dims = [{ 0: Dim("n"), 2: Dim("h", { min: 2 }), 3: Dim("w", { min: 2 }) }];
  const program = exportProgram(layer, [some(2, 3, 8, 6)], { dynamicShapes: dims });
  const runs = [
    [2, 3, 8, 6],
    [3, 3, 5, 4],
    [2, 3, 7, 9],
  ].map((shape) => [some(...shape)]);
  expect(await compareScript(program, runs, RULE)).toMatchObject({ differences: [], refused: undefined });
});

test("batches of matrices", async () => {
  const run = (a: Tensor, b: Tensor): Tensor => a.matmul(b).add(1).relu();
  const inputs = [some(2, 3, 5, 6), some(2, 3, 6, 8)];
  const program = exportProgram(run, inputs);
  expect(await compareScript(program, [inputs], RULE)).toMatchObject({ differences: [], refused: undefined });
});

test("zeros of the padding are factors beside weights that are not finite", async () => {
  const layer = new nn.Conv2d(2, 4, 3, { padding: 1 });
  for (const { data } of layer.parameters()) (data as Float32Array).fill(Number.POSITIVE_INFINITY);
  const x = torch.ones(1, 2, 4, 4);
  const program = exportProgram(layer.eval(), [x]);
  expect(await compareScript(program, [[x]], RULE)).toMatchObject({ differences: [], refused: undefined });
});
