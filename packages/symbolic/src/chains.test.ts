import { Budget, isSconceError } from "@sconce/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSrepr, toSrepr } from "./index.js";

const operand = fc.constantFrom(
  "s0",
  "s1",
  "s2",
  "u0",
  "2",
  "-1",
  "0",
  "(s0 + 1)",
  "(s1 - 2)",
  "(s0//2)",
  "s0**2",
);
const condition = fc.constantFrom(
  "(s0 > 3)",
  "(s1 > 3)",
  "(s0 <= 3)",
  "(3 < s0)",
  "(s0 > 3) & (s1 > 2)",
  "Eq(u0, 1)",
);
const chains: readonly [signs: readonly string[], part: fc.Arbitrary<string>][] = [
  [["+", "-"], operand],
  [["*"], operand],
  [["*", "//", "%"], operand],
  [["&"], condition],
  [["|"], condition],
  [["&", "|"], condition],
];

/** What sympy does: two operands at a time, each result in parentheses. */
const pairwise = (first: string, rest: readonly (readonly [string, string])[]): string =>
  rest.reduce((left, [sign, part]) => `(${left} ${sign} ${part})`, first);

const written = (text: string): string => {
  try {
    return toSrepr(parseSrepr(text));
  } catch (error) {
    if (isSconceError(error)) return error.code;
    throw error;
  }
};

describe("chains of operators", () => {
  test.each(chains)("%s: collected at once as two at a time", (signs, part) => {
    const rest = fc.array(fc.tuple(fc.constantFrom(...signs), part), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(part, rest, (first, others) => {
        // One level only: `&` binds tighter than `|`.
        if (new Set(others.map(([sign]) => sign)).size > 1 && signs.includes("|")) return;
        const chain = [first, ...others.map(([sign, text]) => `${sign} ${text}`)].join(" ");
        expect(written(chain)).toBe(written(pairwise(first, others)));
      }),
      { numRuns: 300, seed: 11 },
    );
  });

  test.each([
    ["+", "Add", (i: number) => `s${i}`],
    ["*", "Mul", (i: number) => `s${i}`],
    ["&", "And", (i: number) => `(s${i} > ${i + 3})`],
    ["|", "Or", (i: number) => `(s${i} > ${i + 3})`],
  ])("a chain of %s takes no more steps than %s(...)", (sign, head, item) => {
    const items = Array.from({ length: 300 }, (_, i) => item(i));
    const steps = (text: string): number => {
      const budget = new Budget(0, { terms: 1e9, nodes: 1e9 });
      parseSrepr(text, { budget });
      return 1e9 - budget.left("terms");
    };
    expect(steps(items.join(sign))).toBeLessThan(1.2 * steps(`${head}(${items.join(", ")})`));
  });

  test("a sum of 4,000 terms is read by default, and its steps grow with its length", () => {
    const steps = (count: number): number => {
      const budget = new Budget(0, { terms: 1e9, nodes: 1e9 });
      parseSrepr(Array.from({ length: count }, (_, i) => `s${i}`).join(" + "), { budget });
      return 1e9 - budget.left("terms");
    };
    expect(steps(4000)).toBeLessThan(5 * steps(1000));
    const text = Array.from({ length: 4000 }, (_, i) => `s${i}`).join("+");
    expect(toSrepr(parseSrepr(text))).toContain("Symbol('s3999'");
  });

  test("an expression that takes more steps than its length allows is refused", () => {
    const branches = Array.from({ length: 2000 }, (_, i) => `(s${i}, s${i} > ${i + 3})`);
    expect(written(`Piecewise(${branches.join(", ")})`)).toBe("BUDGET_EXCEEDED");
  });

  test("the error names the text, the limit and what to do", () => {
    const terms = Array.from({ length: 100 }, (_, i) => `s${i}`).join("+");
    expect(() => parseSrepr(terms, { limits: { terms: 50 } })).toThrow(
      expect.objectContaining({
        code: "BUDGET_EXCEEDED",
        where: expect.stringContaining('the expression "s0+s1'),
        fix: expect.stringContaining("`limits.terms` (now 50)"),
      }),
    );
  });
});
