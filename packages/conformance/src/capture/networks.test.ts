import { describe, expect, test } from "vitest";
import { sampled } from "../../../../.config/sampled.js";
import { exportFromCorpus, runFromCorpus } from "./harness.fixture.js";
import { DYNAMIC_NETWORKS, STATIC_NETWORKS } from "./networks.fixture.js";

const NETWORKS = Object.entries({ ...STATIC_NETWORKS, ...DYNAMIC_NETWORKS });
describe("networks of the corpus, written in TypeScript", () => {
  test.each(sampled(NETWORKS, 2))("%s exports to PyTorch's program", async (name, make) => {
    const { text, wanted, lowered, problems } = await exportFromCorpus(name, make);
    expect(text).toBe(wanted);
    expect(problems).toEqual([]);
    if (lowered !== undefined) expect(lowered[0]).toBe(lowered[1]);
  });

  test.each(sampled(NETWORKS, 4))("%s gives PyTorch's numbers", async (name, make) => {
    expect(await runFromCorpus(name, make)).toEqual({ program: [], eager: undefined });
  });
});
