/**
 * @file Runs all recorded calls that lower to loops as loops, and compares the elements with
 * PyTorch's.
 */
import { defaultOperators } from "@sconce/ops";
import { caseTitle, type OpCase } from "@sconce/ops-cases";
import { caseFamilies, readFamily } from "@sconce/ops-cases/node";
import { expect, test } from "vitest";
import { checkLoops } from "./recorded-calls.fixture.js";

const operators = defaultOperators();
const results: (Pick<OpCase, "target"> & { readonly notLowered: string | undefined })[] = [];

test.each(caseFamilies())(
  "every recorded call of %s that loops express gives PyTorch's numbers",
  (family) => {
    const problems: string[] = [];
    for (const one of readFamily(family)) {
      // Calls that PyTorch refuses do not have a result, and edges are for the checks of kernels.
      if (one.compare === "error" || one.source === "edges") continue;
      const { problem, notLowered } = checkLoops(one, operators);
      results.push({ target: one.target, notLowered });
      if (problem !== undefined) problems.push(`${caseTitle(one)}: ${problem}`);
    }
    expect(problems).toEqual([]);
  },
);

test("few of the calls that write nothing are refused", () => {
  const functional = results.filter(({ target }) => !operators.require(target).schema.isMutable);
  const refused = functional.filter(({ notLowered }) => notLowered !== undefined);
  expect(functional.length).toBeGreaterThan(2500);
  expect(refused.length / functional.length).toBeLessThan(0.12);
});

test("core operators without any loops: unknown shapes, random numbers, sizes, results for gradients only", () => {
  const core = results.filter(({ target }) => operators.tagsOf(target).includes("core"));
  const lowered = new Set(
    core.filter(({ notLowered }) => notLowered === undefined).map(({ target }) => target),
  );
  const without = core.map(({ target }) => target).filter((target) => !lowered.has(target));
  expect([...new Set(without)].sort()).toMatchInlineSnapshot(`
    [
      "aten._embedding_bag.default",
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
