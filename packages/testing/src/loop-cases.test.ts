/** @file All recorded calls that loops can say, as loops: what cells are computed to is what PyTorch gave. */
import { fileURLToPath } from "node:url";
import { createSconce } from "sconce";
import { expect, test } from "vitest";
import { checkLoops, type LoopCaseResult } from "./conformance/loop-cases.js";
import { openOpCases } from "./conformance/op-case-set.js";

const entries = openOpCases(fileURLToPath(new URL("../fixtures/op-cases.zip", import.meta.url)));
const { operators } = createSconce();
const results: LoopCaseResult[] = [];

test("every recorded call that loops can say gives PyTorch's numbers", () => {
  for (const entry of entries) {
    results.push(...checkLoops(entry.read(), operators));
  }
  expect(results.filter(({ problem }) => problem !== undefined)).toEqual([]);
});

test("few of the calls are refused", () => {
  const refused = results.filter(({ notLowered }) => notLowered !== undefined);
  expect(results.length - refused.length).toBeGreaterThan(2000);
});
