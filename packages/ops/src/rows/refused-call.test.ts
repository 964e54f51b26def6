import { isSconceError, type SconceError } from "@sconce/errors";
import { FakeTensor } from "@sconce/ir";
import { STATIC_ENV } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { defaultOperators } from "../index.js";
import { metaOf } from "../table/fake-emit.js";
import type { OpDefinition } from "./define-op.js";
import { RefusedCall } from "./errors.js";

const operators = defaultOperators();
const tensor = (shape: readonly number[], dtype: DType = "float32"): FakeTensor =>
  new FakeTensor({
    dtype,
    shape,
    strides: shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1)),
  });

function refusal(target: string, ...args: readonly unknown[]): SconceError {
  try {
    metaOf(operators, target, args, {}, STATIC_ENV);
  } catch (error) {
    if (isSconceError(error)) return error;
    throw error;
  }
  throw new Error(`${target} took the call`);
}

describe("a refusal has PyTorch's reason, the arguments, the operator and a fix", () => {
  test.each<[target: string, args: readonly unknown[], message: string, fix: string]>([
    [
      "aten.mm.default",
      [tensor([2, 3]), tensor([4, 5])],
      "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5); got self: float32[2, 3], mat2: float32[4, 5]",
      "make the inner sizes equal: transpose or reshape `self` or `mat2`",
    ],
    [
      "aten.bmm.default",
      [tensor([1, 2, 3]), tensor([1, 3, 5], "int64")],
      "expected scalar type float32 but found int64; got self: float32[1, 2, 3], mat2: int64[1, 3, 5]",
      "convert `mat2` to float32, or `self` to int64, with `x.to(dtype)` in the model",
    ],
    [
      "aten.view.default",
      [tensor([2, 3]), [4, 4]],
      "shape '[4, 4]' is invalid for input of size 6; got self: float32[2, 3], size: [4, 4]",
      "correct `self` or `size`",
    ],
    [
      "aten.cat.default",
      [new Array(9).fill(tensor([2])), 7],
      "Dimension out of range (expected to be in range of [-1, 0], but got 7); got tensors: " +
        `[${new Array(6).fill("float32[2]").join(", ")}, ... 9 in all], dim: 7`,
      "give a dimension from -1 to 0",
    ],
  ])("%s", (target, args, message, fix) => {
    expect(refusal(target, ...args)).toMatchObject({ message, where: target, fix });
  });

  test("inside of a decomposition, the arguments are those of the outer call", () => {
    expect(refusal("aten.linear.default", tensor([2, 3]), tensor([4, 5]))).toMatchObject({
      message:
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 5x4); got input: float32[2, 3], weight: float32[4, 5]",
      where: "aten.linear.default: aten.matmul.default: aten.mm.default",
      fix: "make the inner sizes equal: transpose or reshape `input` or `weight`",
    });
  });

  test("long arguments are cut", () => {
    const { message } = refusal("aten.cat.default", new Array(6).fill(tensor(new Array(60).fill(1))), 99);
    expect(message.length).toBeLessThan(600);
    expect(message).toContain("... 60 in all]");
  });
});

/** Arguments that few operators take: tensors of unlike sizes and dtypes, and the dimension 9. */
function oddArguments({ schema }: OpDefinition, ranks: readonly number[]): unknown[] {
  let tensors = 0;
  const next = (): FakeTensor => {
    const rank = ranks[tensors % ranks.length]!;
    const sizes = Array.from({ length: rank }, (_, d) => 2 + ((d + tensors) % 5));
    return tensor(sizes, tensors++ % 2 === 1 ? "int64" : "float32");
  };
  const values: Readonly<Record<string, () => unknown>> = {
    Tensor: next,
    int: () => 9,
    SymInt: () => 9,
    float: () => -1,
    Scalar: () => 3,
    bool: () => true,
    str: () => "odd",
  };
  const value = (base: string): unknown => values[base]?.();
  return schema.args
    .filter(({ kwargOnly, hasDefault }) => !kwargOnly && !hasDefault)
    .map(({ type }) => (type.list ? [value(type.base), value(type.base)] : value(type.base)));
}

test("every operator reports what it refuses in this way", () => {
  let refused = 0;
  const wrong: string[] = [];
  for (const row of operators) {
    for (const ranks of [
      [1, 3],
      [2, 4],
      [4, 2],
      [0, 5],
    ]) {
      try {
        metaOf(operators, row.target, oddArguments(row, ranks), {}, STATIC_ENV);
      } catch (error) {
        if (!isSconceError(error)) throw error;
        if (!(error instanceof RefusedCall)) {
          if (error.where === undefined || error.fix === undefined)
            wrong.push(`${row.target}: ${error.code} ${error.message}`);
          continue;
        }
        refused++;
        const { fix = "", where = "", message } = error;
        const named = row.schema.args.some(({ name }) => message.includes(`${name}: `));
        if (!where.startsWith(row.target) || fix === "" || !named) wrong.push(`${row.target}: ${message}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(refused).toBeGreaterThan(1000);
});
