import { Storage, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import {
  finishOutput,
  openOutput,
  readBigInts,
  readComplex,
  readNumbers,
  writeBigInts,
  writeComplex,
} from "./dense.js";
import { emptyStrided } from "./kernel.js";

const vector = (values: readonly number[], dtype: "float32" | "int32" = "float32"): Tensor => {
  const tensor = Tensor.empty([values.length], dtype);
  (tensor.data as Float32Array).set(values);
  return tensor;
};

describe("dense reading and writing", () => {
  test("a contiguous native tensor is read without a copy", () => {
    const tensor = vector([1, 2, 3]);
    expect(readNumbers(tensor).buffer).toBe(tensor.data.buffer);
  });

  test("strides, offsets and broadcasting are resolved", () => {
    const base = vector([0, 1, 2, 3, 4, 5]);
    expect([...readNumbers(base.asStrided([3, 2], [1, 3]))]).toEqual([0, 3, 1, 4, 2, 5]);
    expect([...readNumbers(base.asStrided([2], [2], 1), [2, 2])]).toEqual([1, 3, 1, 3]);
  });

  test("halves are decoded and rounded back", () => {
    const half = Tensor.empty([2], "bfloat16");
    const values = openOutput(half);
    values.set([1.00390625, -3]);
    finishOutput(half, values);
    expect([...readNumbers(half)]).toEqual([1, -3]);
  });

  test("64-bit integers stay exact and wrap into smaller ones", () => {
    const big = Tensor.empty([1], "int64");
    writeBigInts(big, BigInt64Array.of(9007199254740993n));
    expect(readBigInts(big)[0]).toBe(9007199254740993n);
    const small = Tensor.empty([1], "int8");
    writeBigInts(small, BigInt64Array.of(300n));
    expect(small.data[0]).toBe(44);
  });

  test("complex numbers are pairs, real ones get zeros", () => {
    expect([...readComplex(vector([2, 3]))]).toEqual([2, 0, 3, 0]);
    const tensor = emptyStrided([2], [2], "complex64");
    writeComplex(tensor, [1, 2, 3, 4]);
    expect([...(tensor.data as Float32Array)]).toEqual([1, 2, 0, 0, 3, 4]);
  });

  test("an output in other strides is written at the end", () => {
    const out = new Tensor({
      dtype: "float32",
      shape: [2, 2],
      strides: [1, 2],
      storage: Storage.allocate(16),
    });
    const values = openOutput(out);
    values.set([1, 2, 3, 4]);
    expect([...(finishOutput(out, values).data as Float32Array)]).toEqual([1, 3, 2, 4]);
  });
});

test("a complex tensor is refused where only real numbers are computed with", () => {
  expect(() => readNumbers(emptyStrided([2], [1], "complex64"))).toThrow(/does not compute with complex64/);
});
