import { FakeTensor } from "@sconce/ir";
import { STATIC_ENV, symbol } from "@sconce/symbolic";
import { describe, expect, test } from "vitest";
import { defaultOperators, defineOp, metaOf } from "../index.js";

const fake = (init: object): FakeTensor =>
  new FakeTensor({ dtype: "float32", shape: [2, 3], strides: [3, 1], ...init });
const x = fake({});

function shapeRule(schema: string, meta: () => unknown): unknown {
  const row = defineOp({ schema, meta: meta as never });
  return metaOf(defaultOperators().extend([row]), row.target, [x], {}, STATIC_ENV);
}
const refusal = (meta: () => unknown, schema = "own::op(Tensor x) -> Tensor"): unknown => {
  try {
    return shapeRule(schema, meta);
  } catch (error) {
    return error;
  }
};

describe("what a shape rule returns", () => {
  test.each<[string, () => unknown, string]>([
    ["nothing", () => undefined, "returned undefined where its schema says Tensor"],
    ["None", () => null, "returned null where its schema says Tensor"],
    [
      "a plain object",
      () => ({ ...x }),
      "returned an object that is not a FakeTensor where its schema says Tensor",
    ],
    ["a promise", async () => x, "returned a promise; it must return its result synchronously"],
    ["a list", () => [x], "returned a list of 1 where its schema says Tensor"],
    [
      "a negative size",
      () => fake({ shape: [2, -1] }),
      "returned a tensor whose shape [2, -1] holds -1; a size is a non-negative integer or symbolic",
    ],
    [
      "a fractional size",
      () => fake({ shape: [2, 1.5] }),
      "returned a tensor whose shape [2, 1.5] holds 1.5; a size is a non-negative integer or symbolic",
    ],
    [
      "a size that is not a number",
      () => fake({ shape: [2, Number.NaN] }),
      "returned a tensor whose shape [2, NaN] holds NaN; a size is a non-negative integer or symbolic",
    ],
    [
      "a missing size",
      () => fake({ shape: [2, undefined] }),
      "returned a tensor whose shape [2, undefined] holds undefined; a size is a non-negative integer or symbolic",
    ],
    [
      "no shape",
      () => fake({ shape: undefined }),
      "returned a tensor whose shape is undefined, not a list of sizes",
    ],
    [
      "no strides",
      () => fake({ strides: undefined }),
      "returned a tensor whose strides are undefined, not a list of integers",
    ],
    ["too few strides", () => fake({ strides: [1] }), "returned a tensor with 1 strides for 2 dimensions"],
    [
      "a negative stride",
      () => fake({ strides: [3, -1] }),
      "returned a tensor whose strides [3, -1] hold -1; a stride is a non-negative integer or symbolic",
    ],
    [
      "an unknown dtype",
      () => fake({ dtype: "float31" }),
      'returned a tensor whose dtype is "float31", which is not a dtype',
    ],
    ["a bad offset", () => fake({ storageOffset: -4 }), "returned a tensor whose storage offset is -4"],
  ])("%s", (_, meta, problem) => {
    expect(refusal(meta)).toMatchObject({
      code: "SHAPE_RULE",
      message: `the shape rule of own.op.default ${problem}`,
      where: "own.op.default",
    });
  });

  test.each<[string, () => unknown, string, string]>([
    [
      "too few results",
      () => [x],
      "own::op(Tensor x) -> (Tensor, Tensor)",
      "returned a list of 1 where its schema says (Tensor, Tensor)",
    ],
    [
      "one result of two",
      () => x,
      "own::op(Tensor x) -> (Tensor, Tensor)",
      "returned a tensor where its schema says (Tensor, Tensor)",
    ],
    [
      "a wrong second result",
      () => [x, 3],
      "own::op(Tensor x) -> (Tensor, Tensor)",
      "returned a number as result 1 where its schema says (Tensor, Tensor)",
    ],
    [
      "a tensor for a list",
      () => x,
      "own::op(Tensor x) -> Tensor[]",
      "returned a tensor where its schema says Tensor[]",
    ],
    [
      "a wrong item of a list",
      () => [x, "y"],
      "own::op(Tensor x) -> Tensor[]",
      "returned a string at 1 of a list where its schema says Tensor[]",
    ],
    [
      "a tensor for nothing",
      () => x,
      "own::op(Tensor x) -> ()",
      "returned a tensor where its schema returns nothing",
    ],
    [
      "a tensor for a number",
      () => x,
      "own::op(Tensor x) -> int",
      "returned a tensor where its schema says int",
    ],
  ])("%s", (_, meta, schema, problem) => {
    expect(refusal(meta, schema)).toMatchObject({ message: `the shape rule of own.op.default ${problem}` });
  });

  test("what it may return passes", () => {
    const s0 = symbol("s0", { integer: true } as never);
    const dynamic = fake({ shape: [s0, 3] });
    expect(refusal(() => dynamic)).toBe(dynamic);
    expect(refusal(() => null, "own::op(Tensor x) -> ()")).toBe(null);
    expect(refusal(() => null, "own::op(Tensor x) -> Tensor?")).toBe(null);
    expect(refusal(() => [x, null], "own::op(Tensor x) -> (Tensor, Tensor)")).toEqual([x, null]);
    expect(refusal(() => ({ kind: "SymInt", expr: 3 }), "own::op(Tensor x) -> int")).toMatchObject({
      expr: 3,
    });
  });

  test("what it throws by accident names it", () => {
    const error = refusal(() => (undefined as unknown as FakeTensor).shape);
    expect(error).toMatchObject({ code: "SHAPE_RULE", where: "own.op.default" });
    expect(String(error)).toMatch(/the shape rule of own.op.default threw: Cannot read/);
  });
});
