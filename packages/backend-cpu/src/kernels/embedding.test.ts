import { float } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

describe("tables of rows", () => {
  const renorm = (indices: readonly number[], p: number): unknown[] => {
    const table = Tensor.from([3, 4, 0.5, 0.5, 6, 8], [3, 2], "float64");
    const index = Tensor.from(indices.map(BigInt), [indices.length], "int64");
    evaluate("aten.embedding_renorm_.default", [table, index, float(1), float(p)]);
    return [...table.toArray()].map((value) => Number(Number(value).toFixed(5)));
  };

  test("are made no longer than the norm, each row once", () => {
    expect(renorm([0, 0, 1], 2)).toEqual([0.6, 0.8, 0.5, 0.5, 6, 8]);
    expect(renorm([2], Infinity)).toEqual([3, 4, 0.5, 0.5, 0.75, 1]);
    expect(renorm([2], 1)).toEqual([3, 4, 0.5, 0.5, 0.42857, 0.57143]);
  });

  test("refuse rows that there are not", () => {
    expect(() => renorm([3], 2)).toThrow("select(): index 3 out of range for tensor of size [3, 2]");
  });
});
