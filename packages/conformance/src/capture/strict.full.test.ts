import { describe, test } from "vitest";
import { DYNAMIC_MODELS } from "./dynamic.fixture.js";
import { LANGUAGE_MODELS } from "./language.fixture.js";
import { DYNAMIC_NETWORKS, STATIC_NETWORKS } from "./networks.fixture.js";
import { OPERATOR_MODELS } from "./operators.fixture.js";
import { SHAPE_MODELS } from "./shapes.fixture.js";
import { compareStrict } from "./strict-corpus.fixture.js";
import { STRICT } from "./strict-record.fixture.js";
import { UNBACKED_MODELS } from "./unbacked.fixture.js";

const MODELS = Object.entries({
  ...DYNAMIC_MODELS,
  ...LANGUAGE_MODELS,
  ...OPERATOR_MODELS,
  ...SHAPE_MODELS,
  ...UNBACKED_MODELS,
  ...STATIC_NETWORKS,
  ...DYNAMIC_NETWORKS,
}).filter(([name]) => STRICT.programs[name] !== undefined);

describe("strict exports of the corpus", () => {
  test.each(MODELS)("%s differs from the non-strict export as PyTorch's does", async (name, make) => {
    await compareStrict(name, make);
  });
});
