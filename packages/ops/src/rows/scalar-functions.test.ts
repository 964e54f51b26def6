import { float, symBool, symInt } from "@sconce/ir";
import { mul, type SymExpr, symbol } from "@sconce/symbolic";
import { describe, expect, test } from "vitest";
import { evaluateScalarFunction, isScalarFunction, runScalarFunction } from "./scalar-functions.js";

describe("runScalarFunction has Python's arithmetic", () => {
  test.each([
    ["operator.floordiv", [-7, 2], -4],
    ["operator.mod", [-7, 2], 1],
    ["operator.mod", [7, -2], -1],
    ["operator.truediv", [4, 2], float(2)],
    ["operator.add", [1, float(2)], float(3)],
    ["operator.add", [true, true], 2],
    ["operator.pow", [2, 10], 1024],
    ["operator.pow", [2, -1], 0.5],
    ["operator.floordiv", [float(7), 2], float(3)],
    ["operator.and_", [6, 3], 2],
    ["operator.and_", [true, false], false],
    ["operator.mul", [9007199254740993n, 3], 27021597764222979n],
    // Floats are rounded, however large they are.
    ["operator.mul", [float(4), float(1e300)], float(4e300)],
    ["operator.add", [2 ** 53, float(1)], float(2 ** 53)],
    ["operator.sub", [float(2 ** 70), 1], float(2 ** 70)],
    ["operator.mul", [float(1e300), float(1e300)], Number.POSITIVE_INFINITY],
    ["builtins.round", [2.5], 2],
    ["math.ceil", [1.2], 2],
    ["math.trunc", [-1.7], -1],
    ["torch.sym_max", [3, float(2)], float(3)],
    ["torch.sym_ite", [false, 1, 2], 2],
    ["torch.sym_not", [false], true],
    ["torch._sym_sqrt", [9], float(3)],
    ["torch.sym_int", [2.9], 2],
  ] as const)("%s %#", (target, args, expected) => {
    expect(runScalarFunction(target, args)).toEqual(expected);
  });

  test("lists are taken as their elements", () => {
    expect(runScalarFunction("torch.sym_sum", [[1, 2, 3]])).toBe(6);
  });

  test("division by zero and roots of negative numbers are refused", () => {
    expect(() => runScalarFunction("operator.floordiv", [1, 0])).toThrowError(
      expect.objectContaining({ code: "SCALAR_DOMAIN" }),
    );
    expect(() => runScalarFunction("math.sqrt", [-1])).toThrowError(
      expect.objectContaining({ code: "SCALAR_DOMAIN" }),
    );
  });
});

describe("evaluateScalarFunction", () => {
  const n = symbol("s0");

  test("builds expressions of symbolic operands", () => {
    const product = evaluateScalarFunction("operator.mul", [symInt(n), 2]);
    expect(product.kind).toBe("SymInt");
    expect((product.expr as SymExpr).key).toBe((mul(n, 2) as SymExpr).key);
  });

  test("keeps the kind of the result", () => {
    expect(evaluateScalarFunction("operator.truediv", [symInt(n), 2]).kind).toBe("SymFloat");
    expect(evaluateScalarFunction("operator.ge", [symInt(n), 2]).kind).toBe("SymBool");
    expect(evaluateScalarFunction("operator.add", [symInt(n), float(1)]).kind).toBe("SymFloat");
  });

  test("plain operands give plain values", () => {
    expect(evaluateScalarFunction("operator.lt", [1, 2])).toEqual(symBool(true));
  });

  test("knows which targets are scalar functions", () => {
    expect(isScalarFunction("operator.add")).toBe(true);
    expect(isScalarFunction("operator.getitem")).toBe(false);
  });
});
