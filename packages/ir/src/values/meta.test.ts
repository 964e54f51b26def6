import { inspect } from "node:util";
import { symbol } from "@sconce/symbolic";
import { expect, test } from "vitest";
import { device } from "./argument.js";
import { FakeTensor, type FakeTensorInit, typeText } from "./meta.js";

const shape = [2, symbol("s77")];
const strides = [symbol("s77"), 1];
const fakeOf = (init: Partial<FakeTensorInit> = {}): FakeTensor =>
  new FakeTensor({ dtype: "float32", shape, strides, ...init });

// What PyTorch 2.14 prints.
test.each<[Partial<FakeTensorInit>, string]>([
  [{}, "FakeTensor(..., size=(2, s77))"],
  [{ dtype: "int64" }, "FakeTensor(..., size=(2, s77), dtype=torch.int64)"],
  [{ device: device("cuda", 0) }, "FakeTensor(..., device='cuda:0', size=(2, s77))"],
  [
    { device: device("meta"), dtype: "bool" },
    "FakeTensor(..., device='meta', size=(2, s77), dtype=torch.bool)",
  ],
  [{ shape: [], strides: [], dtype: "float16" }, "FakeTensor(..., size=(), dtype=torch.float16)"],
  [{ shape: [2], strides: [1], requiresGrad: true }, "FakeTensor(..., size=(2,), requires_grad=True)"],
  [
    { shape: new Array<number>(15).fill(1), dtype: "float64", requiresGrad: true },
    "FakeTensor(..., size=(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),\n           dtype=torch.float64, requires_grad=True)",
  ],
])("a fake tensor prints as PyTorch's: %j", (init, text) => {
  expect(`${fakeOf(init)}`).toBe(text);
  expect(inspect(fakeOf(init))).toBe(text);
});

test("the type of a tensor is its dtype and sizes", () => {
  expect(typeText(fakeOf())).toBe("float32[2, s77]");
});
