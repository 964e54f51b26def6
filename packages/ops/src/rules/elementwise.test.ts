import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { printExpr, ShapeEnv, STATIC_ENV, symbol } from "@sconce/symbolic";
import { describe, expect, it } from "vitest";
import { elementwise } from "./elementwise.js";
import { fake } from "./fake.js";
import { promoteOperands } from "./promote.js";

const context = { env: STATIC_ENV };
const tensor = (shape: readonly number[], strides?: readonly number[]): FakeTensor =>
  fake({ dtype: "float32", shape, strides });

describe("elementwise", () => {
  it.each([
    ["dense operands keep their layout", [tensor([2, 3, 4], [12, 1, 3])], [12, 1, 3]],
    [
      "channels last stays",
      [tensor([2, 3, 4, 5], [60, 1, 15, 3]), tensor([2, 3, 4, 5], [60, 1, 15, 3])],
      [60, 1, 15, 3],
    ],
    ["gaps are closed", [tensor([2, 3], [6, 2])], [3, 1]],
    ["the first operand's order wins", [tensor([3, 4], [1, 3]), tensor([3, 4])], [1, 3]],
    ["expanded operands do not decide", [tensor([3, 4], [0, 1]), tensor([3, 4], [1, 3])], [1, 3]],
    ["a broadcast operand does not decide", [tensor([4]), tensor([3, 4], [1, 3])], [1, 3]],
  ])("%s", (_name, operands, strides) => {
    expect(elementwise(context, operands).strides).toEqual(strides);
  });

  it("refuses shapes that do not broadcast", () => {
    expect(() => elementwise(context, [tensor([3]), tensor([4])])).toThrow(
      expect.objectContaining({
        code: "SHAPE_MISMATCH",
        message: "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0",
      }),
    );
  });

  it("broadcasts symbolic sizes without guards that are not needed", () => {
    const s0 = symbol("s0", { positive: true });
    const env = new ShapeEnv({ ranges: new Map([["s0", { min: 2, max: Number.POSITIVE_INFINITY }]]) });
    const result = elementwise({ env }, [fake({ dtype: "float32", shape: [4, s0] }), tensor([4, 1])]);
    const print = (size: IntLike): string => (typeof size === "number" ? String(size) : printExpr(size));
    expect([result.shape.map(print), result.strides.map(print)]).toEqual([
      ["4", "s0"],
      ["s0", "1"],
    ]);
    expect(env.guards).toEqual([]);
  });
});

describe("promoteOperands", () => {
  const operand = (dtype: FakeTensor["dtype"], rank: 0 | 1): FakeTensor =>
    fake({ dtype, shape: rank === 0 ? [] : [3] });
  it.each([
    ["float32[3] + float64[]", [operand("float32", 1), operand("float64", 0)], "float32"],
    ["int64[3] + float16[]", [operand("int64", 1), operand("float16", 0)], "float16"],
    ["int64[3] + 2.5", [operand("int64", 1), 2.5], "float32"],
    ["uint8[3] + 300", [operand("uint8", 1), 300], "uint8"],
    ["bool[3] + 1", [operand("bool", 1), 1], "int64"],
    ["int32[3] + 1.0", [operand("int32", 1), float(1)], "float32"],
    ["float16 + bfloat16", [operand("float16", 1), operand("bfloat16", 1)], "float32"],
  ] as const)("%s", (_name, operands, dtype) => {
    expect(promoteOperands(operands)).toBe(dtype);
  });
});
