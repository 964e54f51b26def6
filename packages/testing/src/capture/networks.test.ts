import { describe, expect, test } from "vitest";
import { exportFromCorpus, runFromCorpus } from "./harness.fixture.js";
import { STATIC_NETWORKS } from "./networks.fixture.js";

/** Programs that draw random numbers. */
const DRAWS = new Set(["net_mlp_train"]);

describe("networks of the corpus, written in TypeScript", () => {
  test.each(Object.entries(STATIC_NETWORKS))("%s exports to PyTorch's program", async (name, make) => {
    const { text, wanted, lowered, problems } = await exportFromCorpus(name, make);
    expect(text).toBe(wanted);
    expect(problems).toEqual([]);
    if (lowered !== undefined) expect(lowered[0]).toBe(lowered[1]);
  });

  const compared = Object.entries(STATIC_NETWORKS).filter(([name]) => !DRAWS.has(name));
  test.each(compared)("%s gives PyTorch's numbers", async (name, make) => {
    expect(await runFromCorpus(name, make)).toEqual({ program: [], eager: [] });
  });
});
