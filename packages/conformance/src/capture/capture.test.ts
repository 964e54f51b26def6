import { describe, expect, test } from "vitest";
import { sampled } from "../../../../.config/sampled.js";
import { CALL_MODELS } from "./calls.fixture.js";
import { DOCUMENT_MODELS } from "./documents.fixture.js";
import { DYNAMIC_MODELS } from "./dynamic.fixture.js";
import { exportFromCorpus, runFromCorpus } from "./harness.fixture.js";
import { LANGUAGE_MODELS } from "./language.fixture.js";
import { OPERATOR_MODELS } from "./operators.fixture.js";
import { SHAPE_MODELS } from "./shapes.fixture.js";
import { STATE_MODELS } from "./state.fixture.js";
import { UNBACKED_MODELS } from "./unbacked.fixture.js";

const MODELS = Object.entries({
  ...CALL_MODELS,
  ...DOCUMENT_MODELS,
  ...DYNAMIC_MODELS,
  ...LANGUAGE_MODELS,
  ...OPERATOR_MODELS,
  ...STATE_MODELS,
  ...SHAPE_MODELS,
  ...UNBACKED_MODELS,
});

describe("models of the corpus, written in TypeScript", () => {
  test.each(MODELS)("%s exports to PyTorch's program", async (name, make) => {
    const { text, wanted, lowered, problems } = await exportFromCorpus(name, make);
    expect(text).toBe(wanted);
    expect(problems).toEqual([]);
    if (lowered !== undefined) expect(lowered[0]).toBe(lowered[1]);
  });

  test.each(sampled(MODELS, 4))("%s gives PyTorch's numbers", async (name, make) => {
    expect(await runFromCorpus(name, make)).toEqual({ program: [], eager: undefined });
  });
});
