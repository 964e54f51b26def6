import { describe, expect, test } from "vitest";
import { Tensor } from "./index.js";

const json = (tensor: Tensor): unknown => JSON.parse(JSON.stringify(tensor));

describe("JSON.stringify of a tensor", () => {
  test.each<[string, Tensor, unknown]>([
    [
      "nested values",
      Tensor.from([
        [1, 2.5],
        [3, 4],
      ]),
      {
        dtype: "float32",
        shape: [2, 2],
        values: [
          [1, 2.5],
          [3, 4],
        ],
      },
    ],
    ["a scalar", Tensor.from(true), { dtype: "bool", shape: [], values: true }],
    [
      "long integers",
      Tensor.from([2n ** 62n, -1n]),
      { dtype: "int64", shape: [2], values: ["4611686018427387904", "-1"] },
    ],
    [
      "short integers",
      Tensor.from([1, 2], { dtype: "int32" }),
      { dtype: "int32", shape: [2], values: [1, 2] },
    ],
    [
      "no numbers",
      Tensor.from([NaN, Infinity, -Infinity]),
      { dtype: "float32", shape: [3], values: ["NaN", "Infinity", "-Infinity"] },
    ],
    [
      "complex numbers",
      Tensor.from([{ re: 1, im: NaN }]),
      { dtype: "complex64", shape: [1], values: [{ re: 1, im: "NaN" }] },
    ],
    [
      "three dimensions",
      Tensor.from(
        [
          [[1], [2]],
          [[3], [4]],
        ],
        { dtype: "uint8" },
      ),
      {
        dtype: "uint8",
        shape: [2, 2, 1],
        values: [
          [[1], [2]],
          [[3], [4]],
        ],
      },
    ],
    [
      "no elements",
      Tensor.empty([2, 0, 3], "float32"),
      { dtype: "float32", shape: [2, 0, 3], values: [[], []] },
    ],
    [
      "a view",
      Tensor.from(
        [
          [1, 2],
          [3, 4],
        ],
        { dtype: "uint8" },
      ).asStrided([2, 2], [1, 2]),
      {
        dtype: "uint8",
        shape: [2, 2],
        values: [
          [1, 3],
          [2, 4],
        ],
      },
    ],
    ["no values", Tensor.withoutValues({ dtype: "float32", shape: [2] }), { dtype: "float32", shape: [2] }],
  ])("%s", (_, tensor, expected) => {
    expect(json(tensor)).toEqual(expected);
  });

  test("large tensors are shown without their values", () => {
    expect(json(Tensor.empty([100, 101], "uint8"))).toEqual({ dtype: "uint8", shape: [100, 101] });
    expect(json(Tensor.empty([100, 100], "uint8"))).toHaveProperty("values");
  });
});

test("a dtype in place of the options says where it goes", () => {
  expect(() => Tensor.from([1], "float16" as never)).toThrow(
    expect.objectContaining({
      code: "TENSOR_OPTION",
      fix: 'write Tensor.from(values, { dtype: "float16" })',
    }),
  );
});
