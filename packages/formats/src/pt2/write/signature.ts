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

/** The name in the file of a value of the graph. */
export type NameOf = (name: string) => string;

function argumentSpecJson(arg: ArgumentSpec, nameOf: NameOf): PythonJson {
  const name = nameOf(arg.name);
  switch (arg.kind) {
    case "tensor":
    case "token":
      return { as_tensor: { name } };
    case "symint":
      return { as_sym_int: { as_name: name } };
    case "symfloat":
      return { as_sym_float: { as_name: name } };
    case "symbool":
      throw notSavable(
        `the signature has the symbolic bool "${arg.name}", which PyTorch has no form for in files`,
        `node ${arg.name}`,
        "return a number or a tensor in its place",
      );
    case "custom_obj":
      return { as_custom_obj: { name, class_fqn: arg.classFqn } };
    case "constant":
      return constantSpecJson(arg);
  }
}

function constantSpecJson({ name, value }: ArgumentSpec & { readonly kind: "constant" }): PythonJson {
  const json = constantJson(value);
  if (json !== undefined) return json;
  throw notSavable(`the constant "${name}" is not a number, a text, a bool or None`, "the signature");
}

function inputJson({ kind, arg, target, persistent }: InputSpec, nameOf: NameOf): PythonJson {
  const named = { name: nameOf(arg.name) };
  switch (kind) {
    case "USER_INPUT":
      return arg.kind === "constant"
        ? { constant_input: { name: arg.name, value: constantSpecJson(arg) } }
        : { user_input: { arg: argumentSpecJson(arg, nameOf) } };
    case "PARAMETER":
      return { parameter: { arg: named, parameter_name: target } };
    case "BUFFER":
      return { buffer: { arg: named, buffer_name: target, persistent } };
    case "CONSTANT_TENSOR":
      return { tensor_constant: { arg: named, tensor_constant_name: target } };
    case "CUSTOM_OBJ": {
      const class_fqn = arg.kind === "custom_obj" ? arg.classFqn : "";
      return { custom_obj: { arg: { ...named, class_fqn }, custom_obj_name: target } };
    }
    case "TOKEN":
      return { token: { arg: named } };
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

function outputJson({ kind, arg, target }: OutputSpec, nameOf: NameOf): PythonJson {
  const [member, field] = OUTPUTS[kind];
  const written = kind === "USER_OUTPUT" ? argumentSpecJson(arg, nameOf) : { name: nameOf(arg.name) };
  return { [member]: field === undefined ? { arg: written } : { arg: written, [field]: target } };
}

export const signatureJson = ({ inputSpecs, outputSpecs }: GraphSignature, nameOf: NameOf): PythonJson => ({
  input_specs: inputSpecs.map((spec) => inputJson(spec, nameOf)),
  output_specs: outputSpecs.map((spec) => outputJson(spec, nameOf)),
});

export function moduleCallJson({ fqn, signature }: ModuleCallEntry, nameOf: NameOf): PythonJson {
  if (signature === null) return { fqn, signature };
  const { inputs, outputs, inSpec, outSpec, forwardArgNames } = signature;
  return {
    fqn,
    signature: {
      inputs: inputs.map((arg) => argumentSpecJson(arg, nameOf)),
      outputs: outputs.map((arg) => argumentSpecJson(arg, nameOf)),
      in_spec: treeSpecJson(inSpec),
      out_spec: treeSpecJson(outSpec),
      forward_arg_names: forwardArgNames !== null && forwardArgNames.length > 0 ? forwardArgNames : null,
    },
  };
}

/** Returns a bound, or null for infinity; a fraction is rounded into the range, as PyTorch does. */
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
