import { isSconceError } from "@sconce/errors";
import { describe, expect, test } from "vitest";
import {
  castTensor,
  DTYPES,
  getElement,
  readSafetensors,
  requiredBytes,
  Storage,
  setElement,
  Tensor,
  writeSafetensors,
} from "./index.js";

const matrix = Tensor.from([0, 1, 2, 3, 4, 5], [2, 3], "float32");
const transposed = matrix.asStrided([3, 2], [1, 3]);

describe("Tensor", () => {
  test("reads strided views in logical order", () => {
    expect(transposed.toArray()).toEqual([0, 3, 1, 4, 2, 5]);
    expect([...transposed.contiguous().data]).toEqual([0, 3, 1, 4, 2, 5]);
    expect(matrix.contiguous()).toBe(matrix);
    expect([...matrix.asStrided([2, 2, 3], [3, 0, 1])]).toEqual([0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]);
    expect(matrix.asStrided([], [], 4).toArray()).toEqual([4]);
    expect(matrix.asStrided([0, 2], [2, 1]).toArray()).toEqual([]);
  });

  test("gets and sets single elements through a view", () => {
    const base = Tensor.from([1n, 2n, 2n ** 62n + 1n, 4n], [2, 2], "int64");
    const column = base.asStrided([2], [2], 0);
    setElement(column, [1], -(2n ** 63n));
    expect(getElement(base, [1, 0])).toBe(-(2n ** 63n));
    expect(() => getElement(base, [2, 0])).toThrow("out of range");
  });

  test("stores bools, halves and complex numbers", () => {
    expect(Tensor.from([true, false, 2, 0n], [4], "bool").toArray()).toEqual([true, false, true, false]);
    expect(Tensor.from([1.5, 65504, 1e6], [3], "float16").toArray()).toEqual([1.5, 65504, Infinity]);
    const complex = Tensor.from([{ re: 1, im: -2 }, 3], [2], "complex64");
    expect(complex.toArray()).toEqual([
      { re: 1, im: -2 },
      { re: 3, im: 0 },
    ]);
    expect([...complex.toFloat64Array()]).toEqual([1, -2, 3, 0]);
  });

  test("casts strided views", () => {
    expect(castTensor(transposed, "int64").toArray()).toEqual([0n, 3n, 1n, 4n, 2n, 5n]);
    expect(castTensor(transposed, "float32")).toBe(transposed);
  });

  test("counts the bytes of overlapping and empty views", () => {
    expect(requiredBytes([2, 3], [3, 1], 0, 4)).toBe(24);
    expect(requiredBytes([2 ** 40, 3], [0, 1], 2, 8)).toBe(40);
    expect(requiredBytes([0, 5], [1, 1], 9, 4)).toBe(0);
    expect(requiredBytes([], [], 0, 4)).toBe(4);
    expect(requiredBytes([2 ** 40, 2 ** 40], [2 ** 40, 1], 0, 4)).toBeGreaterThan(2 ** 60);
  });
});

const encode = (header: string, data = 0): Uint8Array => {
  const text = new TextEncoder().encode(header);
  const file = new Uint8Array(8 + text.length + data);
  new DataView(file.buffer).setUint32(0, text.length, true);
  file.set(text, 8);
  return file;
};

