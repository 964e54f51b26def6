/** @file Graph signature, module call graph and ranges. */
import {
  type ArgumentSpec,
  type GraphSignature,
  type InputSpec,
  type ModuleCallEntry,
  type OutputKind,
  type OutputSpec,
  type RangeConstraint,
  treeSpecJson,
} from "@sconce/ir";
import { notSavable } from "../../errors.js";
import type { PythonJson } from "../../json/python-json.js";
import { constantJson } from "./values.js";

function argumentSpecJson(arg: ArgumentSpec): PythonJson {
  switch (arg.kind) {
    case "tensor":
    case "token":
      return { as_tensor: { name: arg.name } };
    case "symint":
      return { as_sym_int: { as_name: arg.name } };
    case "symfloat":
      return { as_sym_float: { as_name: arg.name } };
    case "symbool":
      throw notSavable(
        `the signature has the symbolic bool "${arg.name}", which PyTorch has no form for in files`,
        `node ${arg.name}`,
        "return a number or a tensor in its place",
      );
    case "custom_obj":
      return { as_custom_obj: { name: arg.name, class_fqn: arg.classFqn } };
    case "constant":
      return constantSpecJson(arg);
  }
}

function constantSpecJson({ name, value }: ArgumentSpec & { readonly kind: "constant" }): PythonJson {
  const json = constantJson(value);
  if (json !== undefined) return json;
  throw notSavable(`the constant "${name}" is not a number, a text, a bool or None`, "the signature");
}

const named = ({ name }: ArgumentSpec): PythonJson => ({ name });

function inputJson({ kind, arg, target, persistent }: InputSpec): PythonJson {
  switch (kind) {
    case "USER_INPUT":
      return arg.kind === "constant"
        ? { constant_input: { name: arg.name, value: constantSpecJson(arg) } }
        : { user_input: { arg: argumentSpecJson(arg) } };
    case "PARAMETER":
      return { parameter: { arg: named(arg), parameter_name: target } };
    case "BUFFER":
      return { buffer: { arg: named(arg), buffer_name: target, persistent } };
    case "CONSTANT_TENSOR":
      return { tensor_constant: { arg: named(arg), tensor_constant_name: target } };
    case "CUSTOM_OBJ": {
      const class_fqn = arg.kind === "custom_obj" ? arg.classFqn : "";
      return { custom_obj: { arg: { name: arg.name, class_fqn }, custom_obj_name: target } };
    }
    case "TOKEN":
      return { token: { arg: named(arg) } };
  }
}

/** The member of an output, and the field that names what takes the value. */
const OUTPUTS: Readonly<Record<OutputKind, readonly [member: string, target?: string]>> = {
  USER_OUTPUT: ["user_output"],
  LOSS_OUTPUT: ["loss_output"],
  BUFFER_MUTATION: ["buffer_mutation", "buffer_name"],
  PARAMETER_MUTATION: ["parameter_mutation", "parameter_name"],
  GRADIENT_TO_PARAMETER: ["gradient_to_parameter", "parameter_name"],
  GRADIENT_TO_USER_INPUT: ["gradient_to_user_input", "user_input_name"],
  USER_INPUT_MUTATION: ["user_input_mutation", "user_input_name"],
  TOKEN: ["token"],
};

function outputJson({ kind, arg, target }: OutputSpec): PythonJson {
  const [member, field] = OUTPUTS[kind];
  const written = kind === "USER_OUTPUT" ? argumentSpecJson(arg) : named(arg);
  return { [member]: field === undefined ? { arg: written } : { arg: written, [field]: target } };
}

export const signatureJson = ({ inputSpecs, outputSpecs }: GraphSignature): PythonJson => ({
  input_specs: inputSpecs.map(inputJson),
  output_specs: outputSpecs.map(outputJson),
});

export function moduleCallJson({ fqn, signature }: ModuleCallEntry): PythonJson {
  if (signature === null) return { fqn, signature };
  const { inputs, outputs, inSpec, outSpec, forwardArgNames } = signature;
  return {
    fqn,
    signature: {
      inputs: inputs.map(argumentSpecJson),
      outputs: outputs.map(argumentSpecJson),
      in_spec: treeSpecJson(inSpec),
      out_spec: treeSpecJson(outSpec),
      forward_arg_names: forwardArgNames !== null && forwardArgNames.length > 0 ? forwardArgNames : null,
    },
  };
}

/** A bound, or null for infinity; a fraction is rounded into the range, as PyTorch does. */
function boundJson(
  exact: bigint | null | undefined,
  value: number,
  round: (value: number) => number,
): PythonJson {
  if (exact !== undefined && exact !== null) return exact;
  return Number.isFinite(value) ? round(value) : null;
}

export const rangesJson = (ranges: ReadonlyMap<string, RangeConstraint>): PythonJson =>
  new Map(
    [...ranges].map(([key, { min, max, exact }]) => [
      key,
      { min_val: boundJson(exact?.min, min, Math.ceil), max_val: boundJson(exact?.max, max, Math.floor) },
    ]),
  );
