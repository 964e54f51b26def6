import { defaultOperators } from "@sconce/ops";
import { expect, test } from "vitest";
import { callOf, operatorCases } from "./operator-cases.js";

const cases = operatorCases();
const SMALL = 1600;

test("every case has its own name, an operator that there is, and PyTorch's time", () => {
  const operators = defaultOperators();
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  expect(cases.filter(({ target }) => operators.get(target) === undefined)).toEqual([]);
  expect(cases.filter(({ torch }) => !(torch > 0))).toEqual([]);
});

test.each(cases.filter(({ n }) => n !== undefined).map((one) => [one.name, one] as const))(
  "%s runs",
  (_, one) => {
    expect(callOf(one, SMALL)()).toBeDefined();
  },
);
