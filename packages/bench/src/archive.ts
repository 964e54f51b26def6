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

/** `calls` calls over `weights` parameters of `elements` float32 each. */
export function syntheticArchive(calls: number, weights: number, elements: number): Uint8Array {
  const names = Array.from({ length: weights }, (_, i) => `w${i}`);
  const values: Record<string, unknown> = { x: tensorMeta([elements], [1]) };
  for (const name of names) values[`p_${name}`] = tensorMeta([elements], [1], true);
  const nodes: unknown[] = [];
  let current = "x";
  for (let i = 0; i < calls; i++) {
    const name = i === 0 ? "add" : `add_${i}`;
    const other = weights === 0 ? { as_float: 1.5 } : tensor(`p_${names[i % weights]}`);
    nodes.push({
      target: "torch.ops.aten.add.Tensor",
      inputs: [
        { name: "self", arg: tensor(current), kind: 1 },
        { name: "other", arg: other, kind: 1 },
      ],
      outputs: [tensor(name)],
      metadata: {
        stack_trace: TRACE,
        nn_module_stack: "L__self__,,model.M",
        torch_fn: `add_${i};method_descriptor.add`,
      },
      is_hop_single_tensor_return: null,
      name,
    });
    values[name] = tensorMeta([elements], [1]);
    current = name;
  }
  const inputs = [...names.map((name) => `p_${name}`), "x"];
  const inSpec = [
    1,
    container("builtins.tuple", "null", [
      container("builtins.tuple", "null", [leaf]),
      container("builtins.dict", "[]", []),
    ]),
  ];
  const model = {
    graph_module: {
      graph: {
        inputs: inputs.map(tensor),
        outputs: [tensor(current)],
        nodes,
        tensor_values: values,
        sym_int_values: {},
        sym_bool_values: {},
      },
      signature: {
        input_specs: [
          ...names.map((name) => ({ parameter: { arg: { name: `p_${name}` }, parameter_name: name } })),
          { user_input: { arg: tensor("x") } },
        ],
        output_specs: [{ user_output: { arg: tensor(current) } }],
      },
      module_call_graph: [
        {
          fqn: "",
          signature: {
            inputs: [],
            outputs: [],
            in_spec: JSON.stringify(inSpec),
            out_spec: JSON.stringify([1, leaf]),
            forward_arg_names: ["x"],
          },
        },
      ],
    },
    opset_version: { aten: 10 },
    range_constraints: {},
    schema_version: { major: 8, minor: 20 },
    verifiers: ["ATEN"],
    torch_version: "2.14.1",
  };
  const config = Object.fromEntries(
    names.map((name, i) => [
      name,
      {
        path_name: `weight_${i}`,
        is_param: true,
        use_pickle: false,
        tensor_meta: tensorMeta([elements], [1], true),
      },
    ]),
  );
  const text = (value: unknown): Uint8Array =>
    new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
  const entries: Record<string, Uint8Array> = {};
  names.forEach((_, i) => {
    entries[`m/data/weights/weight_${i}`] = new Uint8Array(new Float32Array(elements).fill(i / 7).buffer);
  });
  Object.assign(entries, {
    "m/data/weights/model_weights_config.json": text({ config }),
    "m/data/constants/model_constants_config.json": text({ config: {} }),
    "m/models/model.json": text(model),
    "m/data/sample_inputs/model.pt": new Uint8Array(0),
    "m/archive_format": text("pt2"),
    "m/archive_version": text("0"),
    "m/.data/version": text("6\n"),
  });
  return zipSync(entries, { level: 0 });
}
