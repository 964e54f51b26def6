import { exportProgram } from "@sconce/capture";
import { openPt2File } from "@sconce/formats/node";
import { runDecompositions } from "@sconce/passes";
import { describe, expect, test } from "vitest";
import { CALL_MODELS } from "./calls.fixture.js";
import { DOCUMENT_MODELS } from "./documents.fixture.js";
import { DYNAMIC_MODELS } from "./dynamic.fixture.js";
import { FLOW_MODELS } from "./flow.fixture.js";
import { type CorpusModels, IMPLIED, prepareFromCorpus } from "./harness.fixture.js";
import { LANGUAGE_MODELS } from "./language.fixture.js";
import {
  comparableJson,
  jsonDifferences,
  modelJson,
  resultsThatAskForGradients,
} from "./model-json.fixture.js";
import { DYNAMIC_NETWORKS, STATIC_NETWORKS } from "./networks.fixture.js";
import { OPERATOR_MODELS } from "./operators.fixture.js";
import { SHAPE_MODELS } from "./shapes.fixture.js";
import { STATE_MODELS } from "./state.fixture.js";
import { UNBACKED_MODELS } from "./unbacked.fixture.js";

const MODELS: CorpusModels = {
  ...CALL_MODELS,
  ...DOCUMENT_MODELS,
  ...DYNAMIC_MODELS,
  ...FLOW_MODELS,
  ...LANGUAGE_MODELS,
  ...OPERATOR_MODELS,
  ...STATE_MODELS,
  ...SHAPE_MODELS,
  ...STATIC_NETWORKS,
  ...DYNAMIC_NETWORKS,
  ...UNBACKED_MODELS,
};

/** What differs because the models do. */
const OTHER_MODELS: readonly RegExp[] = [
  // PyTorch's has its weights in another memory format, which the values loaded here lack.
  /^text_channels_last .*tensor_values\.p_\d_weight\.strides/,
  // PyTorch has a list of parametrizations around the one of the weight.
  /^ops_norms .*nn_module_stack.*parametrizations\.weight/,
];

describe("the JSON of exports is PyTorch's, field by field", () => {
  test.each(Object.entries(MODELS))("%s", async (name, make) => {
    const { folder, model, args, options, rename } = await prepareFromCorpus(name, make);
    if (!folder.has("program.pt2")) return;
    const program = exportProgram(model, args, { onWarning: () => undefined, ...options });
    const json = JSON.parse(rename(JSON.stringify(await modelJson(program)))) as unknown;
    const file = await modelJson(await openPt2File(`${folder.path}/program.pt2`));
    const implied: string | undefined = IMPLIED[name as keyof typeof IMPLIED];
    const differences = jsonDifferences(comparableJson(json), comparableJson(file, implied));
    const isExpected = (text: string): boolean => OTHER_MODELS.some((one) => one.test(`${name} ${text}`));
    expect(differences.filter((text) => !isExpected(text))).toEqual([]);
    // PyTorch's names in lowered programs depend on earlier exports of the process.
    expect(resultsThatAskForGradients(await modelJson(runDecompositions(program)))).toEqual([]);
  });
});
