import { describe, expect, test } from "vitest";
import { type DType, type NestedValues, type NumericArray, Tensor, type TensorOptions } from "./index.js";

const NAN = Number.NaN;
const failure = (make: () => unknown): unknown => {
  try {
    return make();
  } catch (error) {
    return error;
  }
};

// The dtypes and shapes are what `torch.tensor` gives.
test.each<[NestedValues, DType, readonly number[], unknown?]>([
  [[1, 2], "int64", [2], [1n, 2n]],
  [[1, 2.5], "float32", [2], [1, 2.5]],
  [[true, false], "bool", [2], [true, false]],
  [[true, 2], "int64", [2], [1n, 2n]],
  [[true, 2.5], "float32", [2], [1, 2.5]],
  [[], "float32", [0]],
  [[[], []], "float32", [2, 0]],
  [3, "int64", [], [3n]],
  [2.5, "float32", []],
  [true, "bool", []],
  [[1, { re: 0, im: 2 }], "complex64", [2]],
  [2n ** 63n - 1n, "int64", [], [2n ** 63n - 1n]],
  [2 ** 62, "int64", [], [2n ** 62n]],
  [
    [
      [1, 2],
      [3, 4],
      [5, 6.5],
    ],
    "float32",
    [3, 2],
    [1, 2, 3, 4, 5, 6.5],
  ],
  [[NAN], "float32", [1]],
  [[-0], "float32", [1], [-0]],
  [[1e40], "float32", [1], [Infinity]],
  [
    [
      [[1], [2]],
      [[3], [4]],
    ],
    "int64",
    [2, 2, 1],
  ],
  [new Float64Array([1, 2]), "float64", [2], [1, 2]],
  [new Uint8ClampedArray([1, 2]), "uint8", [2], [1, 2]],
  [new BigInt64Array([-1n]), "int64", [1], [-1n]],
  [[new Int16Array([1, 2]), new Int16Array([3, 4])], "int16", [2, 2], [1, 2, 3, 4]],
  [[new Int16Array([1, 2]), new Float32Array([3, 0.5])], "float32", [2, 2], [1, 2, 3, 0.5]],
])("the dtype and the shape of values, case %#", (values, dtype, shape, elements) => {
  const tensor = Tensor.from(values);
  expect([tensor.dtype, tensor.shape]).toEqual([dtype, shape]);
  if (elements !== undefined) expect(tensor.toArray()).toEqual(elements);
});

test("options give the dtype and requiresGrad", () => {
  const tensor = Tensor.from([[1, 2]], { dtype: "float16", requiresGrad: true });
  expect(String(tensor)).toBe("tensor([[1., 2.]], dtype=torch.float16, requires_grad=True)");
  expect(Tensor.from([1.5, -1.5], { dtype: "int64" }).toArray()).toEqual([1n, -1n]);
  expect(Tensor.from([-1], { dtype: "uint8" }).toArray()).toEqual([255]);
  expect(Tensor.from([70000.5, 1], { dtype: "float16" }).toArray()).toEqual([Infinity, 1]);
});

const circular: unknown[] = [];
circular.push(circular);

