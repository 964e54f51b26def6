import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Budget, type SconceError } from "./index.js";

/** Steps after which a budget has read the clock. */
const STEPS = 5_000;
const work = (budget: Budget): void => {
  for (let i = 0; i < STEPS; i++) budget.spend("nodes");
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("time of work counts", () => {
  const budget = new Budget(0, { milliseconds: 100 });
  work(budget);
  vi.setSystemTime(Date.now() + 101);
  expect(() => work(budget)).toThrow(
    expect.objectContaining({ code: "BUDGET_EXCEEDED", fix: expect.stringContaining("limits.milliseconds") }),
  );
});

test.each([
  ["resolves", () => "bytes"],
  [
    "rejects",
    () => {
      throw new Error("gone");
    },
  ],
])("time of waiting does not count, whether the promise %s", async (_, end) => {
  const budget = new Budget(0, { milliseconds: 100 });
  const source = Promise.resolve().then(() => {
    vi.setSystemTime(Date.now() + 1_000);
    return end();
  });
  await budget.waiting(source).catch((error: unknown) => expect(error).toMatchObject({ message: "gone" }));
  work(budget);
  vi.setSystemTime(Date.now() + 101);
  expect(() => work(budget)).toThrow(expect.objectContaining({ code: "BUDGET_EXCEEDED" }));
});

test("a list of more short items than programs have is refused early", () => {
  const budget = new Budget(100e6);
  const codeFor = (items: number, bytes: number, given = budget): string => {
    try {
      given.holds(items, undefined, bytes);
      return "held";
    } catch (error) {
      return `${(error as SconceError).code} ${(error as SconceError).message}`;
    }
  };
  expect(codeFor(25_000, 0)).toBe("held");
  expect(codeFor(30_000, 24 * 5_000)).toBe("held");
  expect(codeFor(30_000, 24 * 4_999)).toMatch(/^BUDGET_EXCEEDED .* more than 29999 items/);
  // A program with 40,000 outputs is sound: `%neg_12345, ` takes 12 bytes.
  expect(codeFor(40_000, 12 * 40_000)).toBe("held");
  expect(codeFor(30_000, 0, new Budget(100e6, { items: 30_000 }))).toBe("held");
});
