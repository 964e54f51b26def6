import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sampledCount } from "../../../../.config/sampled.js";
import {
  add,
  type BoolLike,
  ceilDiv,
  ceilToInt,
  cleanDiv,
  eq,
  evaluate,
  expand,
  floorDiv,
  floorToInt,
  freeSymbols,
  ge,
  gt,
  type IntLike,
  intTrueDiv,
  ite,
  le,
  lt,
  mod,
  mul,
  ne,
  neg,
  not,
  parseSrepr,
  pow,
  printExpr,
  pythonMod,
  ShapeEnv,
  sameSize,
  sameSizes,
  solveLinear,
  sqrt,
  sub,
  substitute,
  symbol,
  symEquals,
  symMax,
  symMin,
  toFloat,
  toSrepr,
  truncToInt,
} from "../index.js";

const s77 = symbol("s77");
const s17 = symbol("s17");
const u0 = symbol("u0", { unbacked: true });

describe("numbers stay numbers", () => {
  test("every operation folds", () => {
    expect([
      add(2, 3),
      sub(2, 3),
      mul(2, 3),
      floorDiv(-7, 2),
      mod(7, 2),
      pythonMod(-7, 2),
      pow(2, 10),
    ]).toEqual([5, -1, 6, -4, 1, 1, 1024]);
    expect([
      symMax(1, 2),
      symMin(1, 2),
      ceilDiv(7, 2),
      intTrueDiv(7, 2),
      ceilToInt(3.5),
      floorToInt(-3.5),
      truncToInt(-3.5),
    ]).toEqual([2, 1, 4, 3.5, 4, -4, -3]);
    expect([eq(1, 1), ne(1, 1), lt(1, 2), not(false), ite(true, 1, 2)]).toEqual([true, false, true, true, 1]);
  });
  test("symbols cancel to numbers", () => {
    expect(sub(add(s77, 3), s77)).toBe(3);
    expect(floorDiv(mul(s77, 4), mul(s77, 2))).toBe(2);
    expect(mod(mul(s77, 4), 2)).toBe(0);
    expect([ge(s77, 1), eq(s77, 0), lt(add(s77, 1), s77)]).toEqual([true, false, false]);
  });
  test("integers beyond 2^53 stay exact", () => {
    expect(printExpr(add(mul(2 ** 31, 2 ** 31), mul(2 ** 62, 1)))).toBe("9223372036854775808");
    expect(printExpr(symMin(s77, parseSrepr("Integer(9223372036854775807)") as IntLike))).toBe(
      "Min(9223372036854775807, s77)",
    );
  });
  test("division by zero is refused", () => {
    expect(() => floorDiv(1, 0)).toThrow(expect.objectContaining({ code: "SYM_DIVISION_BY_ZERO" }));
    expect(() => mod(s77, 0)).toThrow(expect.objectContaining({ code: "SYM_DIVISION_BY_ZERO" }));
  });
});

describe("canonical forms", () => {
  test.each<[IntLike | BoolLike, string]>([
    [add(s77, 1), "s77 + 1"],
    [sub(100, s77), "100 - s77"],
    [mul(add(s17, 2), add(s77, 1)), "(s17 + 2)*(s77 + 1)"],
    [mul(2, add(s77, 1)), "2*s77 + 2"],
    [expand(mul(add(s17, -1), s77)), "s17*s77 - s77"],
    [sub(s77, floorDiv(s77, 2)), "s77 - ((s77//2))"],
    [mul(3, floorDiv(s77, 3)), "3*((s77//3))"],
    [add(mod(s77, 3), 1), "(Mod(s77, 3)) + 1"],
    [pythonMod(u0, 3), "PythonMod(u0, 3)"],
    [pythonMod(s77, 3), "Mod(s77, 3)"],
    [floorDiv(add(mul(2, s77), 3), 2), "s77 + 1"],
    [floorDiv(mul(4, s77), 6), "((2*s77)//3)"],
    [floorDiv(floorDiv(s77, 2), 3), "(s77//6)"],
    [floorDiv(add(mul(s17, s77), s17), add(s77, 1)), "s17"],
    [symMax(add(s77, 1), mul(2, s17)), "Max(2*s17, s77 + 1)"],
    [symMin(symMin(7, s77), 9), "Min(7, s77)"],
    [ite(eq(s17, s77), s77, s17), "Piecewise((s77, Eq(s17, s77)), (s17, True))"],
    [mul(1.5, toFloat(s77)), "1.5*ToFloat(s77)"],
    [mul(2, toFloat(s77)), "2.0*ToFloat(s77)"],
    [ceilToInt(intTrueDiv(s77, 2)), "CeilToInt(IntTrueDiv(s77, 2))"],
    [sqrt(toFloat(s77)), "OpaqueUnaryFn_sqrt(ToFloat(s77))"],
    [pow(s77, 2), "s77**2"],
    [cleanDiv(s77, 2), "(s77//2)"],
    [not(gt(u0, 3)), "u0 <= 3"],
    [neg(u0), "-u0"],
  ])("%#", (value, text) => {
    expect(printExpr(value)).toBe(text);
  });
  test("assumptions of sizes and unbacked symbols are written in PyTorch's order", () => {
    expect(toSrepr(add(s77, neg(u0)))).toBe(
      "Add(Symbol('s77', positive=True, integer=True), Mul(Integer(-1), Symbol('u0', integer=True)))",
    );
  });
});

