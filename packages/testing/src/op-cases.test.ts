/** @file All recorded calls: the run, the shape rule and the decomposition give what PyTorch gave. */
import { fileURLToPath } from "node:url";
import { createSconce } from "sconce";
import { expect, test } from "vitest";
import { openOpCases } from "./conformance/op-case-set.js";
import { OpChecker } from "./conformance/op-checker.js";

const entries = openOpCases(fileURLToPath(new URL("../fixtures/op-cases.zip", import.meta.url)));
const checker = new OpChecker(createSconce(), "cpu");

test.each(entries.map((entry) => [entry.name, entry] as const))("%s", (_, entry) => {
  const results = checker.check(entry.read());
  expect(results.length).toBeGreaterThan(0);
  expect(results.filter(({ problem }) => problem !== undefined)).toEqual([]);
});

test("every recorded call was run, every one with a result was predicted, and many were decomposed", () => {
  expect(checker.counts).toMatchObject({ run: 7270, fake: 6747 });
  expect(checker.counts.decomposition).toBeGreaterThan(1300);
});
