/** @file A small program file for tests, with every part open to change. */
import { type EntryFixture, makeZip, utf8 } from "../zip/zip.fixture.js";

/** Loose JSON, for building broken documents. */
export type Loose = { [key: string]: Loose } & LooseList;
interface LooseList {
  push(item: Loose): number;
  pop(): Loose | undefined;
  reverse(): unknown;
}
export const loose = (value: unknown): Loose => value as Loose;

const tensorMeta = (sizes: number[], strides: number[], requiresGrad = false) => ({
  dtype: 7,
  sizes: sizes.map((as_int) => ({ as_int })),
  requires_grad: requiresGrad,
  device: { type: "cpu", index: null },
  strides: strides.map((as_int) => ({ as_int })),
  storage_offset: { as_int: 0 },
  layout: 7,
});
const tensor = (name: string) => ({ as_tensor: { name } });
const LEAF = { type: null, context: null, children_spec: [] };
const IN_SPEC = JSON.stringify([
  1,
  {
    type: "builtins.tuple",
    context: "null",
    children_spec: [
      { type: "builtins.tuple", context: "null", children_spec: [LEAF] },
      { type: "builtins.dict", context: "[]", children_spec: [] },
    ],
  },
]);

/** `x * w + 1.0` as a document. */
export function makeModel(): Loose {
  return loose({
    graph_module: {
      graph: {
        inputs: [tensor("p_w"), tensor("x")],
        outputs: [tensor("add")],
        nodes: [
          {
            target: "torch.ops.aten.mul.Tensor",
            inputs: [
              { name: "self", arg: tensor("x"), kind: 1 },
              { name: "other", arg: tensor("p_w"), kind: 1 },
            ],
            outputs: [tensor("mul")],
            metadata: {},
          },
          {
            target: "torch.ops.aten.add.Tensor",
            inputs: [
              { name: "self", arg: tensor("mul"), kind: 1 },
              { name: "other", arg: { as_float: 1 }, kind: 1 },
            ],
            outputs: [tensor("add")],
            metadata: {},
          },
        ],
        tensor_values: {
          p_w: tensorMeta([3], [1], true),
          x: tensorMeta([2, 3], [3, 1]),
          mul: tensorMeta([2, 3], [3, 1]),
          add: tensorMeta([2, 3], [3, 1]),
        },
        sym_int_values: {},
        sym_bool_values: {},
      },
      signature: {
        input_specs: [
          { parameter: { arg: { name: "p_w" }, parameter_name: "w" } },
          { user_input: { arg: tensor("x") } },
        ],
        output_specs: [{ user_output: { arg: tensor("add") } }],
      },
      module_call_graph: [
        {
          fqn: "",
          signature: { inputs: [], outputs: [], in_spec: IN_SPEC, out_spec: JSON.stringify([1, LEAF]) },
        },
      ],
    },
    opset_version: { aten: 10 },
    range_constraints: {},
    schema_version: { major: 8, minor: 20 },
  });
}

/** Entries below the root folder, by name. */
export type Records = Map<string, Uint8Array>;

/** Returns the records of a sound archive. */
export function makeRecords(model: unknown = makeModel()): Records {
  const config = {
    config: {
      w: {
        path_name: "weight_0",
        is_param: true,
        use_pickle: false,
        tensor_meta: tensorMeta([3], [1], true),
      },
    },
  };
  return new Map([
    ["archive_format", utf8("pt2")],
    ["archive_version", utf8("0")],
    [".data/version", utf8("6\n")],
    ["data/weights/weight_0", new Uint8Array(new Float32Array([1, 2, 3]).buffer)],
    ["data/weights/model_weights_config.json", utf8(JSON.stringify(config))],
    ["data/constants/model_constants_config.json", utf8('{"config": {}}')],
    ["data/sample_inputs/model.pt", new Uint8Array(0)],
    ["models/model.json", utf8(typeof model === "string" ? model : JSON.stringify(model))],
  ]);
}

/** Returns an archive of records, with its root folder. */
export const makePt2 = (records: Records = makeRecords(), root = "m/"): Uint8Array =>
  makeZip([...records].map(([name, data]): EntryFixture => ({ name: root + name, data })));

/** Returns the weights configuration with a change. */
export function withWeightConfig(change: (entry: Loose) => void, data?: Uint8Array): Uint8Array {
  const records = makeRecords();
  const name = "data/weights/model_weights_config.json";
  const config = JSON.parse(new TextDecoder().decode(records.get(name))) as Loose;
  change(config["config"]!["w"]!);
  records.set(name, utf8(JSON.stringify(config)));
  if (data !== undefined) records.set("data/weights/weight_0", data);
  return makePt2(records);
}

/** Returns the model with a change. */
export function withModel(change: (model: Loose) => void): Uint8Array {
  const model = makeModel();
  change(model);
  return makePt2(makeRecords(model));
}

/** Returns an archive whose two weights of so many elements come first, as PyTorch writes them. */
export function makeLargePt2(elements: number): Uint8Array {
  const meta = tensorMeta([elements], [1], true);
  const model = makeModel();
  model["graph_module"]!["graph"]!["tensor_values"]!["p_w"] = loose(meta);
  model["graph_module"]!["graph"]!["tensor_values"]!["p_v"] = loose(meta);
  model["graph_module"]!["graph"]!["inputs"] = loose([tensor("p_w"), tensor("p_v"), tensor("x")]);
  model["graph_module"]!["signature"]!["input_specs"] = loose([
    { parameter: { arg: { name: "p_w" }, parameter_name: "w" } },
    { parameter: { arg: { name: "p_v" }, parameter_name: "v" } },
    { user_input: { arg: tensor("x") } },
  ]);
  const entry = (path: string) => ({ path_name: path, is_param: true, use_pickle: false, tensor_meta: meta });
  const config = { config: { w: entry("weight_0"), v: entry("weight_1") } };
  const values = new Float32Array(elements).map((_, i) => i % 1000);
  const weights: [string, Uint8Array][] = [
    ["data/weights/weight_0", new Uint8Array(values.buffer)],
    ["data/weights/weight_1", new Uint8Array(values.slice().reverse().buffer)],
  ];
  const records = new Map([
    ...weights,
    ...[...makeRecords(model)].filter(([name]) => name !== weights[0]![0]),
  ]);
  records.set("data/weights/model_weights_config.json", utf8(JSON.stringify(config)));
  return makePt2(records);
}
