import { describe, expect, test } from "vitest";
import {
  add,
  eq,
  evaluateInt,
  floorDiv,
  freeSymbols,
  ge,
  gt,
  le,
  lt,
  mod,
  mul,
  ne,
  printExpr,
  printRange,
  ShapeEnv,
  STATIC_ENV,
  type SymExpr,
  sub,
  symbol,
  symMax,
  symMin,
  UNBOUNDED_FLOAT,
} from "../index.js";

const s77 = symbol("s77");
const s17 = symbol("s17");
const s27 = symbol("s27");

const backed = (): ShapeEnv =>
  new ShapeEnv({
    hints: new Map([
      ["s77", 8],
      ["s17", 8],
      ["s27", 3],
    ]),
  });
const guards = (env: ShapeEnv): readonly string[] => env.guards.map(printExpr);

describe("backed symbols", () => {
  test("a size is taken to be at least 2 [S-037]", () => {
    const env = backed();
    expect(
      [eq(s77, 1), ge(s77, 2), ne(mul(s77, s17), 1), ge(sub(mul(s77, s17), s77), 2)].map((c) =>
        env.staticallyKnown(c),
      ),
    ).toEqual([false, true, true, true]);
    expect(printExpr(env.simplify(symMax(1, s77)))).toBe("s77");
    expect(printExpr(env.simplify(symMin(s77, add(s77, 1))))).toBe("s77");
  });
  test("a maximum of more than two loses what another exceeds, and nothing else", () => {
    const env = backed();
    const u0 = symbol("u0", { unbacked: true });
    const least = env.simplify(symMax(0, symMax(s77, u0))) as SymExpr;
    expect([...freeSymbols(least).keys()].sort()).toEqual(["s77", "u0"]);
    expect(
      evaluateInt(
        least,
        new Map([
          ["s77", 2],
          ["u0", 3],
        ]),
      ),
    ).toBe(3);
  });
  test("a branch is decided by the example and recorded, and refines the range [S-045]", () => {
    const env = backed();
    expect(env.guard(gt(s77, 5))).toBe(true);
    expect(printRange(env.range(s77))).toBe("VR[6, int_oo]");
    expect(env.guard(gt(s77, 4))).toBe(true);
    expect(env.guard(gt(s17, 10))).toBe(false);
    expect(guards(env)).toEqual(["s77 > 5", "s17 <= 10"]);
  });
  test("an equality replaces the larger name", () => {
    const env = backed();
    expect(env.guard(eq(s77, s17))).toBe(true);
    expect(printExpr(env.simplify(mul(2, s77)))).toBe("2*s17");
    const shifted = new ShapeEnv({
      hints: new Map([
        ["s77", 9],
        ["s17", 8],
      ]),
    });
    shifted.guard(eq(sub(s77, 1), s17));
    expect(printExpr(shifted.simplify(s77))).toBe("s17 + 1");
  });
  test("a product equality eliminates one symbol", () => {
    const env = new ShapeEnv({
      hints: new Map([
        ["s77", 4],
        ["s27", 3],
        ["s96", 12],
      ]),
    });
    env.guard(eq(mul(s77, s27), symbol("s96")));
    expect(printExpr(env.simplify(symbol("s96")))).toBe("s27*s77");
  });
  test("divisibility is remembered", () => {
    const env = backed();
    expect(env.guard(eq(mod(s77, 2), 0))).toBe(true);
    expect(printExpr(env.simplify(mod(s77, 2)))).toBe("Mod(s77, 2)");
    expect(env.knownTrue(eq(mod(s77, 2), 0))).toBe(true);
  });
  test("a number is asked for: the symbol is specialized", () => {
    const env = backed();
    expect(env.guardInt(add(s77, 1))).toBe(9);
    expect(env.simplify(s77)).toBe(8);
    expect(guards(env)).toEqual(["Eq(s77 + 1, 9)"]);
  });
  test("range of derived sizes", () => {
    const env = new ShapeEnv({
      ranges: new Map([
        ["s17", { min: 0, max: 64 }],
        ["s39", { min: 2, max: 50 }],
      ]),
    });
    expect(printRange(env.range(mul(2, symbol("s39"))))).toBe("VR[4, 100]");
    expect(printRange(env.range(mul(s77, s27)))).toBe("VR[4, int_oo]");
    expect(printRange(env.range(floorDiv(symbol("s39"), 3)))).toBe("VR[0, 16]");
    expect(printRange(UNBOUNDED_FLOAT)).toBe("VR[-oo, oo]");
  });
});