describe("values that cannot be a tensor are refused", () => {
  test.each<[unknown, TensorOptions | undefined, string, string | undefined]>([
    [[[1, 2], [3]], undefined, "expected sequence of length 2 at dim 1 (got 1)", "values[1]"],
    [[[1], 2], undefined, "expected sequence of length 1 at dim 1 (got a number)", "values[1]"],
    [[[[1], [2]], [[3]]], undefined, "expected sequence of length 2 at dim 1 (got 1)", "values[1]"],
    [
      [1, [2]],
      undefined,
      "an array stands where the first elements of the outer arrays have a number",
      "values[1]",
    ],
    [["a"], undefined, "a string cannot be an element of a tensor", "values[0]"],
    [[[1, null]], undefined, "null cannot be an element of a tensor", "values[0][1]"],
    [undefined, undefined, "undefined cannot be an element of a tensor", "values"],
    [new SharedArrayBuffer(4), undefined, "a SharedArrayBuffer cannot be an element of a tensor", "values"],
    [
      { data: new Uint8ClampedArray(4), width: 1, height: 1 },
      undefined,
      "an ImageData cannot be an element of a tensor",
      "values",
    ],
    [new DataView(new ArrayBuffer(4)), undefined, "a DataView cannot be an element of a tensor", "values"],
    [circular, undefined, "the values are nested deeper than 64 arrays", undefined],
    [
      [0, [300]][1],
      { dtype: "uint8" },
      "value cannot be converted to type uint8 without overflow: 300",
      "values[0]",
    ],
    [
      [[0, 2 ** 40]],
      { dtype: "int32" },
      "value cannot be converted to type int32 without overflow: 1099511627776",
      "values[0][1]",
    ],
    [[NAN], { dtype: "int64" }, "value cannot be converted to type int64 without overflow: NaN", "values[0]"],
    [
      2n ** 63n,
      undefined,
      "value cannot be converted to type int64 without overflow: 9223372036854775808",
      "values",
    ],
    [
      [{ re: 1, im: -2 }],
      { dtype: "float32" },
      "value cannot be converted to type float32 without overflow: 1-2j",
      "values[0]",
    ],
  ])("case %#", (values, options, message, where) => {
    expect(failure(() => Tensor.from(values as NestedValues, options))).toMatchObject({
      code: "TENSOR_VALUES",
      message,
      where,
      fix: expect.stringMatching(/^give /),
    });
  });

  test("and so are unknown dtypes and options", () => {
    expect(() => Tensor.from([1], { dtype: "float" as DType })).toThrow('unknown dtype "float"');
    expect(() => Tensor.from([1], [1], "f32" as DType)).toThrow('unknown dtype "f32"');
    for (const name of ["f32", "torch.float32"])
      expect(() => Tensor.from([1], { dtype: name as DType })).toThrow(
        expect.objectContaining({ fix: expect.stringContaining('write "float32"') }),
      );
    expect(() => Tensor.from([1], { dtyp: "float32" } as TensorOptions)).toThrow(
      'Tensor.from has no option "dtyp"',
    );
  });
});

describe("Tensor.fromData", () => {
  test("shares the memory of the typed array", () => {
    const data = new Float32Array([1, 2, 3, 4]);
    const tensor = Tensor.fromData(data, "float32", [2, 2]);
    data[3] = 7;
    expect(tensor.toArray()).toEqual([1, 2, 3, 7]);
    expect(Tensor.fromData(data.subarray(1), "float32").toArray()).toEqual([2, 3, 7]);
  });

  test.each<[NumericArray, DType, unknown]>([
    [new Uint16Array([0x3c00, 0xc000]), "float16", [1, -2]],
    [new Uint16Array([0x3f80]), "bfloat16", [1]],
    [new BigInt64Array([1n, -1n]), "int64", [1n, -1n]],
    [new Uint8Array([0, 1]), "bool", [false, true]],
    [new Float32Array([1, -2]), "complex64", [{ re: 1, im: -2 }]],
  ])("%s as %s", (data, dtype, elements) => {
    expect(Tensor.fromData(data, dtype).toArray()).toEqual(elements);
  });

  test.each<[NumericArray, DType, readonly number[] | undefined, string]>([
    [
      new Int32Array(2),
      "float32",
      undefined,
      "elements of float32 are held by a Float32Array, not by an Int32Array",
    ],
    [
      new Float32Array(2),
      "float16",
      undefined,
      "elements of float16 are held by a Uint16Array, not by a Float32Array",
    ],
    [new Float32Array(3), "complex64", undefined, "1.5 values do not fill the shape [1.5]"],
    [new Float32Array(3), "float32", [2, 2], "3 values do not fill the shape [2, 2]"],
    [new Float32Array(4), "float32", [-2, -2], "4 values do not fill the shape [-2, -2]"],
  ])("refuses %s as %s in the shape %j", (data, dtype, shape, message) => {
    expect(() => Tensor.fromData(data, dtype, shape)).toThrow(message);
  });
});
