/** @file A `.pt2` made by hand, as large as a benchmark needs: a chain of calls and raw weights. */
import { zipSync } from "fflate";

const tensorMeta = (sizes: readonly number[], strides: readonly number[], requiresGrad = false) => ({
  dtype: 7,
  sizes: sizes.map((size) => ({ as_int: size })),
  requires_grad: requiresGrad,
  device: { type: "cpu", index: null },
  strides: strides.map((stride) => ({ as_int: stride })),
  storage_offset: { as_int: 0 },
  layout: 7,
});
const tensor = (name: string) => ({ as_tensor: { name } });
const leaf = { type: null, context: null, children_spec: [] };
const container = (type: string, context: string, children: readonly unknown[]) => ({
  type,
  context,
  children_spec: children,
});

const TRACE = 'File "model.py", line 12, in forward\n    x = torch.relu(x + w)\n';

/** A chain of calls: their nodes, the metadata of their results, and the name of the last. */
interface Chain {
  readonly nodes: readonly unknown[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly last: string;
}

/** Returns a chain of `calls` additions, of one parameter after the other. */
function chainOf(calls: number, names: readonly string[], elements: number): Chain {
  const values: Record<string, unknown> = { x: tensorMeta([elements], [1]) };
  for (const name of names) values[`p_${name}`] = tensorMeta([elements], [1], true);
  const nodes: unknown[] = [];
  let last = "x";
  for (let i = 0; i < calls; i++) {
    const name = i === 0 ? "add" : `add_${i}`;
    const other = names.length === 0 ? { as_float: 1.5 } : tensor(`p_${names[i % names.length]}`);
    nodes.push(addNode(name, tensor(last), other, i));
    values[name] = tensorMeta([elements], [1]);
    last = name;
  }
  return { nodes, values, last };
}

const addNode = (name: string, self: unknown, other: unknown, index: number): unknown => ({
  target: "torch.ops.aten.add.Tensor",
  inputs: [
    { name: "self", arg: self, kind: 1 },
    { name: "other", arg: other, kind: 1 },
  ],
  outputs: [tensor(name)],
  metadata: {
    stack_trace: TRACE,
    nn_module_stack: "L__self__,,model.M",
    torch_fn: `add_${index};method_descriptor.add`,
  },
  is_hop_single_tensor_return: null,
  name,
});

/** Returns the calling convention of `forward(x)`. */
function moduleCall(): unknown {
  const inSpec = [
    1,
    container("builtins.tuple", "null", [
      container("builtins.tuple", "null", [leaf]),
      container("builtins.dict", "[]", []),
    ]),
  ];
  return {
    fqn: "",
    signature: {
      inputs: [],
      outputs: [],
      in_spec: JSON.stringify(inSpec),
      out_spec: JSON.stringify([1, leaf]),
      forward_arg_names: ["x"],
    },
  };
}

function modelOf({ nodes, values, last }: Chain, names: readonly string[]): unknown {
  const parameter = (name: string): unknown => ({ arg: { name: `p_${name}` }, parameter_name: name });
  return {
    graph_module: {
      graph: {
        inputs: [...names.map((name) => `p_${name}`), "x"].map(tensor),
        outputs: [tensor(last)],
        nodes,
        tensor_values: values,
        sym_int_values: {},
        sym_bool_values: {},
      },
      signature: {
        input_specs: [
          ...names.map((name) => ({ parameter: parameter(name) })),
          { user_input: { arg: tensor("x") } },
        ],
        output_specs: [{ user_output: { arg: tensor(last) } }],
      },
      module_call_graph: [moduleCall()],
    },
    opset_version: { aten: 10 },
    range_constraints: {},
    schema_version: { major: 8, minor: 20 },
    verifiers: ["ATEN"],
    torch_version: "2.14.1",
  };
}

/** Returns which entry of the archive holds the values of each parameter. */
const weightsConfig = (names: readonly string[], elements: number): unknown => ({
  config: Object.fromEntries(
    names.map((name, i) => [
      name,
      {
        path_name: `weight_${i}`,
        is_param: true,
        use_pickle: false,
        tensor_meta: tensorMeta([elements], [1], true),
      },
    ]),
  ),
});

const bytesOf = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

/** `calls` calls over `weights` parameters of `elements` float32 each. */
export function syntheticArchive(calls: number, weights: number, elements: number): Uint8Array {
  const names = Array.from({ length: weights }, (_, i) => `w${i}`);
  const entries: Record<string, Uint8Array> = {};
  names.forEach((_, i) => {
    entries[`m/data/weights/weight_${i}`] = new Uint8Array(new Float32Array(elements).fill(i / 7).buffer);
  });
  Object.assign(entries, {
    "m/data/weights/model_weights_config.json": bytesOf(weightsConfig(names, elements)),
    "m/data/constants/model_constants_config.json": bytesOf({ config: {} }),
    "m/models/model.json": bytesOf(modelOf(chainOf(calls, names, elements), names)),
    "m/data/sample_inputs/model.pt": new Uint8Array(0),
    "m/archive_format": bytesOf("pt2"),
    "m/archive_version": bytesOf("0"),
    "m/.data/version": bytesOf("6\n"),
  });
  return zipSync(entries, { level: 0 });
}
