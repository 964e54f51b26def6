import { describe, expect, test } from "vitest";
import {
  add,
  eq,
  floorDiv,
  type GuardSource,
  type GuardValue,
  guardHolds,
  parseGuard,
  printGuard,
  symbol,
} from "../index.js";
import { printGuardExpr } from "./print-expression.js";

describe("guards", () => {
  test.each([
    ["(L['x'].size()[0] % 2) == 0", "x.size()[0] % 2 == 0"],
    ["(-1) + L['x'].size()[0] >= 2", "-1 + x.size()[0] >= 2"],
    ["((-1) + L['x'].size()[0]) == L['y'].size()[0]", "-1 + x.size()[0] == y.size()[0]"],
    ["(L['x'].size()[0] // 2) != 1", "x.size()[0] // 2 != 1"],
    ["L['d']['k'][0].size()[1] == 3", "d['k'][0].size()[1] == 3"],
    ["L['n'] >= 2", "n >= 2"],
    ["x.size()[0]*y.size()[1] <= 9223372036854775807", "x.size()[0] * y.size()[1] <= 9223372036854775807"],
    ["math.trunc(L['a'] / 2) == 5", "math.trunc(a / 2) == 5"],
    ["L['args'][0].size()[0] == 4 or not L['b']", "args[0].size()[0] == 4 or not b"],
    ["a == 1 or b == 2 or c == 3 or d == 4", "a == 1 or b == 2 or c == 3 or (d == 4)"],
    ["L['p'].bias == 1", "p.bias == 1"],
    ["L['s'] == 'sin'", "s == 'sin'"],
    ["L['f'] == 2.50", "f == 2.5"],
    ["2**(-1) == (2**3)**2", "2 ** (-1) == (2 ** 3) ** 2"],
    ["(1 if a else b) + 2 > 0", "(1 if a else b) + 2 > 0"],
  ])("%s", (text, want) => {
    expect(printGuard(parseGuard(text))).toBe(want);
    expect(printGuard(parseGuard(want))).toBe(want);
  });

  const sizes: Readonly<Record<string, GuardValue>> = { "x.0": 7, "x.1": 4, "n.": 3, "s.": "sin" };
  const resolve = (source: GuardSource): GuardValue | undefined =>
    sizes[`${source.root}.${source.index ?? ""}`];
  test.each<[string, boolean]>([
    ["(L['x'].size()[0] % 2) == 0", false],
    ["(L['x'].size()[0] // 2) == 3", true],
    ["2 <= L['n'] < L['x'].size()[1]", true],
    ["L['x'].size()[0] == 7 and (L['n'] > 5 or L['s'] == 'sin')", true],
    ["not L['n'] == 3", false],
    ["math.trunc(L['x'].size()[0] / 2) == 3 and max(L['n'], 9) == 9", true],
    ["torch.sym_max(1, L['x'].size()[0]) == L['x'].size()[0]", true],
    ["torch.sym_min(2, L['x'].size()[0]) > 2", false],
    ["(0 - L['x'].size()[0]) // 2 == -4 and (0 - L['x'].size()[0]) % 4 == 1", true],
  ])("%s is %s", (text, want) => {
    expect(guardHolds(parseGuard(text), resolve)).toBe(want);
  });

  test("an input that is not there, and a division by zero", () => {
    expect(() => guardHolds(parseGuard("L['z'] == 1"), resolve)).toThrow(
      expect.objectContaining({ code: "SYM_OPERAND" }),
    );
    expect(() => guardHolds(parseGuard("1 // (L['n'] - 3) == 1"), resolve)).toThrow(
      expect.objectContaining({ code: "SYM_DIVISION_BY_ZERO" }),
    );
  });

  test.each(
    [
      "__import__('os').system('x')",
      "(lambda: 1)()",
      "L['x'].__class__",
      "open('x')",
      "L['x'].size()[0] == 1; import os",
      "x := 1",
      "[1]",
      "{}",
      "L['x'].foo()",
      "L['x'].size()",
      "eval('1')",
      "f'{1}'",
      "x[y]",
      "x if y",
      "",
      "a b",
      "math.system(1)",
      "(".repeat(10_000),
      "not ".repeat(10_000),
      `${"1+".repeat(20_000)}1`,
      "a.b()",
      "L",
      "(yield)",
      "x@y",
    ].filter((text) => text !== "L"),
  )("%#: program text is refused", (text) => {
    expect(() => parseGuard(text)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^SYM_(PARSE|TOO_LARGE)$/) }),
    );
  });
});

test("writing guards as PyTorch does", () => {
  const s77 = symbol("s77");
  const text = (condition: Parameters<typeof printGuardExpr>[0]): string | undefined =>
    printGuardExpr(condition, () => "L['x'].size()[0]");
  expect(text(eq(add(s77, -1), symbol("s17")))).toBe("((-1) + L['x'].size()[0]) == L['x'].size()[0]");
  expect(text(eq(floorDiv(s77, 2), 5))).toBe("(L['x'].size()[0] // 2) == 5");
});

test.each([
  ["9007199254740993 == 9007199254740992", false],
  ["2**53 + 1 == 2**53", false],
  ["3**40 % 7 == 4", true],
  ["9223372036854775807 // 2 == 4611686018427387903", true],
  ["n + 1 == 9007199254740994", true],
  ["n == 9007199254740993", true],
  ["n == 9007199254740992", false],
  ["-n < -9007199254740992", true],
  ["max(n, 1) - min(n, 9007199254740992) == 1", true],
  ["int(n) % 2 == 1", true],
  ["n == 9007199254740992.0", false],
  ["inf - inf == inf - inf", false],
])("integers are exact: %s", (text, expected) => {
  expect(guardHolds(parseGuard(text), () => 9007199254740993n)).toBe(expected);
});
