import {
  add,
  type BoolLike,
  eq,
  ge,
  gt,
  le,
  lt,
  mul,
  ne,
  printExpr,
  printRange,
  pythonMod,
  ShapeEnv,
  type SymExpr,
  symbol,
} from "@sconce/symbolic";
import { expect, test } from "vitest";
import { requireCondition, requireIsSize, requireSizeRange, requireValueRange } from "./runtime-checks.js";

const size = symbol("s17");
const world = (): { readonly env: ShapeEnv; readonly u0: SymExpr; readonly u1: SymExpr } => {
  const env = new ShapeEnv({ hints: new Map([["s17", 8]]) });
  return { env, u0: env.freshUnbackedInt(), u1: env.freshUnbackedInt() };
};
const checkAll = (env: ShapeEnv, ...conditions: readonly BoolLike[]): void => {
  for (const condition of conditions) requireCondition(env, condition);
};
type Run = (env: ShapeEnv, u0: SymExpr, u1: SymExpr) => void;

test.each<[string, Run, range: string, assertions: readonly string[], replacement?: string]>([
  ["two bounds", (env, u0) => checkAll(env, ge(u0, 2), lt(u0, 10)), "VR[2, 9]", ["2 <= u0", "u0 < 10"]],
  [
    "what follows is not required again",
    (env, u0) => checkAll(env, ge(u0, 2), ge(u0, 2), ge(u0, 1)),
    "VR[2, int_oo]",
    ["2 <= u0"],
  ],
  [
    "a size as the bound",
    (env, u0) => checkAll(env, le(mul(2, u0), size), gt(u0, 0)),
    "VR[1, int_oo]",
    ["2*u0 <= s17", "0 < u0"],
  ],
  [
    "equal to a size",
    (env, u0) => requireCondition(env, eq(u0, size)),
    "VR[2, int_oo]",
    ["Eq(u0, s17)"],
    "s17",
  ],
  ["equal to a number", (env, u0) => requireCondition(env, eq(u0, 4)), "VR[4, 4]", ["Eq(u0, 4)"], "4"],
  ["not equal", (env, u0) => requireCondition(env, ne(u0, 0)), "VR[-int_oo, int_oo]", ["Ne(u0, 0)"]],
  [
    "even",
    (env, u0) => requireCondition(env, eq(pythonMod(u0, 2), 0)),
    "VR[-int_oo, int_oo]",
    ["Eq(PythonMod(u0, 2), 0)"],
  ],
  [
    "equal to another",
    (env, u0, u1) => requireCondition(env, eq(u0, u1)),
    "VR[-int_oo, int_oo]",
    ["Eq(u0, u1)"],
  ],
  [
    "of two integers",
    (env, u0, u1) => checkAll(env, le(add(u0, u1), 9), ge(u0, u1)),
    "VR[-int_oo, int_oo]",
    ["u0 + u1 <= 9", "u1 <= u0"],
  ],
  ["a size", (env, u0) => requireIsSize(env, u0), "VR[0, int_oo]", ["0 <= u0"]],
  ["a bounded size", (env, u0) => requireSizeRange(env, u0, { min: 2, max: 8 }), "VR[2, 8]", []],
  ["a bounded value", (env, u0) => requireValueRange(env, u0, { min: -2, max: 8 }), "VR[-2, 8]", []],
])("%s", (_, run, range, assertions, replacement) => {
  const { env, u0, u1 } = world();
  run(env, u0, u1);
  expect(env.assertions.map(printExpr)).toEqual(assertions);
  expect(env.guards).toEqual([]);
  const replaced = env.replacements.get("u0");
  expect(replaced === undefined ? undefined : printExpr(replaced)).toBe(replacement);
  expect(printRange(env.rangeOf(u0))).toBe(range);
});

test("conditions on sizes of inputs are guards", () => {
  const { env } = world();
  requireCondition(env, ge(size, 3));
  requireSizeRange(env, size, { max: 64 });
  expect([env.guards.map(printExpr), env.assertions]).toEqual([["s17 >= 3", "s17 <= 64"], []]);
});

test("a later branch is decided", () => {
  const { env, u0 } = world();
  requireCondition(env, ge(u0, 2));
  expect(env.guard(gt(u0, 1))).toBe(true);
  expect(() => env.guard(gt(u0, 5))).toThrow("Could not guard on data-dependent expression u0 > 5");
});

test("a size is marked as one, which messages name", () => {
  const { env, u0 } = world();
  requireIsSize(env, u0);
  expect(env.isSizeLike(u0)).toBe(true);
  expect(() => env.guard(gt(u0, 5))).toThrow("(Size-like symbols: u0)");
});

test("what fails is refused with the message", () => {
  const { env, u0 } = world();
  const failed = (message: string): unknown => expect.objectContaining({ code: "CHECK_FAILED", message });
  requireCondition(env, ge(u0, 2));
  expect(() => requireCondition(env, lt(u0, 1))).toThrow(failed("Expected u0 < 1 to be True, but got False"));
  expect(() => requireCondition(env, eq(size, 3))).toThrow(
    failed("Expected Eq(s17, 3) to be True, but got False"),
  );
  expect(() => requireCondition(env, false, () => "oh no")).toThrow(failed("oh no"));
  expect(() => requireCondition(env, false)).toThrow(failed("Expected cond to be True, but got False"));
});
