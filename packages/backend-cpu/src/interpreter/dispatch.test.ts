import { float, tuple } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { readNumbers } from "../kernel/dense.js";
import { createEvaluator, evaluate } from "./backend.js";

const f32 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor => {
  const tensor = Tensor.empty(shape, "float32");
  (tensor.data as Float32Array).set(values);
  return tensor;
};
const numbers = (value: unknown): number[] => [...readNumbers(value as Tensor)];
const code = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return "nothing";
};

describe("running single operators", () => {
  test("a kernel takes tensors and Python numbers", () => {
    expect(numbers(evaluate("aten.add.Tensor", [f32([1, 2]), f32([10])], { alpha: 2 }))).toEqual([21, 22]);
    expect(numbers(evaluate("aten.mul.Tensor", [f32([1, 2]), 2.5]))).toEqual([2.5, 5]);
  });

  test("a composite runs through its decomposition", () => {
    const weight = f32([1, 2, 3, 4, 5, 6], [3, 2]);
    expect(numbers(evaluate("aten.linear.default", [f32([1, 1]), weight, f32([0, 0, 1])]))).toEqual([
      3, 7, 12,
    ]);
  });

  test("a view shares its argument's storage", () => {
    const base = f32([1, 2, 3, 4], [2, 2]);
    const view = evaluate("aten.transpose.int", [base, 0, 1]) as Tensor;
    expect(view.storage).toBe(base.storage);
    expect(numbers(view)).toEqual([1, 3, 2, 4]);
  });

  test("an in-place operator writes through views", () => {
    const base = f32([1, 2, 3, 4], [2, 2]);
    const row = evaluate("aten.select.int", [base, 0, 1]);
    expect(evaluate("aten.add_.Tensor", [row, 10])).toBe(row);
    expect(numbers(base)).toEqual([1, 2, 13, 14]);
  });

  test("an in-place operator on overlapping memory reads before it writes", () => {
    const base = f32([1, 2, 3, 4, 5]);
    const [later, earlier] = [base.asStrided([2], [2], 2), base.asStrided([2], [2])];
    evaluate("aten.copy_.default", [later, earlier]);
    expect(numbers(base)).toEqual([1, 2, 1, 4, 3]);
  });

  test("an in-place view changes the tensor itself", () => {
    const tensor = f32([1, 2, 3], [1, 3]);
    expect(evaluate("aten.t_.default", [tensor])).toBe(tensor);
    expect(tensor.shape).toEqual([3, 1]);
  });

  test("sizes are values", () => {
    expect(evaluate("aten.sym_size.int", [f32([1, 2, 3, 4], [2, 2]), -1])).toBe(2);
  });

  test("literals are bound by the schema", () => {
    const filled = evaluate("aten.full.default", [tuple([2]), float(3)], {
      dtype: { kind: "dtype", dtype: "int64" },
    }) as Tensor;
    expect([filled.dtype, [...(filled.data as BigInt64Array)]]).toEqual(["int64", [3n, 3n]]);
  });

  test("random numbers follow the seed", () => {
    const first = numbers(createEvaluator()("aten.rand.default", [[4]]));
    expect(numbers(createEvaluator()("aten.rand.default", [[4]]))).toEqual(first);
  });
});

describe("refusals", () => {
  test("an unknown operator", () =>
    expect(code(() => evaluate("aten.nonsense.default", []))).toBe("UNKNOWN_OPERATOR"));
  test("shapes that do not fit", () =>
    expect(code(() => evaluate("aten.mm.default", [f32([1], [1, 1]), f32([1, 2], [2, 1])]))).toBe(
      "SHAPE_MISMATCH",
    ));
  test("a float result for an integer place", () => {
    const whole = Tensor.empty([2], "int64");
    expect(code(() => evaluate("aten.div_.Tensor", [whole, 2]))).toBe("DTYPE_MISMATCH");
  });
  test("a view beyond its storage", () =>
    expect(code(() => evaluate("aten.as_strided.default", [f32([1, 2]), [3], [1]]))).toBe("OUT_OF_STORAGE"));
  test("an index out of range", () => {
    const index = Tensor.empty([1], "int64");
    (index.data as BigInt64Array)[0] = 5n;
    expect(code(() => evaluate("aten.embedding.default", [f32([1, 2], [2, 1]), index]))).toBe(
      "INDEX_OUT_OF_RANGE",
    );
  });
});
