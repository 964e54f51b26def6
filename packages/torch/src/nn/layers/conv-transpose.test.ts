import { Dim, exportProgram } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { sym } from "../../functions/sym.js";
import { torch } from "../../functions/torch.js";
import { ConvTranspose1d, ConvTranspose2d } from "../index.js";
import { Module } from "../module.js";

test("a call asks for sizes of the result, by position or by name", () => {
  const conv = new ConvTranspose2d(2, 2, 3, { stride: 2 });
  const x = torch.ones(1, 2, 3, 5);
  expect(conv(x).shape).toEqual([1, 2, 7, 11]);
  expect(conv(x, [8, 12]).shape).toEqual([1, 2, 8, 12]);
  expect(conv(x, { outputSize: [1, 2, 7, 12] }).shape).toEqual([1, 2, 7, 12]);
  expect(new ConvTranspose1d(2, 2, 2, 3)(torch.ones(2, 3), [10]).shape).toEqual([2, 10]);
});

test("sizes that no padding gives are refused in PyTorch's words", () => {
  const conv = new ConvTranspose2d(2, 2, 3, { stride: 2 });
  expect(() => conv(torch.ones(1, 2, 3, 5), [8, 13])).toThrow(
    "requested an output size of [8, 13], but valid sizes range from [7, 11] to [8, 12] (for an input of torch.Size([3, 5]))",
  );
  expect(() => conv(torch.ones(1, 2, 3, 5), [8])).toThrow(
    "for 4D input, output_size must have 2 or 4 elements (got 1)",
  );
});

// The program is PyTorch 2.14's.
test("sizes of the result may be dynamic", async () => {
  class Net extends Module {
    readonly c = new ConvTranspose1d(2, 2, 3, { stride: 2, padding: 1 });

    override forward(x: Tensor): Tensor {
      return this.c(x, [sym.mul(x.size(2), 2)]);
    }
  }
  const program = exportProgram(new Net(), [torch.ones(1, 2, 5)], { dynamicShapes: [{ 2: Dim("t") }] });
  expect(program.graph.node("conv_transpose1d").args.slice(3)).toEqual([[2], [1], [1]]);
  const result = (await program.call(torch.ones(1, 2, 9))) as Tensor;
  expect(result.shape).toEqual([1, 2, 18]);
});
