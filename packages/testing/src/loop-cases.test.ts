/** @file Runs all recorded calls that lower to loops as loops, and compares the elements with PyTorch's. */
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

test("few of the calls that write nothing are refused", () => {
  const functional = results.filter(({ target }) => !operators.require(target).schema.isMutable);
  const refused = functional.filter(({ notLowered }) => notLowered !== undefined);
  expect(functional.length).toBeGreaterThan(2500);
  expect(refused.length / functional.length).toBeLessThan(0.12);
});

test("core operators without any loops: unknown shapes, random or complex numbers, sizes, results for gradients only", () => {
  const core = results.filter(({ target }) => operators.tagsOf(target).includes("core"));
  const lowered = new Set(
    core.filter(({ notLowered }) => notLowered === undefined).map(({ target }) => target),
  );
  const without = core.map(({ target }) => target).filter((target) => !lowered.has(target));
  expect([...new Set(without)]).toMatchInlineSnapshot(`
    [
      "aten._embedding_bag.default",
      "aten._fft_c2r.default",
      "aten._fft_r2c.default",
      "aten._local_scalar_dense.default",
      "aten.nonzero.default",
      "aten.rand.default",
      "aten.randn.default",
      "aten.randperm.default",
      "aten.resize_.default",
      "aten.sym_is_contiguous.default",
    ]
  `);
});
