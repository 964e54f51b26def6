import { describe, expect, test } from "vitest";
import { FLOW_MODELS } from "./flow.fixture.js";
import { exportFromCorpus, runFromCorpus } from "./harness.fixture.js";

/** Files hold lists and tuples alike, among operands and among results. */
const withLists = (text: string): string =>
  text
    .replace(/return \[(.*)\]$/gm, "return ($1)")
    .replace(/^.*= torch\.ops\.higher_order.*$/gm, (line) =>
      line.replace(/, \(([^()]*?),?\)(?=[,)])/g, ", [$1]"),
    );

describe("models with control flow", () => {
  test.each(Object.entries(FLOW_MODELS))(
    "%s exports to PyTorch's program [S-053, S-054, S-055]",
    async (name, make) => {
      const { text, wanted, lowered, problems } = await exportFromCorpus(name, make);
      expect(text).toBe(wanted);
      expect(problems).toEqual([]);
      if (lowered !== undefined) expect(withLists(lowered[0])).toBe(withLists(lowered[1]));
    },
  );

  test.each(Object.entries(FLOW_MODELS))("%s gives PyTorch's numbers [S-053, S-054]", async (name, make) => {
    expect(await runFromCorpus(name, make)).toEqual({ program: [], eager: undefined });
  });
});
