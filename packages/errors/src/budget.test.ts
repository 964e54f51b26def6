import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Budget } from "./index.js";

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
