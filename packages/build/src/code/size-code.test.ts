import { add, atom, axis, constant, type SizedLoad, scale } from "@sconce/codegen";
import { evaluate, parseGuard, parseSrepr, type SymExpr } from "@sconce/symbolic";
import { describe, expect, test } from "vitest";
import { inside } from "../runtime/loads.js";
import { HELPERS } from "../runtime/sizes.js";
import { guardCode } from "./guard-code.js";
import { loadCode } from "./load-code.js";
import { SizeCode } from "./size-code.js";

const names = new Map([
  ["s0", "s0"],
  ["s1", "s1"],
]);

/** Runs code as a module does. */
function run(text: string, s0: number, s1: number): unknown {
  const { $, div, mod, quotient } = HELPERS;
  return new Function("s0", "s1", "$", "div", "mod", "quotient", `return ${text}`)(
    s0,
    s1,
    $,
    div,
    mod,
    quotient,
  );
}

describe("sizes as code", () => {
  test.each([
    "s0 + 2*s1 - 3",
    "s0*s1*7",
    "s0//3",
    "(s0 - 10)//3",
    "Mod(s0 - 10, 4)",
    "Mod(s0, 3)*s1",
    "Max(1, s0 - 3)",
    "Min(s0, s1 + 2)",
    "s0**2 + s1**3",
    "s0 >= s1",
    "(s0 > 2) & (s1 < 9)",
    "(s0 > 2) | (s1 < 9)",
    "Eq(Mod(s0, 2), 0)",
    "Ne(s0, s1)",
  ])("%s has the value of the expression", (text) => {
    const expr = parseSrepr(text);
    const code = new SizeCode(names).of(expr);
    for (const [s0, s1] of [
      [0, 0],
      [1, 1],
      [2, 7],
      [9, 4],
      [12, 3],
      [1000, 999],
    ] as const)
      expect(run(code, s0, s1)).toBe(
        evaluate(
          expr,
          new Map([
            ["s0", s0],
            ["s1", s1],
          ]),
        ),
      );
  });

  test("a value beyond 2^53 and a division by zero are refused", () => {
    const [product, quotient] = ["s0*s1", "s0//s1"].map((text) => new SizeCode(names).of(parseSrepr(text)));
    expect(() => run(product!, 2 ** 40, 2 ** 40)).toThrow("no integer below 2^53");
    expect(() => run(quotient!, 1, 0)).toThrow("divided by zero");
  });

  test("an unknown symbol and an unknown function are refused", () => {
    for (const text of ["u7 + 1", "OpaqueUnaryFn_exp(s0)"])
      expect(() => new SizeCode(names).of(parseSrepr(text))).toThrow(
        expect.objectContaining({ code: "BUILD_UNSUPPORTED" }),
      );
  });
});

describe("loads as data", () => {
  test("have the answers of the loops, at each size", () => {
    const s0 = atom({ kind: "size", expr: parseSrepr("s0") as SymExpr });
    const [i, k] = [axis("i", s0), axis("k", constant(3))];
    const [at, tap] = [atom(i), atom(k)];
    // A window of three places with a padding of one, over s0 places.
    const place = add(at, tap, constant(-1));
    const guards = [place, add(s0, constant(-1), scale(place, -1))];
    const load = { buffer: 0, index: place, guards, axes: [i, k], limit: s0 };
    const open = { ...load, guards: guards.slice(1) };
    const answer = (one: SizedLoad, n: number): unknown =>
      new Function("inside", "s0", `return ${loadCode(one, new SizeCode(names))}`)(inside, n);
    for (const n of [1, 2, 7, 100]) expect([answer(load, n), answer(open, n)]).toEqual([true, false]);
  });
});

describe("guards as code", () => {
  const check = (text: string, given: readonly unknown[], kind: "int" | "float" = "int"): unknown => {
    const find = ({ root }: { readonly root: string }): number => ["x", "n"].indexOf(root);
    const [, { text: code }] = guardCode(parseGuard(text), find, () => kind);
    return (new Function(`return ${code}`)() as (g: unknown, helpers: unknown) => unknown)(given, HELPERS);
  };

  test.each([
    ["L['x'].size()[0] == 3", true],
    ["L['x'].size()[0] <= 2", false],
    ["2 <= L['x'].size()[1] <= 4", true],
    ["L['x'].size()[0] % 2 == 1 and L['x'].size()[1] // 3 == 1", true],
    ["not (L['x'].size()[0] == 3 or L['n'] == 5)", false],
    ["L['x'].stride()[0] == 4", true],
    ["L['x'].storage_offset() == 0", true],
    ["max(L['n'], 2) == 7", true],
    ["(L['n'] if L['n'] > 9 else 1) == 1", true],
    ["-L['n'] + 8 == 1", true],
    ["L['n'] / 2 == 3.5", true],
    ["L['n'] != 'text'", true],
  ])("%s is %s", (text, want) => {
    expect(check(text, [[3, 4], 7])).toBe(want);
  });

  test.each([
    ["L['n'] / 2 + 1 == 2.25", true],
    ["L['n'] * 2 - 4.5 == 0.5", true],
    ["L['n'] // 1 == 2", true],
    ["max(L['n'], 3) == 3", true],
    ["-L['n'] == 2.5", false],
  ])("floats need not be whole: %s is %s", (text, want) => {
    expect(check(text, [[3, 4], 2.5], "float")).toBe(want);
  });

  test("remainders of floats are refused, and inexact integers", () => {
    expect(() => check("L['n'] % 2 == 0.5", [[3, 4], 2.5], "float")).toThrow(
      expect.objectContaining({ code: "BUILD_UNSUPPORTED" }),
    );
    expect(() => check("L['n'] + 9007199254740993 == 0", [[3, 4], 7])).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT" }),
    );
  });

  test("functions that no module has are refused, with the guard", () => {
    expect(() => check("math.cosh(L['n']) == 1", [[3, 4], 7])).toThrow(
      expect.objectContaining({ code: "BUILD_UNSUPPORTED", message: expect.stringContaining("math.cosh") }),
    );
  });
});
