/** @file The JSON IR: a graph of tensors, with names that map to the model's state. */
import type {
  ComplexLiteral,
  DeviceLiteral,
  DTypeLiteral,
  FloatLiteral,
  IntLike,
  LayoutLiteral,
  MemoryFormatLiteral,
  NodeRef,
  OperatorLiteral,
  OutputSpec,
  RangeConstraint,
  SymScalar,
} from "@sconce/ir";
import { HIGHER_ORDER_TARGETS } from "@sconce/ir";
import type { DType, Tensor } from "@sconce/tensor";
import { isKnownFunction, SYMBOLIC_FUNCTIONS } from "../pt2/schema.js";

/**
 * A tensor of the graph: its name, its sizes and its dtype. A size or another symbolic scalar is
 * one of no dimensions, with `scalar`.
 */
export interface JsonIRTensor {
  /** The name of the value; for state, in `weights`, the name that the state dict has. */
  readonly name: string;
  /** Sizes, outermost dimension first; expressions over symbols where they are dynamic. */
  readonly shape: readonly IntLike[];
  /** The element type. */
  readonly dtype: DType;
  /** The value of a symbolic scalar; left out for tensors. */
  readonly scalar?: SymScalar | undefined;
}

/** A tensor that a node takes. */
export interface JsonIRInput extends JsonIRTensor {
  /** The node or the graph input that gives it; left out for state. */
  readonly producerNode?: string | undefined;
  /** Which of the producer's outputs it is; left out for state. */
  readonly producerOutputIdx?: number | undefined;
}

/** An input of the node, by its position, among the arguments of a call without a schema. */
export interface JsonIRInputRef {
  readonly kind: "input";
  /** The position among the inputs of the node. */
  readonly index: number;
}

/** A tuple among the arguments of a call without a schema. */
interface JsonIRTuple {
  readonly kind: "tuple";
  /** The items, in order. */
  readonly items: readonly JsonIRAttribute[];
}

/** A dict among the arguments of a call without a schema. */
export interface JsonIRDict {
  readonly kind: "dict";
  /** The keys with their values, in order. */
  readonly entries: readonly (readonly [string, JsonIRAttribute])[];
}

/** A value that names its kind. */
export type JsonIRTagged =
  | FloatLiteral
  | NodeRef
  | JsonIRInputRef
  | JsonIRTuple
  | JsonIRDict
  | ComplexLiteral
  | DTypeLiteral
  | DeviceLiteral
  | LayoutLiteral
  | MemoryFormatLiteral
  | OperatorLiteral;

/**
 * The value of an attribute. Integers and floats differ as in arguments of nodes. Where a schema
 * says the type, dtypes, devices, layouts and memory formats are texts, such as `torch.float32`,
 * and tuples are lists. Calls without a schema have values that name their kind.
 */
export type JsonIRAttribute =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonIRTagged
  | readonly JsonIRAttribute[];

/** The values that a symbol takes, and the example that the program was exported with. */
export interface JsonIRSymbol extends RangeConstraint {
  /** The example; left out where there is none. */
  readonly hint?: number | undefined;
}

/** A value that is written back to state or to an input after a run. */
export interface JsonIRMutation extends JsonIRTensor {
  /** What is written. */
  readonly kind: MutationKind;
  /** The state, by the name of the model, or the input. */
  readonly target: string;
}

/** The outputs of programs that are written back. */
export const MUTATIONS = [
  "BUFFER_MUTATION",
  "PARAMETER_MUTATION",
  "USER_INPUT_MUTATION",
] as const satisfies readonly OutputSpec["kind"][];
/** What a mutation writes to. */
export type MutationKind = (typeof MUTATIONS)[number];

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

/** The graph of a model, or a nested one: the body of control flow. */
export interface JsonIRGraph {
  /** The tensors that the user, or the call, gives, in order. */
  readonly graphInputs: readonly JsonIRTensor[];
  /** The tensors that the graph returns, in order; the name is that of a value. */
  readonly graphOutputs: readonly JsonIRTensor[];
  /** The calls, in an order in which they can run. */
  readonly nodes: readonly JsonIRNode[];
  /** What a nested graph returns, where it is another thing than the tuple of its outputs. */
  readonly result?: JsonIRAttribute | undefined;
  /** Nested graphs, by the targets of the nodes that read them. */
  readonly subgraphs?: ReadonlyMap<string, JsonIRGraph> | undefined;
}

/** A model as JSON describes it. */
export interface JsonIR extends Omit<JsonIRGraph, "result"> {
  /** The name of the model. */
  readonly modelName: string;
  /** Parameters, buffers and lifted constants, by the names of the model. */
  readonly weights: readonly JsonIRTensor[];
  /** The name of each placeholder of state, with the name that the model has for it. */
  readonly weightNameMapping: ReadonlyMap<string, string>;
  /** Values of state that the state dict does not have, by the name of the model. */
  readonly constants: ReadonlyMap<string, Tensor>;
  /** The symbols of dynamic sizes; none in a static graph. */
  readonly symbols?: ReadonlyMap<string, JsonIRSymbol> | undefined;
  /** What is written back after a run; none where the calls write themselves. */
  readonly mutations?: readonly JsonIRMutation[] | undefined;
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
/** The operator of a node that reads a nested graph. */
export const GET_ATTR = "get_attr";
/** The arguments of a function of Python, in order. */
export const FUNCTION_ARGS = "args";
/** Those by name. */
export const FUNCTION_KWARGS = "kwargs";
/** Control flow nests a few levels; a file that nests more means harm. */
export const DEEPEST_SUBGRAPH = 100;

/** Functions of Python on sizes and other symbolic scalars. */
export const isScalarFunction = (target: string): boolean => SYMBOLIC_FUNCTIONS.has(target);

/** Calls without a schema: higher-order operators, and functions of Python that make no scalars. */
export const isLooseCall = (target: string): boolean =>
  HIGHER_ORDER_TARGETS.has(target) || (isKnownFunction(target) && !isScalarFunction(target));
