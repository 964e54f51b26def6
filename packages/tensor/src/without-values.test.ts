import { isSconceError } from "@sconce/errors";
import { describe, expect, test } from "vitest";
import { castTensor } from "./cast.js";
import { sameValues } from "./compare.js";
import { writeSafetensors } from "./safetensors.js";
import { Storage } from "./storage.js";
import { getElement, setElement, Tensor } from "./tensor.js";

const missing = (): Tensor =>
  Tensor.withoutValues({ dtype: "float32", shape: [2, 3], strides: [1, 2], requiresGrad: true });

const code = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    return isSconceError(error) ? error.code : String(error);
  }
  return "accepted";
};

describe("a tensor without values", () => {
  test("has a dtype, a shape, strides and a length in bytes", () => {
    const tensor = missing();
    expect(tensor).toMatchObject({ dtype: "float32", shape: [2, 3], strides: [1, 2], requiresGrad: true });
    expect([tensor.hasValues, tensor.storage.hasValues, tensor.numel]).toEqual([false, false, 6]);
    expect(tensor.storage.byteLength).toBe(24);
  });

  test.each<[string, (tensor: Tensor) => unknown]>([
    ["data", (tensor) => tensor.data],
    ["bytes", (tensor) => tensor.storage.bytes],
    ["a view of the storage", (tensor) => tensor.storage.view("int32")],
    ["toArray", (tensor) => tensor.toArray()],
    ["toFloat64Array", (tensor) => tensor.toFloat64Array()],
    ["iteration", (tensor) => [...tensor]],
    ["an element", (tensor) => getElement(tensor, [0, 0])],
    ["writing an element", (tensor) => setElement(tensor, [0, 0], 1)],
    ["a view", (tensor) => tensor.asStrided([3], [1]).data],
    ["a row-major version", (tensor) => tensor.contiguous().data],
    ["another layout", (tensor) => tensor.withLayout([3, 1], 4).data],
  ])("refuses to be read: %s", (_, read) => {
    expect(code(() => read(missing()))).toBe("NO_VALUES");
  });

  test("keeps its kind through views and layouts, and allocates nothing", () => {
    const huge = Tensor.withoutValues({ dtype: "int8", shape: [2 ** 40, 2], strides: [1, 2 ** 40] });
    const views = [huge.contiguous(), huge.withLayout([2, 1], 0), huge.asStrided([2], [1])];
    for (const tensor of [...views, castTensor(huge, "float64")]) expect(tensor.hasValues).toBe(false);
    expect(huge.contiguous().strides).toEqual([2, 1]);
  });

  test("of no elements is an ordinary tensor: there is nothing to know", () => {
    const empty = Tensor.withoutValues({ dtype: "float32", shape: [0, 3] });
    expect([empty.hasValues, empty.toArray()]).toEqual([true, []]);
    expect(Storage.withoutValues(0).hasValues).toBe(true);
  });

  test("is not written: every name is reported", () => {
    const tensors: [string, Tensor][] = [
      ["a", missing()],
      ["b", Tensor.empty([1], "int8")],
      ["c.d", missing()],
    ];
    expect(() => writeSafetensors(tensors)).toThrow(/^2 tensors have no values to write: "a", "c.d"$/);
  });

  test("equals its like and nothing else", () => {
    expect(sameValues(missing(), missing())).toBe(true);
    expect(sameValues(missing(), Tensor.empty([2, 3], "float32"))).toBe(false);
    expect(sameValues(Tensor.empty([2, 3], "float32"), missing())).toBe(false);
  });
});

test("sameValues compares bits in logical order", () => {
  const a = Tensor.from([1, Number.NaN, -0], [3], "float32");
  expect(sameValues(a, Tensor.from([1, Number.NaN, -0], [3], "float32"))).toBe(true);
  expect(sameValues(a, Tensor.from([1, Number.NaN, 0], [3], "float32"))).toBe(false);
  const rows = Tensor.from([1, 2, 3, 4], [2, 2], "int32");
  expect(sameValues(rows.asStrided([2, 2], [1, 2]), Tensor.from([1, 3, 2, 4], [2, 2], "int32"))).toBe(true);
});
