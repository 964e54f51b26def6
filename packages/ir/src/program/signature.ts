import type { Argument } from "../values/argument.js";

export const INPUT_KINDS = [
  "USER_INPUT",
  "PARAMETER",
  "BUFFER",
  "CONSTANT_TENSOR",
  "CUSTOM_OBJ",
  "TOKEN",
] as const;
/** What an input of a graph is: see {@link INPUT_KINDS}. */
export type InputKind = (typeof INPUT_KINDS)[number];
export const OUTPUT_KINDS = [
  "USER_OUTPUT",
  "LOSS_OUTPUT",
  "BUFFER_MUTATION",
  "PARAMETER_MUTATION",
  "GRADIENT_TO_PARAMETER",
  "GRADIENT_TO_USER_INPUT",
  "USER_INPUT_MUTATION",
  "TOKEN",
] as const;
/** What an output of a graph is: see {@link OUTPUT_KINDS}. */
export type OutputKind = (typeof OUTPUT_KINDS)[number];

/** What stands behind a signature entry. A constant output has the name `""`. */
export type ArgumentSpec =
  | { readonly kind: "tensor" | "symint" | "symfloat" | "symbool" | "token"; readonly name: string }
  | { readonly kind: "custom_obj"; readonly name: string; readonly classFqn: string }
  | { readonly kind: "constant"; readonly name: string; readonly value: Argument };

/** What one input of a graph is. */
export interface InputSpec {
  /** Whether it is given by the user, lifted state or a token. */
  readonly kind: InputKind;
  /** The placeholder, or the constant in its place. */
  readonly arg: ArgumentSpec;
  /** Fully qualified name of the parameter, buffer, constant or object. */
  readonly target: string | null;
  /** Buffers only. */
  readonly persistent: boolean | null;
}

/** What one output of a graph is. */
export interface OutputSpec {
  /** Whether it is returned to the user, written to state, or a gradient. */
  readonly kind: OutputKind;
  /** The node, or the constant in its place. */
  readonly arg: ArgumentSpec;
  /** The state or user input that takes the value; null for what is returned. */
  readonly target: string | null;
}

/** What each graph input and output is (`torch/export/graph_signature.py`). */
export interface GraphSignature {
  /** The inputs, in the order of the placeholders. */
  readonly inputSpecs: readonly InputSpec[];
  /** The outputs, in the order of the output node's argument. */
  readonly outputSpecs: readonly OutputSpec[];
}

/** A user input or output: a node's name, or the value of a constant. */
export type SignatureValue = { readonly name: string } | { readonly value: Argument };

const signatureValue = (arg: ArgumentSpec): SignatureValue =>
  arg.kind === "constant" ? { value: arg.value } : { name: arg.name };

/** User inputs in flattened order (`graph_signature.user_inputs`). */
export const userInputs = (signature: GraphSignature): SignatureValue[] =>
  signature.inputSpecs.filter((spec) => spec.kind === "USER_INPUT").map((spec) => signatureValue(spec.arg));

/** User outputs in flattened order, the loss included (`graph_signature.user_outputs`). */
export const userOutputs = (signature: GraphSignature): SignatureValue[] =>
  signature.outputSpecs
    .filter((spec) => spec.kind === "USER_OUTPUT" || spec.kind === "LOSS_OUTPUT")
    .map((spec) => signatureValue(spec.arg));

/**
 * Placeholder name to fully qualified name, for one kind of lifted input (`inputs_to_parameters`,
 * ...).
 */
export function inputTargets(signature: GraphSignature, kind: InputKind): Map<string, string> {
  const targets = new Map<string, string>();
  for (const { kind: own, arg, target } of signature.inputSpecs) {
    if (own === kind && target !== null) targets.set(arg.name, target);
  }
  return targets;
}

/** Output name to what it is written to, for one kind of output (`buffers_to_mutate`, ...). */
export function outputTargets(signature: GraphSignature, kind: OutputKind): Map<string, string> {
  const targets = new Map<string, string>();
  for (const { kind: own, arg, target } of signature.outputSpecs) {
    if (own === kind && target !== null) targets.set(arg.name, target);
  }
  return targets;
}

/** Loss and gradients of a joint graph. */
export interface BackwardSignature {
  /** Names of gradient outputs with the parameters that they belong to. */
  readonly gradientsToParameters: ReadonlyMap<string, string>;
  /** Names of gradient outputs with the user inputs that they belong to. */
  readonly gradientsToUserInputs: ReadonlyMap<string, string>;
  /** The name of the output that is the loss. */
  readonly lossOutput: string;
}

/** `graph_signature.backward_signature`: null without a loss output. */
export function backwardSignature(signature: GraphSignature): BackwardSignature | null {
  const loss = signature.outputSpecs.find((spec) => spec.kind === "LOSS_OUTPUT");
  if (loss === undefined) return null;
  return {
    gradientsToParameters: outputTargets(signature, "GRADIENT_TO_PARAMETER"),
    gradientsToUserInputs: outputTargets(signature, "GRADIENT_TO_USER_INPUT"),
    lossOutput: loss.arg.name,
  };
}

/**
 * Returns the signature with a node's name replaced wherever an output refers to it
 * (`graph_signature.replace_all_uses`).
 */
export function renameOutputs(
  signature: GraphSignature,
  renamed: ReadonlyMap<string, string>,
): GraphSignature {
  let changed = false;
  const outputSpecs = signature.outputSpecs.map((spec) => {
    const name = spec.arg.kind === "constant" ? undefined : renamed.get(spec.arg.name);
    if (name === undefined || name === spec.arg.name) return spec;
    changed = true;
    return { ...spec, arg: { ...spec.arg, name } };
  });
  return changed ? { ...signature, outputSpecs } : signature;
}
