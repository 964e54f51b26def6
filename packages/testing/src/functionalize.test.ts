/** @file Functionalization against PyTorch: every recorded call that writes or gives views. */
import { fileURLToPath } from "node:url";
import { createSconce } from "sconce";
import { expect, test } from "vitest";
import { checkFunctionalized, needsFunctionalization } from "./conformance/functionalize-cases.js";
import { openOpCases } from "./conformance/op-case-set.js";

const CASES = fileURLToPath(new URL("../fixtures/op-cases.zip", import.meta.url));

/** The number of pieces depends on data: PyTorch refuses to export it, in the same words. */
const NOT_EXPORTABLE = /^DATA_DEPENDENT_GUARD: Could not extract specialized integer/;

test("in-place operators and views, functionalized, give PyTorch's results and mutations", async () => {
  const { operators } = createSconce();
  const problems: unknown[] = [];
  let checked = 0;
  for (const entry of openOpCases(CASES)) {
    const file = entry.read();
    if (!needsFunctionalization(file, operators)) continue;
    const results = await checkFunctionalized(file, operators);
    checked += results.length;
    problems.push(...results.filter(({ problem }) => problem !== undefined && !NOT_EXPORTABLE.test(problem)));
  }
  expect(problems).toEqual([]);
  expect(checked).toBeGreaterThan(1400);
});
