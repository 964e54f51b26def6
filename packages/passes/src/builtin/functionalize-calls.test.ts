/** @file Functionalization against PyTorch: every recorded call that writes or gives views. */
import { defaultOperators } from "@sconce/ops";
import { caseTitle } from "@sconce/ops-cases";
import { readAllCases } from "@sconce/ops-cases/node";
import { expect, test } from "vitest";
import { sampled, sampledEvery } from "../../../../.config/sampled.js";
import { functionalizedProblem, needsFunctionalization } from "./functionalize-calls.fixture.js";

/** The number of pieces depends on data: PyTorch refuses to export it, in the same words. */
const NOT_EXPORTABLE = /^DATA_DEPENDENT_GUARD: Could not extract specialized integer/;

/** PyTorch lowers no program with these: they write what they return nothing of. */
const NOT_LOWERED: ReadonlySet<string> = new Set([
  "aten._cummax_helper.default",
  "aten._cummin_helper.default",
]);

test("in-place operators and views, functionalized, give PyTorch's results and mutations", async () => {
  const operators = defaultOperators();
  const problems: string[] = [];
  const all = readAllCases().filter(
    (one) => one.source !== "edges" && !NOT_LOWERED.has(one.target) && needsFunctionalization(one, operators),
  );
  const chosen = sampled(all, 3);
  for (const one of chosen) {
    const problem = await functionalizedProblem(one, operators);
    if (problem !== undefined && !NOT_EXPORTABLE.test(problem))
      problems.push(`${caseTitle(one)}: ${problem}`);
  }
  expect(problems).toEqual([]);
  expect(chosen.length).toBeGreaterThan(1400 / sampledEvery(3));
});

test("operators in place that have no functional form are refused", async () => {
  const operators = defaultOperators();
  const cases = readAllCases().filter((one) => NOT_LOWERED.has(one.target));
  expect(new Set(cases.map(({ target }) => target))).toEqual(NOT_LOWERED);
  for (const one of cases)
    expect(await functionalizedProblem(one, operators), caseTitle(one)).toMatch(/^NOT_FUNCTIONALIZABLE: /);
});
