/** @file Recorded calls at the edges of operators: ends of domains, mixed dtypes, and what PyTorch refuses. */
import { fileURLToPath } from "node:url";
import { createSconce } from "sconce";
import { expect, test } from "vitest";
import { openOpCases } from "./conformance/op-case-set.js";
import { OpChecker } from "./conformance/op-checker.js";

const entries = openOpCases(fileURLToPath(new URL("../fixtures/op-edges.zip", import.meta.url)));
// PyTorch's decompositions give other values than its kernels at many of these places.
const checker = new OpChecker(createSconce(), "cpu", ["run", "fake"]);

test.each(entries.map((entry) => [entry.name, entry] as const))("%s", (_, entry) => {
  const results = checker.check(entry.read());
  expect(results.length).toBeGreaterThan(0);
  expect(results.filter(({ problem }) => problem !== undefined)).toEqual([]);
});

test("every recorded call was run", () => {
  expect(checker.counts).toMatchObject({ run: 5327 });
  expect(checker.counts.fake).toBeGreaterThan(4000);
});
