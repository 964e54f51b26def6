/** @file The JSON IR: a static graph of tensors, with names that map to the model's state. */
import type { FloatLiteral } from "@sconce/ir";
import type { DType, Tensor } from "@sconce/tensor";

/** A tensor of the graph: its name, its sizes and its dtype. */
export interface JsonIRTensor {
  /** The name of the value; for state, in `weights`, the name that the state dict has. */
  readonly name: string;
  /** Sizes, outermost dimension first. */
  readonly shape: readonly number[];
  /** The element type. */
  readonly dtype: DType;
}

/** A tensor that a node takes. */
export interface JsonIRInput extends JsonIRTensor {
  /** The node or the graph input that gives it; left out for state. */
  readonly producerNode?: string | undefined;
  /** Which of the producer's outputs it is; left out for state. */
  readonly producerOutputIdx?: number | undefined;
}

/**
 * The value of an attribute. Integers and floats differ as in arguments of nodes; dtypes,
 * devices, layouts and memory formats are texts, such as `torch.float32`.
 */
export type JsonIRAttribute =
  | null
  | boolean
  | number
  | bigint
  | string
  | FloatLiteral
  | readonly JsonIRAttribute[];

/** A call of an operator. */
export interface JsonIRNode {
  /** The name of the node, unique in the graph. */
  readonly name: string;
  /** The operator: `aten.linear.default`. */
  readonly opType: string;
  /** The tensors that it takes, in the order of its arguments. */
  readonly inputs: readonly JsonIRInput[];
  /** The tensors that it gives. */
  readonly outputs: readonly JsonIRTensor[];
  /** The other arguments by name, and internal ones, whose names begin with `_tensor`. */
  readonly attrs: ReadonlyMap<string, JsonIRAttribute>;
}

/** A model as JSON describes it. */
export interface JsonIR {
  /** The name of the model. */
  readonly modelName: string;
  /** The tensors that the user gives, in order. */
  readonly graphInputs: readonly JsonIRTensor[];
  /** The tensors that the graph returns, in order; the name is that of a value. */
  readonly graphOutputs: readonly JsonIRTensor[];
  /** Parameters, buffers and lifted constants, by the names of the model. */
  readonly weights: readonly JsonIRTensor[];
  /** The name of each placeholder of state, with the name that the model has for it. */
  readonly weightNameMapping: ReadonlyMap<string, string>;
  /** The calls, in an order in which they can run. */
  readonly nodes: readonly JsonIRNode[];
  /** Values of state that the state dict does not have, by the name of the model. */
  readonly constants: ReadonlyMap<string, Tensor>;
}

/** How many tensors each list of tensors among the arguments has. */
export const LIST_SIZES = "_tensor_list_sizes";
/** For each list of tensors with absent items, which items are absent. */
export const NONE_MASKS = "_tensor_list_none_masks";
/** The arguments that take the inputs, where their order does not say it. */
export const TENSOR_ARGUMENTS = "_tensor_arguments";
/** Which results of a call with several are absent. */
export const OUTPUT_NONES = "_tensor_output_none_mask";

/** The operator that takes one of several results. */
export const GETITEM = "operator.getitem";
