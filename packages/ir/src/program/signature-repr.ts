/** @file `repr` of signatures and their parts, with the names and numbers of PyTorch 2.14. */
import { reprArgument } from "../print-torch/argument-text.js";
import type { Argument } from "../values/argument.js";
import { stringRepr } from "../values/python-repr.js";
import type { ModuleCallEntry, ModuleCallSignature } from "./program-parts.js";
import { treeSpecText } from "./pytree.js";
import {
  type ArgumentSpec,
  type GraphSignature,
  INPUT_KINDS,
  type InputSpec,
  OUTPUT_KINDS,
  type OutputSpec,
} from "./signature.js";

const CLASSES: Readonly<Record<ArgumentSpec["kind"], string>> = {
  tensor: "TensorArgument",
  symint: "SymIntArgument",
  symfloat: "SymFloatArgument",
  symbool: "SymBoolArgument",
  token: "TokenArgument",
  custom_obj: "CustomObjArgument",
  constant: "ConstantArgument",
};

function argumentRepr(arg: ArgumentSpec): string {
  const fields = [`name=${stringRepr(arg.name)}`];
  if (arg.kind === "custom_obj") fields.push(`class_fqn=${stringRepr(arg.classFqn)}`, "fake_val=None");
  if (arg.kind === "constant") fields.push(`value=${literal(arg.value)}`);
  return `${CLASSES[arg.kind]}(${fields.join(", ")})`;
}

/** Returns an enumeration's value: its number is its place among the kinds, from 1. */
const kindRepr = (type: string, kinds: readonly string[], kind: string): string =>
  `<${type}.${kind}: ${kinds.indexOf(kind) + 1}>`;

/** `repr` of a value that refers to no node. */
const literal = (value: Argument): string => reprArgument(value, (name) => name);

/** `repr(input_spec)`: `InputSpec(kind=<InputKind.PARAMETER: 2>, arg=..., ...)`. */
export function inputSpecRepr({ kind, arg, target, persistent }: InputSpec): string {
  const start = `InputSpec(kind=${kindRepr("InputKind", INPUT_KINDS, kind)}, arg=${argumentRepr(arg)}`;
  return `${start}, target=${literal(target)}, persistent=${literal(persistent)})`;
}

/** `repr(output_spec)`: `OutputSpec(kind=<OutputKind.USER_OUTPUT: 1>, arg=..., target=None)`. */
export function outputSpecRepr({ kind, arg, target }: OutputSpec): string {
  const start = `OutputSpec(kind=${kindRepr("OutputKind", OUTPUT_KINDS, kind)}, arg=${argumentRepr(arg)}`;
  return `${start}, target=${literal(target)})`;
}

/** `repr(graph_signature)`: all specifications, on one line. */
export function signatureRepr({ inputSpecs, outputSpecs }: GraphSignature): string {
  const inputs = inputSpecs.map(inputSpecRepr).join(", ");
  const outputs = outputSpecs.map(outputSpecRepr).join(", ");
  return `ExportGraphSignature(input_specs=[${inputs}], output_specs=[${outputs}])`;
}

/** `repr(module_call_entry)`: `ModuleCallEntry(fqn='a', signature=None)`. */
export function moduleCallRepr({ fqn, signature }: ModuleCallEntry): string {
  return `ModuleCallEntry(fqn=${stringRepr(fqn)}, signature=${signature === null ? "None" : callRepr(signature)})`;
}

function callRepr({ inputs, outputs, inSpec, outSpec, forwardArgNames }: ModuleCallSignature): string {
  const list = (args: readonly ArgumentSpec[]): string => `[${args.map(argumentRepr).join(", ")}]`;
  const specs = `in_spec=${treeSpecText(inSpec)}, out_spec=${treeSpecText(outSpec)}`;
  return `ModuleCallSignature(inputs=${list(inputs)}, outputs=${list(outputs)}, ${specs}, forward_arg_names=${literal(forwardArgNames)})`;
}
