/** @file Graph signature and module call graph. */

import { type Budget, isSconceError } from "@sconce/errors";
import {
  type Argument,
  type ArgumentSpec,
  type GraphSignature,
  type InputKind,
  type InputSpec,
  isRef,
  type ModuleCallEntry,
  type ModuleCallSignature,
  type OutputKind,
  type OutputSpec,
  parseTreeSpec,
  type TreeSpec,
} from "@sconce/ir";
import { type Place, type Read, readBoolean, readList, readObject, readString } from "../json/place.js";
import type { JsonObject, JsonValue } from "../json/value.js";
import { argumentReader, CONSTANT_MEMBERS, readName, readNamed } from "./arguments.js";
import { readCustomObject } from "./values.js";

const anyArgument = /* @__PURE__ */ argumentReader({
  use: () => {},
  subgraph: (_, place) => {
    throw place.fail("PT2_SIGNATURE", "a graph cannot be an input or an output");
  },
});

const KIND_OF_TAG: Readonly<Record<string, "tensor" | "symint" | "symfloat" | "symbool">> = Object.freeze({
  as_tensor: "tensor",
  as_sym_int: "symint",
  as_sym_float: "symfloat",
  as_sym_bool: "symbool",
});

/** An `Argument` where a signature names one: a value by name, or a constant without one. */
const argumentSpec: Read<ArgumentSpec> = (value, place) => {
  const object = readObject(value, place);
  const [tag] = object.keys;
  if (tag === "as_custom_obj") return customSpec(place.field(object, tag, readCustomObject));
  const argument: Argument = anyArgument(value, place);
  const kind = KIND_OF_TAG[tag!];
  if (kind !== undefined && isRef(argument)) return { kind, name: argument.name };
  return { kind: "constant", name: "", value: argument };
};

const customSpec = ({ name, classFqn }: { name: string; classFqn: string }): ArgumentSpec => ({
  kind: "custom_obj",
  name,
  classFqn,
});
const tensorSpec: Read<ArgumentSpec> = (value, place) => ({ kind: "tensor", name: readNamed(value, place) });
const tokenSpec: Read<ArgumentSpec> = (value, place) => ({ kind: "token", name: readNamed(value, place) });

function input(
  kind: InputKind,
  arg: Read<ArgumentSpec>,
  target?: string,
  withPersistence = false,
): Read<InputSpec> {
  return (value, place) => {
    const object = readObject(value, place);
    return {
      kind,
      arg: place.field(object, "arg", arg),
      target: target === undefined ? null : place.field(object, target, readString),
      persistent: withPersistence ? place.field(object, "persistent", readBoolean) : null,
    };
  };
}

const constantInput: Read<InputSpec> = (value, place) => {
  const object = readObject(value, place);
  const name = place.field(object, "name", (text, at) => (text === "" ? "" : readName(text, at)));
  const constant = place.field(object, "value", (inner, at) => at.union<Argument>(inner, CONSTANT_MEMBERS));
  return {
    kind: "USER_INPUT",
    arg: { kind: "constant", name, value: constant },
    target: null,
    persistent: null,
  };
};

const INPUTS: Readonly<Record<string, Read<InputSpec>>> = Object.freeze({
  user_input: input("USER_INPUT", argumentSpec),
  parameter: input("PARAMETER", tensorSpec, "parameter_name"),
  buffer: input("BUFFER", tensorSpec, "buffer_name", true),
  tensor_constant: input("CONSTANT_TENSOR", tensorSpec, "tensor_constant_name"),
  custom_obj: input(
    "CUSTOM_OBJ",
    (value, place) => customSpec(readCustomObject(value, place)),
    "custom_obj_name",
  ),
  token: input("TOKEN", tokenSpec),
  constant_input: constantInput,
});

function output(kind: OutputKind, arg: Read<ArgumentSpec>, target?: string): Read<OutputSpec> {
  return (value, place) => {
    const object = readObject(value, place);
    return {
      kind,
      arg: place.field(object, "arg", arg),
      target: target === undefined ? null : place.field(object, target, readString),
    };
  };
}

const OUTPUTS: Readonly<Record<string, Read<OutputSpec>>> = Object.freeze({
  user_output: output("USER_OUTPUT", argumentSpec),
  loss_output: output("LOSS_OUTPUT", tensorSpec),
  buffer_mutation: output("BUFFER_MUTATION", tensorSpec, "buffer_name"),
  parameter_mutation: output("PARAMETER_MUTATION", tensorSpec, "parameter_name"),
  gradient_to_parameter: output("GRADIENT_TO_PARAMETER", tensorSpec, "parameter_name"),
  gradient_to_user_input: output("GRADIENT_TO_USER_INPUT", tensorSpec, "user_input_name"),
  user_input_mutation: output("USER_INPUT_MUTATION", tensorSpec, "user_input_name"),
  token: output("TOKEN", tokenSpec),
});

export const readSignature: Read<GraphSignature> = (value, place) => {
  const object = readObject(value, place);
  return {
    inputSpecs: place.field(
      object,
      "input_specs",
      readList((spec, at) => at.union(spec, INPUTS)),
    ),
    outputSpecs: place.field(
      object,
      "output_specs",
      readList((spec, at) => at.union(spec, OUTPUTS)),
    ),
  };
};

const treeReader =
  (budget: Budget): Read<TreeSpec> =>
  (value, place) => {
    const text = readString(value, place);
    try {
      return parseTreeSpec(text, { budget });
    } catch (error) {
      throw isSconceError(error) ? error.at(place.toString()) : error;
    }
  };

function callSignature(value: JsonValue, place: Place, treeSpec: Read<TreeSpec>): ModuleCallSignature {
  const object: JsonObject = readObject(value, place);
  const names = place.optional(object, "forward_arg_names", readList(readString), null);
  return {
    inputs: place.field(object, "inputs", readList(argumentSpec)),
    outputs: place.field(object, "outputs", readList(argumentSpec)),
    inSpec: place.field(object, "in_spec", treeSpec),
    outSpec: place.field(object, "out_spec", treeSpec),
    // An empty list counts as none, as in PyTorch.
    forwardArgNames: names === null || names.length === 0 ? null : names,
  };
}

/** Reads the calling conventions of the root and of preserved modules. */
export function moduleCallReader(budget: Budget): Read<ModuleCallEntry[]> {
  const treeSpec = treeReader(budget);
  return readList((value, place) => {
    const object = readObject(value, place);
    return {
      fqn: place.field(object, "fqn", readString),
      signature: place.optional(object, "signature", (inner, at) => callSignature(inner, at, treeSpec), null),
    };
  });
}
