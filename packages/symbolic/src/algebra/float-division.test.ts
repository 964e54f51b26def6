/** @file Floor divisions of floats, which only hand-made files have: PyTorch 2.14's answers. */
import { describe, expect, test } from "vitest";
import {
  evaluate,
  floatConstant,
  floorDiv,
  mul,
  parseSrepr,
  printExpr,
  pythonMod,
  symbol,
  toFloat,
  toSrepr,
  withoutDivisions,
} from "../index.js";

const s0 = symbol("s0");

test.each([
  ["FloorDiv(2.0*2**s0, 2)", "((2.0*2**s0)//2)"],
  ["FloorDiv(2.0*s0, 2.0)", "((1.0*s0)//1.0)"],
  ["FloorDiv(s0, 1.0)", "s0"],
  ["FloorDiv(s0, -1.0)", "-s0"],
  ["FloorDiv(s0, 0.5)", "(s0//0.5)"],
  ["FloorDiv(3.5, 1.0)", "(3.5//1.0)"],
  ["FloorDiv(zf1, 1.0)", "(zf1//1.0)"],
  ["FloorDiv(0.0, s0)", "0"],
  ["CleanDiv(2.0*zf1, 2)", "((2.0*zf1)//2)"],
  ["FloorDiv(2.0*zf1 + 4*s0, 2)", "2*s0 + (((2.0*zf1)//2))"],
])("%s is %s", (text, want) => {
  const value = parseSrepr(text);
  expect(printExpr(value)).toBe(want);
  expect(parseSrepr(toSrepr(value))).toEqual(value);
});

test("a common factor that is a float is canceled once, also outside of a reader", () => {
  const twice = mul(floatConstant(2), toFloat(s0));
  expect(printExpr(floorDiv(twice, floatConstant(2)))).toBe("((1.0*ToFloat(s0))//1.0)");
  expect(printExpr(floorDiv(twice, 2))).toBe("((1.0*ToFloat(s0))//1.0)");
});

describe("what is not an integer is refused", () => {
  const bindings = new Map([
    ["s0", 3],
    ["u0", 0],
  ]);
  test.each([
    ["FloorDiv(ToFloat(s0), 1e-320)", "SYM_OPERAND"],
    ["FloorDiv(oo, s0)", "SYM_OPERAND"],
    ["FloorDiv(nan, s0)", "SYM_OPERAND"],
    ["FloorDiv(s0, u0)", "SYM_DIVISION_BY_ZERO"],
    ["Mod(s0, u0)", "SYM_DIVISION_BY_ZERO"],
    ["CleanDiv(s0*1.5, ToFloat(u0))", "SYM_DIVISION_BY_ZERO"],
    [`Identity(1${"0".repeat(400)})`, "SYM_OPERAND"],
  ])("%s", (text, code) => {
    expect(() => evaluate(parseSrepr(text), bindings)).toThrow(expect.objectContaining({ code }));
  });

  test.each([
    [floorDiv(s0, symbol("u0", { unbacked: true })), "SYM_DIVISION_BY_ZERO"],
    [pythonMod(s0, symbol("u0", { unbacked: true })), "SYM_DIVISION_BY_ZERO"],
    [floorDiv(floatConstant(Number.NaN), s0), "SYM_OPERAND"],
  ])("as a congruence: %s", (value, code) => {
    expect(() => withoutDivisions(value, bindings)).toThrow(expect.objectContaining({ code }));
  });
});