test("solving and substituting", () => {
  expect(solveLinear(add(mul(2, s77), 1), 7)?.value).toBe(3);
  expect(solveLinear(mul(2, s77), 7)).toBeUndefined();
  expect(solveLinear(mul(s17, s77), 6)).toBeUndefined();
  expect(
    substitute(
      add(mul(2, s77), s17),
      new Map<string, IntLike>([
        ["s77", 4],
        ["s17", s77],
      ]),
    ),
  ).toEqual(add(s77, 8));
  expect([...freeSymbols(add(mul(2, s77), s17)).keys()].sort()).toEqual(["s17", "s77"]);
  expect(() => evaluate(s77, new Map())).toThrow(expect.objectContaining({ code: "SYM_UNBOUND" }));
});

/** A random integer expression with the function that computes it directly. */
interface Sample {
  readonly expr: IntLike;
  readonly value: (env: ReadonlyMap<string, number>) => number;
}

const pythonMods = (a: number, b: number): number => ((a % b) + b) % b;
const leaf: fc.Arbitrary<Sample> = fc.oneof(
  fc.integer({ min: -6, max: 9 }).map((n) => ({ expr: n, value: () => n })),
  fc
    .constantFrom(s77, s17, u0)
    .map((s) => ({ expr: s, value: (env: ReadonlyMap<string, number>) => env.get(s.name)! })),
);
type Combine = (a: Sample, b: Sample, k: number) => Sample;
const both =
  (make: (a: IntLike, b: IntLike) => IntLike, compute: (a: number, b: number) => number): Combine =>
  (a, b) => ({
    expr: make(a.expr, b.expr),
    value: (env) => compute(a.value(env), b.value(env)),
  });
const withDivisor =
  (make: (a: IntLike, k: number) => IntLike, compute: (a: number, k: number) => number): Combine =>
  (a, _, k) => ({
    expr: make(a.expr, k),
    value: (env) => compute(a.value(env), k),
  });
const OPERATIONS: readonly Combine[] = [
  both(add, (a, b) => a + b),
  both(sub, (a, b) => a - b),
  both(mul, (a, b) => a * b),
  both(symMax, Math.max),
  both(symMin, Math.min),
  withDivisor(floorDiv, (a, k) => Math.floor(a / k)),
  withDivisor(pythonMod, pythonMods),
  (a, b, k) => ({
    expr: ite(lt(a.expr, b.expr), k, a.expr),
    value: (env) => (a.value(env) < b.value(env) ? k : a.value(env)),
  }),
];
const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc
      .tuple(fc.constantFrom(...OPERATIONS), tie("sample"), tie("sample"), fc.integer({ min: 1, max: 8 }))
      .map(([combine, a, b, k]) => combine(a, b, k)),
  ),
}));
const bindings = fc
  .tuple(fc.integer({ min: 2, max: 40 }), fc.integer({ min: 2, max: 40 }), fc.integer({ min: -20, max: 20 }))
  .map(
    ([a, b, c]) =>
      new Map([
        ["s77", a],
        ["s17", b],
        ["u0", c],
      ]),
  );

describe("properties", () => {
  test("building, expanding and simplifying keep the value", () => {
    const env = new ShapeEnv();
    fc.assert(
      fc.property(sample, bindings, ({ expr, value }, map) => {
        const want = value(map) + 0;
        expect(evaluate(expr, map)).toBe(want);
        expect(evaluate(expand(expr), map)).toBe(want);
        expect(evaluate(env.simplify(expr), map)).toBe(want);
      }),
      { numRuns: sampledCount(1500, 3) },
    );
  });
  test("what is known statically holds, and values lie in their ranges", () => {
    const env = new ShapeEnv();
    fc.assert(
      fc.property(sample, sample, bindings, (a, b, map) => {
        for (const relation of [lt, le, eq, ne]) {
          const known = env.staticallyKnown(relation(a.expr, b.expr));
          if (known !== undefined) expect(evaluate(relation(a.expr, b.expr), map)).toBe(known);
        }
        const { min, max } = env.range(a.expr);
        expect(min <= a.value(map) && a.value(map) <= max).toBe(true);
      }),
      { numRuns: sampledCount(1500, 3) },
    );
  });
  test("srepr text reads back as an equal expression, and then as the same one", () => {
    // As in sympy, collapsing nested extrema may leave one that only the next construction
    // simplifies.
    fc.assert(
      fc.property(sample, bindings, ({ expr }, map) => {
        const again = parseSrepr(toSrepr(expr));
        expect(evaluate(again, map)).toBe(evaluate(expr, map));
        expect(symEquals(parseSrepr(toSrepr(again)), again)).toBe(true);
      }),
      { numRuns: sampledCount(1000, 3) },
    );
  });
});

test("sizes are equal when they are for all values of their symbols", () => {
  const [s0, s1] = [symbol("s0", { integer: true }), symbol("s1", { integer: true })];
  expect(sameSize(add(s0, s0), mul(2, s0))).toBe(true);
  expect(sameSize(s0, s1)).toBe(false);
  expect(sameSize(add(s0, 1), s0)).toBe(false);
  expect(sameSizes([s0, 3], [s0, 3])).toBe(true);
  expect([sameSizes([s0, 3], [s1, 3]), sameSizes([s0], [s0, 1])]).toEqual([false, false]);
});

test("an expression as a text is PyTorch's", () => {
  const size = add(mul(2, symbol("s0")), 1);
  expect(`${String(size)} and ${[size, 3].join(", ")}`).toBe("2*s0 + 1 and 2*s0 + 1, 3");
});