describe("safetensors", () => {
  test("round-trips every dtype it has, aligned and without a copy", () => {
    const tensors = new Map(
      DTYPES.filter((dtype) => dtype !== "complex32" && dtype !== "complex128").map(
        (dtype) => [dtype, Tensor.from([1, 0, 3], [3], dtype)] as const,
      ),
    );
    tensors.set("bool", Tensor.from([true], [], "bool"));
    const file = writeSafetensors(tensors, { format: "pt" });
    const { tensors: read, metadata } = readSafetensors(file);
    expect(Object.fromEntries(metadata)).toEqual({ format: "pt" });
    expect(read.size).toBe(tensors.size);
    for (const [name, tensor] of tensors) {
      expect(read.get(name)!.toArray()).toEqual(tensor.toArray());
      expect(read.get(name)!.storage.bytes.buffer).toBe(file.buffer);
    }
  });

  test("writes strided views row-major and copies unaligned data", () => {
    const file = writeSafetensors([["t", transposed]]);
    const shifted = new Uint8Array(file.length + 1);
    shifted.set(file, 1);
    expect(readSafetensors(shifted.subarray(1)).tensors.get("t")!.toArray()).toEqual([0, 3, 1, 4, 2, 5]);
  });

  test("an integer-like name keeps its place", () => {
    const file = writeSafetensors([
      ["b", matrix],
      ["0", matrix],
    ]);
    expect(readSafetensors(file).tensors.get("0")!.toArray()).toEqual(matrix.toArray());
  });

  const entry = (shape: string, offsets: string, dtype = "U8"): string =>
    `{"dtype":"${dtype}","shape":${shape},"data_offsets":${offsets}}`;
  test.each([
    ["hole", encode(`{"a":${entry("[2]", "[1,3]")}}`, 3)],
    ["overlap", encode(`{"a":${entry("[2]", "[0,2]")},"b":${entry("[2]", "[1,3]")}}`, 3)],
    ["unused end", encode(`{"a":${entry("[2]", "[0,2]")}}`, 3)],
    ["past the end", encode(`{"a":${entry("[9]", "[0,9]")}}`, 3)],
    ["huge sizes", encode(`{"a":${entry("[9007199254740991,9007199254740991]", "[0,3]")}}`, 3)],
    ["past 2^53", encode(`{"a":${entry("[99007199254740993]", "[0,3]")}}`, 3)],
    ["negative", encode(`{"a":${entry("[-3]", "[0,3]")}}`, 3)],
    ["wrong size", encode(`{"a":${entry("[2]", "[0,3]")}}`, 3)],
    ["unknown dtype", encode(`{"a":${entry("[3]", "[0,3]", "toString")}}`, 3)],
    ["duplicate", encode(`{"a":${entry("[1]", "[0,1]")},"a":${entry("[2]", "[1,3]")}}`, 3)],
    ["not an object", encode("[1]")],
    ["metadata not strings", encode(`{"__metadata__":{"a":1}}`)],
    ["deep", encode(`{"a":${"[".repeat(200_000)}`)],
    ["empty", new Uint8Array(0)],
    ["huge header", Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 255)],
  ])("refuses %s", (_, file) => {
    expect(() => readSafetensors(file)).toThrow(
      expect.toSatisfy((e: unknown) => isSconceError(e, "SAFETENSORS")),
    );
  });

  test("refuses every truncation", () => {
    const file = writeSafetensors([
      ["a", matrix],
      ["b", Tensor.from([1], [1], "uint8")],
    ]);
    for (let length = 0; length < file.length; length++) {
      expect(() => readSafetensors(file.subarray(0, length))).toThrow(
        expect.toSatisfy((e: unknown) => isSconceError(e, "SAFETENSORS")),
      );
    }
  });
});

test("a storage of odd length gives whole elements only", () => {
  expect(new Storage(new Uint8Array(7)).view("float32").length).toBe(1);
});

test.each([[[-1]], [[1.5]], [[2, Number.NaN]]])("the shape %j is refused", (shape) => {
  expect(() => Tensor.empty(shape, "float32")).toThrow(
    expect.objectContaining({ code: "SHAPE", fix: "give whole numbers from 0 on" }),
  );
});

test.each<[unknown, RegExp]>([
  [[1, 2], /got a list/],
  [undefined, /got undefined/],
  [{ shape: [2] }, /takes an object with a dtype, a shape and a storage/],
])("new Tensor(%j) names Tensor.from", (init, message) => {
  expect(() => new Tensor(init as never)).toThrow(
    expect.objectContaining({
      code: "TENSOR_OPTION",
      message: expect.stringMatching(message),
      fix: expect.stringContaining("Tensor.from([1, 2])"),
    }),
  );
});
