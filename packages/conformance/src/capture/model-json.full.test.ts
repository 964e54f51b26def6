import { existsSync, readdirSync, readFileSync } from "node:fs";
import { exportProgram } from "@sconce/capture";
import { runDecompositions } from "@sconce/passes";
import { describe, expect, test } from "vitest";
import { PROGRAMS } from "../fixtures.js";
import { CALL_MODELS } from "./calls.fixture.js";
import { CUSTOM_MODELS } from "./custom-operators.fixture.js";
import { DOCUMENT_MODELS } from "./documents.fixture.js";
import { DYNAMIC_MODELS } from "./dynamic.fixture.js";
import { FLOW_MODELS } from "./flow.fixture.js";
import { type CorpusModels, prepareFromCorpus } from "./harness.fixture.js";
import { LANGUAGE_MODELS } from "./language.fixture.js";
import { LOWERING_MODELS } from "./lowering.fixture.js";
import {
  comparableJson,
  entryDifferences,
  jsonDifferences,
  modelJson,
  resultsThatAskForGradients,
  savedEntries,
  textOf,
  zipEntries,
} from "./model-json.fixture.js";
import { DYNAMIC_NETWORKS, STATIC_NETWORKS } from "./networks.fixture.js";
import { OPERATOR_MODELS } from "./operators.fixture.js";
import { SHAPE_MODELS } from "./shapes.fixture.js";
import { STATE_MODELS } from "./state.fixture.js";
import { UNBACKED_MODELS } from "./unbacked.fixture.js";

const MODELS: CorpusModels = {
  ...CALL_MODELS,
  ...CUSTOM_MODELS,
  ...DOCUMENT_MODELS,
  ...DYNAMIC_MODELS,
  ...FLOW_MODELS,
  ...LANGUAGE_MODELS,
  ...LOWERING_MODELS,
  ...OPERATOR_MODELS,
  ...STATE_MODELS,
  ...SHAPE_MODELS,
  ...STATIC_NETWORKS,
  ...DYNAMIC_NETWORKS,
  ...UNBACKED_MODELS,
};

/** What differs from PyTorch's files, by the program and the place, and why. */
const DIFFERENCES: readonly (readonly [what: RegExp, reason: string])[] = [
  [
    /^text_channels_last .*(tensor_values\.p_\d_weight\.strides|data\/weights\/)/,
    "PyTorch's model has its weights in another memory format, which the values loaded here lack.",
  ],
  [
    /^ops_norms .*nn_module_stack.*parametrizations\.weight/,
    "PyTorch has a list of parametrizations around the one of the weight.",
  ],
  [
    /^(call_dataclass_\w+|call_registered_class|call_namedtuple|tree_namedtuple|tree_custom_node|pm_dataclass|api_register_dataclass) data\/sample_inputs\/model\.pt: 0 bytes/,
    "PyTorch pickles objects of a Python class, of which a model in TypeScript has none: it has no samples.",
  ],
  [
    /^strict_\w+ .*metadata\.from_node: undefined/,
    "TorchDynamo records earlier graphs, with numbers of the process and addresses of Python's functions.",
  ],
  [
    /^strict_\w+ .*metadata\.source_fn_stack: .*_operator\.(add|mul)"$/,
    "TorchDynamo records Python's operators; a model in TypeScript calls methods.",
  ],
];

/** Programs of the corpus that have no model in TypeScript, and why. */
const WITHOUT_MODEL: Readonly<Record<string, string>> = {
  call_defaultdict: "JavaScript has no defaultdict, which the specification of the inputs names.",
  call_deque: "JavaScript has no deque, which the specification of the inputs names.",
  lifted_meta: "There is no meta device: a model has values.",
  lower_annotations: "There is no counterpart of torch.fx.traceback.annotate.",
  text_regions: "There are no autocast regions.",
};

describe("saved exports are PyTorch's files, field by field", () => {
  const met = new Set<RegExp>();

  test.each(Object.entries(MODELS))("%s", async (name, make) => {
    const { folder, model, args, options, rename } = await prepareFromCorpus(name, make);
    if (!folder.has("program.pt2")) return;
    const program = exportProgram(model, args, { onWarning: () => undefined, ...options });
    const entries = await savedEntries(program);
    const json = JSON.parse(rename(textOf(entries.get("models/model.json")!))) as unknown;
    const recorded = zipEntries(readFileSync(`${folder.path}/program.pt2`));
    const file = JSON.parse(textOf(recorded.get("models/model.json")!)) as unknown;
    const differences = [
      ...jsonDifferences(comparableJson(json), comparableJson(file)),
      ...entryDifferences(entries, recorded),
    ];
    const shown = differences.map((text) => `${name} ${text}`);
    expect(shown.filter((text) => !DIFFERENCES.some(([what]) => what.test(text)))).toEqual([]);
    for (const [what] of DIFFERENCES) if (shown.some((text) => what.test(text))) met.add(what);
    // PyTorch's names in lowered programs depend on earlier exports of the process.
    expect(resultsThatAskForGradients(await modelJson(runDecompositions(program)))).toEqual([]);
  });

  test("every program of the corpus has a model, or a reason for none", () => {
    const programs = readdirSync(PROGRAMS).filter((name) => existsSync(`${PROGRAMS}${name}/program.pt2`));
    const missing = programs.filter((name) => !Object.hasOwn(MODELS, name));
    expect(missing.sort()).toEqual(Object.keys(WITHOUT_MODEL).sort());
  });

  test("every listed difference is there", () => {
    expect(DIFFERENCES.filter(([what]) => !met.has(what))).toEqual([]);
  });
});
