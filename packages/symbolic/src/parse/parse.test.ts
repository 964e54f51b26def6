import { SconceError } from "@sconce/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { evaluate, expand, parseGuard, parseSrepr, printExpr, type SymValue, symbol } from "../index.js";

describe("the plain form of older files", () => {
  test.each([
    ["s0 + 1", "s0 + 1"],
    ["s77//2", "(s77//2)"],
    ["(s0//2)", "(s0//2)"],
    ["Mod(s0, 2)", "Mod(s0, 2)"],
    ["2*s0**2 - -3", "2*s0**2 + 3"],
    ["-s0**2", "-s0**2"],
    ["u0 >= 2", "u0 >= 2"],
    ["Eq(u0, 1)", "Eq(u0, 1)"],
    ["(u0 >= 2) & (u0 < 9)", "(u0 >= 2) & (u0 < 9)"],
    ["~(u0 >= 2)", "u0 < 2"],
    ["Piecewise((1, Eq(u0, 1)), (0, True))", "Piecewise((1, Eq(u0, 1)), (0, True))"],
    ["Max(1, s0 - 3)", "Max(1, s0 - 3)"],
    ["1.5*ToFloat(s0)", "1.5*ToFloat(s0)"],
  ])("%s", (text, want) => {
    expect(printExpr(parseSrepr(text))).toBe(want);
  });
  test("names are found where the caller says", () => {
    const known = symbol("s0", { positive: false });
    expect(parseSrepr("s0", { symbols: () => known })).toBe(known);
  });
});

const refusal = (read: () => SymValue): string | undefined => {
  try {
    read();
  } catch (error) {
    if (error instanceof SconceError) return error.code;
    throw error;
  }
  return undefined;
};

describe("hostile text", () => {
  test.each([
    ["__import__('os').system('x')", "SYM_PARSE"],
    ["Symbol('x').__class__", "SYM_PARSE"],
    ["lambda: 1", "SYM_PARSE"],
    ["x = 1", "SYM_PARSE"],
    ["exec('1')", "SYM_PARSE"],
    ["constructor(1)", "SYM_PARSE"],
    ["Function('f')(1)", "SYM_PARSE"],
    ["Symbol('a b')", "SYM_OPERAND"],
    ["Symbol('x', positive=1)", "SYM_PARSE"],
    ["Symbol('x', __class__=True)", "SYM_PARSE"],
    ["", "SYM_PARSE"],
    ["s0 +", "SYM_PARSE"],
    ["1e999", "SYM_PARSE"],
    ["Float('nan')", "SYM_PARSE"],
    ["FloorDiv(a)", "SYM_OPERAND"],
    ["Piecewise()", "SYM_OPERAND"],
    ["Not(a + 1)", "SYM_OPERAND"],
    ["Mod(a, 0)", "SYM_DIVISION_BY_ZERO"],
    ["Rational(1, 0)", "SYM_DIVISION_BY_ZERO"],
    ["9**9**9**9", "SYM_TOO_LARGE"],
    [Array.from({ length: 600 }, (_, i) => `Rational(1, ${7919 + 2 * i})`).join(" + "), "SYM_TOO_LARGE"],
    [`Integer(${"9".repeat(5000)})`, "SYM_TOO_LARGE"],
    ["(".repeat(60_000), "SYM_TOO_LARGE"],
    [`${"-".repeat(60_000)}1`, "SYM_TOO_LARGE"],
    ["a + ".repeat(20_000), "SYM_TOO_LARGE"],
  ])("%#: is refused at once", (text, code) => {
    expect(refusal(() => parseSrepr(text))).toBe(code);
  });
  test("expansion that would explode is refused", () => {
    expect(refusal(() => expand(parseSrepr("(a + b + c + d)**60")))).toBe("SYM_TOO_LARGE");
  });
  test("doubling trees end at the size limit", () => {
    let text = "a";
    for (let i = 0; i < 14 && text.length < 65_000; i++) {
      text = `((${text} + x${i})//(${text} + y${i}))`;
      refusal(() => parseSrepr(text));
    }
    expect(text.length).toBeGreaterThan(1_000);
  });
  test("random text is read or refused with a typed error", () => {
    const piece = fc.constantFrom(
      "Add(",
      "Mul(",
      "Symbol('s0', positive=True, integer=True)",
      "Integer(",
      "2",
      ")",
      ",",
      " ",
      "s0",
      "//",
      "-",
      "**",
      "Max(",
      "&",
      "<",
      "True",
      "'",
      "\u0000",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        refusal(() => parseSrepr(pieces.join("")));
      }),
      { numRuns: 3000 },
    );
  });
});

test("values follow Python", () => {
  const at = (text: string): number | boolean =>
    evaluate(
      parseSrepr(text),
      new Map([
        ["u0", -7],
        ["s0", 3],
      ]),
    );
  expect([
    at("u0//2"),
    at("PythonMod(u0, 3)"),
    at("Max(u0, s0) - 1"),
    at("u0 < s0"),
    at("s0**3"),
    at("CeilToInt(IntTrueDiv(u0, 2))"),
    at("RoundToInt(IntTrueDiv(5*s0, 6))"),
  ]).toEqual([-4, 2, 2, true, 27, -3, 2]);
  expect(() => at("s0//(u0 + 7)")).toThrow(expect.objectContaining({ code: "SYM_DIVISION_BY_ZERO" }));
});

test.each([
  ["1//0", "SYM_DIVISION_BY_ZERO"],
  [`OpaqueUnaryFn_${"a".repeat(5000)}(s0)`, "SYM_"],
  ["9**9**9**9", "SYM_TOO_LARGE"],
  ["(".repeat(200), "SYM_TOO_LARGE"],
  ["a".repeat(70_000), "SYM_TOO_LARGE"],
])("%.20s: errors name the text as their place", (text, code) => {
  for (const [read, what] of [
    [parseSrepr, "expression"],
    [parseGuard, "guard"],
  ] as const)
    try {
      read(text);
    } catch (error) {
      if (what === "expression") expect((error as SconceError).code).toMatch(code);
      expect(error).toMatchObject({ where: expect.stringContaining(`the ${what} "`) });
      expect((error as SconceError).describe().length).toBeLessThan(1000);
    }
  expect(() => parseSrepr(text)).toThrow();
});

test("infinities and NaN are numbers, not symbols", () => {
  expect([parseSrepr("oo"), parseSrepr("-oo"), parseSrepr("oo + 1")]).toEqual([
    Infinity,
    -Infinity,
    Infinity,
  ]);
  expect([parseSrepr("oo - oo"), parseSrepr("nan"), parseSrepr("oo/oo")]).toEqual([NaN, NaN, NaN]);
  for (const text of ["int_oo", "zoo + 1"])
    expect(() => parseSrepr(text)).toThrow(expect.objectContaining({ code: "SYM_PARSE" }));
});
