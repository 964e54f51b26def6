import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { type NumericArray, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { createSconce } from "../index.js";

/** The identity of a tensor, with the type of IR text; `n` is a dynamic int. */
const identity = (type: string): ExportedProgram =>
  parseIr(`sconce-ir 1
program "ATEN" {
  range "s0" [0, 100]
  range "s1" [0, 100]
  input %x: USER_INPUT
  output %y: USER_OUTPUT
  call "" ((*), {}) -> * names ["x"]
}
graph(%x: ${type}) {
  %y: ${type} = aten.clone.default(%x)
  return (%y)
}`);
const call = async (type: string, data: unknown): Promise<Tensor> => {
  using module = await createSconce().module(identity(type));
  return (await module.call([data])) as Tensor;
};

describe("a typed array represents a tensor", () => {
  test.each<[string, NumericArray, readonly number[], unknown]>([
    ["f32[3]", new Float32Array([1, 2, 3]), [3], [1, 2, 3]],
    ["f32[s0]", new Float32Array([1, 2]), [2], [1, 2]],
    ["f32[s0, 2]", new Float32Array([1, 2, 3, 4]), [2, 2], [1, 2, 3, 4]],
    ["f32[2, 3]", new Float32Array(6), [2, 3], [0, 0, 0, 0, 0, 0]],
    ["f64[2]", new Float64Array([0.1, 2]), [2], [0.1, 2]],
    ["i64[2]", new BigInt64Array([1n, -(2n ** 63n)]), [2], [1n, -(2n ** 63n)]],
    ["f16[2]", new Uint16Array([0x3c00, 0xfc00]), [2], [1, -Infinity]],
    ["b8[2]", new Uint8Array([1, 0]), [2], [true, false]],
    ["u8[s0]", new Uint8ClampedArray([300, 7]), [2], [255, 7]],
    ["f32[2]", new Float32Array(new SharedArrayBuffer(8)), [2], [0, 0]],
    ["c64[1]", new Float32Array([1, -2]), [1], [{ re: 1, im: -2 }]],
    ["f32[]", new Float32Array([7]), [], [7]],
    ["f32[0]", new Float32Array(0), [0], []],
  ])("%s", async (type, data, shape, elements) => {
    const result = await call(type, data);
    expect([result.shape, result.toArray()]).toEqual([shape, elements]);
  });

  test("a part of a larger array, without a copy of the rest", async () => {
    const data = new Float32Array([9, 1, 2, 9]).subarray(1, 3);
    expect((await call("f32[2]", data)).toArray()).toEqual([1, 2]);
  });
});

describe("an array that does not say which tensor it is", () => {
  test.each<[string, NumericArray, string, string]>([
    [
      "f32[2]",
      new Float64Array(2),
      "a Float64Array does not hold elements of float32",
      'Tensor.from(data, [2], "float32")',
    ],
    [
      "i64[2]",
      new Int32Array(2),
      "an Int32Array does not hold elements of int64",
      'Tensor.from(data, [2], "int64")',
    ],
    [
      "f16[2]",
      new Float32Array(2),
      "a Float32Array does not hold elements of float16",
      'Tensor.from(data, [2], "float16")',
    ],
    [
      "f32[2, 3]",
      new Float32Array(5),
      "5 elements do not fill the shape",
      'with 6 elements, Tensor.fromData(data, "float32", [2, 3])',
    ],
    [
      "f32[s0, 2]",
      new Float32Array(5),
      "5 elements do not fill the shape",
      'with a multiple of 2 elements, Tensor.fromData(data, "float32", [s0, 2])',
    ],
    [
      "f32[s0, s1]",
      new Float32Array(4),
      "4 elements do not say which of the 2 dynamic sizes is which",
      'Tensor.fromData(data, "float32", [s0, s1])',
    ],
    [
      "f32[s0, 0]",
      new Float32Array(0),
      "0 elements do not fill the shape",
      'Tensor.fromData(data, "float32", [s0, 0])',
    ],
  ])("%s", async (type, data, why, code) => {
    await expect(call(type, data)).rejects.toMatchObject({
      code: "INPUT_ARRAY",
      message: expect.stringContaining(`the typed array at *args[0] cannot be x: `),
      fix: `make the tensor yourself: ${code}`,
      where: "x",
    });
    await expect(call(type, data)).rejects.toThrow(why);
  });
});

test("the code of an error works", async () => {
  const data = new Float64Array([1, 2.5]);
  expect((await call("f32[s0]", Tensor.from(data, [2], "float32"))).toArray()).toEqual([1, 2.5]);
});

/** What a browser has; Node has no such class. */
class ImageData {
  readonly data: ArrayLike<number>;
  readonly width = 3;
  readonly height = 2;

  constructor(data: ArrayLike<number> = Uint8ClampedArray.from({ length: 24 }, (_, i) => i)) {
    this.data = data;
  }
}

describe("an image represents its pixels", () => {
  test.each(["u8[2, 3, 4]", "u8[s0, s1, 4]", "u8[s0, 3, 4]"])("%s", async (type) => {
    const result = await call(type, new ImageData());
    expect([result.dtype, result.shape]).toEqual(["uint8", [2, 3, 4]]);
    expect(result.toArray()).toEqual(Array.from(new ImageData().data));
  });

  test.each(["f32[2, 3, 4]", "u8[4, 2, 3]", "u8[3, 2, 4]", "u8[24]", "u8[1, 2, 3, 4]", "i64[s0, s1, 4]"])(
    "but not %s",
    async (type) => {
      await expect(call(type, new ImageData())).rejects.toMatchObject({
        code: "INPUT_ARRAY",
        message: expect.stringMatching(
          /^the ImageData at \*args\[0\] cannot be x: .*: it is uint8\[2, 3, 4\]: /,
        ),
        fix: expect.stringContaining("Tensor.from(image.data, [2, 3, 4], "),
      });
    },
  );

  test("but not with pixels of another kind", async () => {
    const floats = new ImageData(new Float32Array(24));
    await expect(call("u8[2, 3, 4]", floats)).rejects.toMatchObject({ code: "INPUT_ARRAY" });
  });
});

test.each<[unknown, string, string]>([
  [new ArrayBuffer(8), "an ArrayBuffer", "new Float32Array(buffer)"],
  [new SharedArrayBuffer(8), "a SharedArrayBuffer", "new Float32Array(buffer)"],
  [new DataView(new ArrayBuffer(8)), "a DataView", "new Float32Array(view.buffer, view.byteOffset)"],
])("%s does not say what its bytes are", async (bytes, name, code) => {
  await expect(call("f32[2]", bytes)).rejects.toMatchObject({
    code: "INPUT_ARRAY",
    message: expect.stringContaining(`${name} does not say what its bytes are`),
    fix: `make the tensor yourself: Tensor.fromData(${code}, "float32", [2])`,
  });
});

test.each<[unknown, string]>([
  [new Response("x"), "a Response"],
  [new URL("https://example.org/x"), "a URL"],
  [new Blob(["x"]), "a Blob"],
  [Promise.resolve(1), "a Promise"],
  [new Date(0), "a Date"],
  ["x", "a string"],
  [1, "a number"],
  [null, "None"],
])("%s is not a tensor, and is named", async (value, name) => {
  await expect(call("f32[2]", value)).rejects.toMatchObject({
    code: "INPUT_TYPE",
    message: `Expected input at *args[0] to be a tensor, but got ${name}`,
  });
});