describe("unbacked symbols", () => {
  test("an undecidable condition is refused with PyTorch's words", () => {
    const env = new ShapeEnv();
    const u0 = env.freshUnbacked();
    expect(() => env.guard(gt(u0, 3))).toThrow(
      expect.objectContaining({
        code: "DATA_DEPENDENT_GUARD",
        message:
          "Could not guard on data-dependent expression u0 > 3 (unhinted: u0 > 3).  (Size-like symbols: none)",
      }),
    );
    env.markSizeLike(u0);
    expect(() => env.guardInt(u0)).toThrow(
      expect.objectContaining({
        message:
          "Could not extract specialized integer from data-dependent expression u0 (unhinted: u0).  (Size-like symbols: u0)",
      }),
    );
    expect([env.orFalse(gt(u0, 3)), env.orTrue(gt(u0, 3)), env.orFalse(ge(u0, 0))]).toEqual([
      false,
      true,
      true,
    ]);
  });
  test("checked conditions decide later ones", () => {
    const env = new ShapeEnv();
    const u0 = env.freshUnbackedInt();
    env.addAxiom(ge(u0, 2));
    env.addAxiom(lt(u0, 10));
    expect(printRange(env.range(u0))).toBe("VR[2, 9]");
    expect([env.guard(gt(u0, 1)), env.guard(gt(u0, 9)), env.guard(ne(u0, 0))]).toEqual([true, false, true]);
    expect(env.assertions.map(printExpr)).toEqual(["u0 >= 2", "u0 < 10"]);
  });
  test("relations between symbols are facts", () => {
    const env = backed();
    const u0 = env.freshUnbackedInt();
    env.addAxiom(le(mul(2, u0), s77));
    expect([
      env.guard(le(mul(2, u0), s77)),
      env.guard(gt(mul(2, u0), s77)),
      env.guard(lt(mul(2, u0), add(s77, 1))),
    ]).toEqual([true, false, true]);
    const u1 = env.freshUnbackedInt();
    env.addAxiom(eq(u1, u0));
    expect([env.guard(eq(u0, u1)), env.guard(le(u0, u1)), printExpr(env.simplify(u1))]).toEqual([
      true,
      true,
      "u1",
    ]);
  });
  test("fresh names avoid those in use, and a copy is independent", () => {
    const env = new ShapeEnv({ ranges: new Map([["u3", { min: 0, max: 4 }]]) });
    const copy = env.clone();
    expect([
      env.freshUnbackedInt().name,
      env.freshUnbackedFloat().name,
      copy.freshUnbackedInt().name,
    ]).toEqual(["u4", "zuf0", "u4"]);
    copy.setRange("u3", { min: 2, max: 9 });
    expect([
      printRange(copy.range(symbol("u3", { unbacked: true }))),
      printRange(env.range(symbol("u3", { unbacked: true }))),
    ]).toEqual(["VR[2, 4]", "VR[0, 4]"]);
    expect(() => copy.setRange("u3", { min: 5, max: 9 })).toThrow(
      expect.objectContaining({ code: "SYM_EMPTY_RANGE" }),
    );
  });
});

test("the static world decides numbers and refuses open conditions", () => {
  expect([
    STATIC_ENV.guard(true),
    STATIC_ENV.guardInt(3),
    STATIC_ENV.orFalse(gt(s77, 5)),
    STATIC_ENV.orTrue(gt(s77, 5)),
  ]).toEqual([true, 3, false, true]);
  expect(() => STATIC_ENV.guard(gt(s77, 5))).toThrow(
    expect.objectContaining({ code: "DATA_DEPENDENT_GUARD" }),
  );
});
