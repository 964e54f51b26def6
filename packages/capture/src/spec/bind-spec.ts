/** @file The parts of a `ShapesSpec` for the leaves of the inputs (`_bind_spec_to_args`). */
import { didYouMean } from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
import { IntVar } from "@sconce/torch";
import type { NamedInputs } from "../dynamic/index.js";
import { type Container, containerOf, keyText } from "../dynamic/tree.js";
import { badSpec } from "./errors.js";
import type { ParamsSpec, ShapesSpec } from "./shapes-spec.js";
import { namesText, typeName } from "./spec-text.js";
import {
  DictSpec,
  type IntermediateSpec,
  type LeafIntSpec,
  ObjectSpec,
  SeqSpec,
  TensorSpec,
} from "./specs.js";

/** What a leaf of the inputs is given; null and undefined are static. */
export type LeafSpec = LeafIntSpec | TensorSpec;

/**
 * Returns one entry for each leaf of the inputs, in order.
 *
 * @throws SconceError `SHAPES_SPEC` for parts that do not fit the inputs, or that no input has
 */
export function bindSpec(inputs: NamedInputs, { params }: ShapesSpec): readonly LeafSpec[] {
  const leaves: LeafSpec[] = [];
  const matched = new Set<string>();
  const positional = new Set(inputs.positional);
  for (const [name, value] of inputs.args) {
    if (name === inputs.variadicPositional) {
      (value as readonly unknown[]).forEach((item, i) => {
        walk(leaves, params?.varargs?.[i], item, `shapes_spec['*args'][${i}]`);
      });
      continue;
    }
    walk(leaves, partOf(params, name, positional.has(name), matched), value, `shapes_spec${keyText(name)}`);
  }
  requireMatched(params, matched, inputs);
  return leaves;
}

/** Returns the part for an argument; a part that is null is one, too. */
function partOf(
  params: ParamsSpec | undefined,
  name: string,
  isPositional: boolean,
  matched: Set<string>,
): IntermediateSpec {
  const own = params?.named.has(name) ? params.named : isPositional ? undefined : params?.varkw;
  if (own?.has(name)) matched.add(name);
  return own?.get(name);
}

function requireMatched(
  params: ParamsSpec | undefined,
  matched: ReadonlySet<string>,
  inputs: NamedInputs,
): void {
  const all = [...(params?.named.keys() ?? []), ...(params?.varkw?.keys() ?? [])];
  const unmatched = [...new Set(all)].filter((name) => !matched.has(name)).sort();
  if (unmatched.length === 0) return;
  const passed = [...inputs.args.keys()].filter((name) => name !== inputs.variadicPositional);
  throw badSpec(
    `ParamsSpec has entries ${namesText(unmatched)} that do not match any argument passed to export(). Spec keys must be forward parameter names that were actually passed. Inputs received: ${namesText(passed)}.`,
    didYouMean(unmatched[0]!, passed, "name the parameters as the model does, and pass an example for each"),
  );
}

/** Returns the name of a type in messages about values of inputs. */
const valueType = (value: unknown): string => (value instanceof Tensor ? "Tensor" : typeName(value));

function walk(into: LeafSpec[], spec: IntermediateSpec, value: unknown, where: string): void {
  if (spec === null || spec === undefined) addStatic(into, value);
  else if (spec instanceof SeqSpec) walkList(into, spec, value, where);
  else if (spec instanceof DictSpec) walkDict(into, spec, value, where);
  else if (spec instanceof ObjectSpec) walkObject(into, spec, value, where);
  else {
    requireLeaf(spec, value, where);
    into.push(spec);
  }
}

/** Everything below a value without a specification is static. */
function addStatic(into: LeafSpec[], value: unknown): void {
  const level = containerOf(value);
  if (level === undefined) into.push(null);
  else for (const child of level.children) addStatic(into, child);
}

function walkList(into: LeafSpec[], { entries }: SeqSpec, value: unknown, where: string): void {
  const level = containerOf(value);
  if (level?.kind !== "list") throw badSpec(`${where}: SeqSpec expected list/tuple, got ${valueType(value)}`);
  if (entries.length > level.children.length)
    throw badSpec(
      `${where}: SeqSpec has ${entries.length} entries beyond runtime sequence length ${level.children.length}`,
    );
  level.children.forEach((child, i) => {
    walk(into, entries[i], child, `${where}[${i}]`);
  });
}

function walkDict(into: LeafSpec[], { entries }: DictSpec, value: unknown, where: string): void {
  const level = containerOf(value);
  if (level?.kind !== "dict") throw badSpec(`${where}: DictSpec expected dict, got ${valueType(value)}`);
  const given = new Map([...entries].map(([key, part]) => [String(key), part]));
  const keys = new Set(level.keys.map(String));
  const unmatched = [...entries.keys()].filter((key) => !keys.has(String(key)));
  if (unmatched.length > 0)
    throw badSpec(
      `${where}: DictSpec has entries ${namesText(unmatched.sort())} that do not match any key in the runtime dict. Runtime keys: ${namesText([...level.keys].sort())}`,
    );
  level.children.forEach((child, i) => {
    const key = level.keys[i]!;
    walk(into, given.get(String(key)), child, where + keyText(key));
  });
}

function walkObject(into: LeafSpec[], { fields }: ObjectSpec, value: unknown, where: string): void {
  const level = containerOf(value);
  if (level === undefined)
    throw badSpec(
      `${where}: ObjectSpec requires the runtime value's type to be pytree-registered, but ${valueType(value)} is not registered. Register it via \`torch.export.register_dataclass(<cls>)\` (for dataclasses) or \`pytree.register_pytree_node(...)\`.`,
      "register the class with `pytree.registerDataclass`, or give a `TensorSpec`",
    );
  const names = namesOf(level);
  const unmatched = [...fields.keys()].filter((name) => !names.includes(name)).sort();
  if (unmatched.length > 0)
    throw badSpec(
      `${where}: ObjectSpec has entries ${namesText(unmatched)} that do not match any attribute on the runtime object of type ${valueType(value)}. Available attributes: ${namesText([...names].sort())}`,
    );
  level.children.forEach((child, i) => {
    const key = level.keys[i]!;
    walk(into, names.includes(String(key)) ? fields.get(String(key)) : null, child, `${where}.${key}`);
  });
}

/** Returns the names of the fields of an instance; none for values whose children have keys. */
const namesOf = ({ keys, steps }: Container): readonly string[] =>
  keys.filter((_, i) => steps[i]!.startsWith(".")).map(String);

/** @throws SconceError `SHAPES_SPEC` for a part that is not of the kind of the value */
function requireLeaf(spec: LeafSpec, value: unknown, where: string): void {
  if (spec instanceof TensorSpec) {
    if (value instanceof Tensor) return;
    throw badSpec(`${where}: spec is TensorSpec but the actual arg is ${valueType(value)}, not a Tensor.`);
  }
  if (!(spec instanceof IntVar) && !Number.isInteger(spec))
    throw badSpec(
      `${where}: unexpected leaf spec type ${typeName(spec)}`,
      "give an integer argument a variable or a number; expressions of variables are for sizes of tensors",
    );
  const type = valueType(value);
  if (type !== "int" && type !== "bool")
    throw badSpec(
      `${where}: spec is ${typeName(spec)} (scalar spec) but the actual arg is ${type}, not int.`,
    );
}
