/** @file The three models with lifted constants, and what is printed for them. */
import type { nn } from "@sconce/capture";
import { DOCUMENT_MODELS } from "../capture/documents.fixture.js";
import { STATE_MODELS } from "../capture/state.fixture.js";

const MODELS = { ...DOCUMENT_MODELS, ...STATE_MODELS };

/** Makes the model of a file. */
export const modelOf = (file: string): nn.Module => MODELS[file]!().model as nn.Module;

/**
 * A model: the file of its export, the size of its input, and the texts that are printed for it.
 */
export interface PrintedModel {
  readonly name: string;
  readonly file: string;
  readonly size: number;
  /** JSON; some parts are not printed. */
  readonly json: string;
  readonly mermaid: string;
}

const linearNode = (size: number): string => `    {
      "name": "linear",
      "op_type": "aten.linear.default",
      "inputs": [
        {"name": "x", "shape": [1, ${size}], "dtype": "float32",
         "producer_node": "x", "producer_output_idx": 0},
        {"name": "p_linear_weight", "shape": [${size}, ${size}], "dtype": "float32"},
        {"name": "p_linear_bias", "shape": [${size}], "dtype": "float32"}
      ],
      "outputs": [
        {"name": "linear", "shape": [1, ${size}], "dtype": "float32"}
      ],
      "attrs": {}
    }`;

const MASKED = `{
  "model_name": "MaskedLinear",
  "graph_inputs": [
    {"name": "x", "shape": [1, 4], "dtype": "float32"}
  ],
  "graph_outputs": [
    {"name": "mul", "shape": [1, 4], "dtype": "float32"}
  ],
  "weights": [
    {"name": "linear.weight", "shape": [4, 4], "dtype": "float32"},
    {"name": "linear.bias", "shape": [4], "dtype": "float32"},
    {"name": "mask", "shape": [4], "dtype": "float32"}
  ],
  "weight_name_mapping": {
    "p_linear_weight": "linear.weight",
    "p_linear_bias": "linear.bias",
    "c_mask": "mask"
  },
  "nodes": [
${linearNode(4)},
    {
      "name": "mul",
      "op_type": "aten.mul.Tensor",
      "inputs": [
        {"name": "linear", "shape": [1, 4], "dtype": "float32",
         "producer_node": "linear", "producer_output_idx": 0},
        {"name": "c_mask", "shape": [4], "dtype": "float32"}
      ],
      "outputs": [
        {"name": "mul", "shape": [1, 4], "dtype": "float32"}
      ],
      "attrs": {}
    }
  ],
  "constants": {
    "mask": {"data": [1.0, 0.0, 1.0, 0.0], "dtype": "float32"}
  }
}
`;

/** Printed without attributes. */
const GATHER = `{
  "model_name": "GatherWithIndex",
  "graph_inputs": [
    {"name": "x", "shape": [1, 8], "dtype": "float32"}
  ],
  "graph_outputs": [
    {"name": "index", "shape": [1, 4], "dtype": "float32"}
  ],
  "weights": [
    {"name": "linear.weight", "shape": [8, 8], "dtype": "float32"},
    {"name": "linear.bias", "shape": [8], "dtype": "float32"},
    {"name": "indices", "shape": [4], "dtype": "int64"}
  ],
  "weight_name_mapping": {
    "p_linear_weight": "linear.weight",
    "p_linear_bias": "linear.bias",
    "c_indices": "indices"
  },
  "nodes": [
${linearNode(8).replace(',\n      "attrs": {}', "")},
    {
      "name": "index",
      "op_type": "aten.index.Tensor",
      "inputs": [
        {"name": "linear", "shape": [1, 8], "dtype": "float32",
         "producer_node": "linear", "producer_output_idx": 0},
        {"name": "c_indices", "shape": [4], "dtype": "int64"}
      ],
      "outputs": [
        {"name": "index", "shape": [1, 4], "dtype": "float32"}
      ]
    }
  ],
  "constants": {
    "indices": {"data": [0, 2, 4, 6], "dtype": "int64"}
  }
}
`;

/** Printed without inputs, outputs, weights and attributes. */
const BUFFER = `{
  "model_name": "BufferVsConstant",
  "weight_name_mapping": {
    "p_linear_weight": "linear.weight",
    "p_linear_bias": "linear.bias",
    "b_scale": "scale",
    "c_offset": "offset"
  },
  "nodes": [
${linearNode(4).replace(',\n      "attrs": {}', "")},
    {
      "name": "mul",
      "op_type": "aten.mul.Tensor",
      "inputs": [
        {"name": "linear", "shape": [1, 4], "dtype": "float32",
         "producer_node": "linear", "producer_output_idx": 0},
        {"name": "b_scale", "shape": [4], "dtype": "float32"}
      ],
      "outputs": [
        {"name": "mul", "shape": [1, 4], "dtype": "float32"}
      ]
    },
    {
      "name": "add",
      "op_type": "aten.add.Tensor",
      "inputs": [
        {"name": "mul", "shape": [1, 4], "dtype": "float32",
         "producer_node": "mul", "producer_output_idx": 0},
        {"name": "c_offset", "shape": [4], "dtype": "float32"}
      ],
      "outputs": [
        {"name": "add", "shape": [1, 4], "dtype": "float32"}
      ]
    }
  ],
  "constants": {
    "offset": {"data": [0.1, 0.2, 0.3, 0.4], "dtype": "float32"}
  }
}
`;

const linearLines = (size: number): string => `flowchart TD
    input_x[/"Input: x<br/>1x${size}"/]
    op_linear["linear<br/>1x${size}"]
    input_x -->|"1x${size}"| op_linear
    w_p_linear_weight[/"p_linear_weight<br/>${size}x${size}"/]
    w_p_linear_weight -.->|"${size}x${size}"| op_linear
    w_p_linear_bias[/"p_linear_bias<br/>${size}"/]
    w_p_linear_bias -.->|"${size}"| op_linear
`;

/** The models in the order of the document. */
export const PRINTED: readonly PrintedModel[] = [
  {
    name: "MaskedLinear",
    file: "lifted_masked_linear",
    size: 4,
    json: MASKED,
    mermaid: `${linearLines(4)}    op_mul["mul.Tensor<br/>1x4"]
    op_linear -->|"1x4"| op_mul
    w_c_mask[/"c_mask<br/>4"/]
    w_c_mask -.->|"4"| op_mul
    output_0[\\"Output<br/>1x4"/]
    op_mul --> output_0
`,
  },
  {
    name: "GatherWithIndex",
    file: "lifted_gather",
    size: 8,
    json: GATHER,
    mermaid: `${linearLines(8)}    op_index["index.Tensor<br/>1x4"]
    op_linear -->|"1x8"| op_index
    w_c_indices[/"c_indices<br/>4"/]
    w_c_indices -.->|"4"| op_index
    output_0[\\"Output<br/>1x4"/]
    op_index --> output_0
`,
  },
  {
    name: "BufferVsConstant",
    file: "lifted_buffer_vs_constant",
    size: 4,
    json: BUFFER,
    mermaid: `${linearLines(4)}    op_mul["mul.Tensor<br/>1x4"]
    op_linear -->|"1x4"| op_mul
    w_b_scale[/"b_scale<br/>4"/]
    w_b_scale -.->|"4"| op_mul
    op_add["add.Tensor<br/>1x4"]
    op_mul -->|"1x4"| op_add
    w_c_offset[/"c_offset<br/>4"/]
    w_c_offset -.->|"4"| op_add
    output_0[\\"Output<br/>1x4"/]
    op_add --> output_0
`,
  },
];
