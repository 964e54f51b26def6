/**
 * @file The schema of a custom operator: given as text, or made of the types of its arguments as
 * `torch.library.infer_schema` makes it of annotations.
 */
import { describeValue, isSconceError } from "@sconce/errors";
import type { OpSchema } from "@sconce/ir";
import { parseSchema } from "@sconce/ops";
import { customOpDefinition } from "./errors.js";

/** Which arguments an operator writes to: their names, or all tensors (`"unknown"`). */
export type MutatesArgs = readonly string[] | "unknown";

/** The types of an operator in place of a schema. */
export interface OperatorTypes {
  /** Types by the names of arguments, with defaults: `{ x: "Tensor", n: "int=3" }`. */
  readonly args: Readonly<Record<string, string>>;
  /** The same for arguments that are given by name only. @defaultValue none */
  readonly kwargs?: Readonly<Record<string, string>> | undefined;
  /** The type of the result, a list of several, or null for none. */
  readonly returns: string | readonly string[] | null;
}

/** A schema, and its text with the name. */
export interface ReadSchema {
  readonly schema: OpSchema;
  readonly text: string;
}

/** Types of arguments by Python's names, or by those of schemas (`SUPPORTED_PARAM_TYPES`). */
const BASES: ReadonlyMap<string, string> = new Map([
  ["Tensor", "Tensor"],
  ["int", "SymInt"],
  ["SymInt", "SymInt"],
  ["float", "float"],
  ["bool", "bool"],
  ["str", "str"],
  ["Scalar", "Scalar"],
  ["dtype", "ScalarType"],
  ["ScalarType", "ScalarType"],
  ["device", "Device"],
  ["Device", "Device"],
]);
/** What may follow each of them. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  Tensor: ["", "?", "[]", "?[]"],
  SymInt: ["", "?", "[]", "[]?"],
  float: ["", "?", "[]", "[]?"],
  bool: ["", "?", "[]", "[]?"],
  Scalar: ["", "?", "[]"],
};
const RETURNS: readonly string[] = ["Tensor", "Tensor[]", "SymInt", "float", "bool", "Scalar"];
const VALID = [...BASES.keys()].join(", ");

/** Namespaces of PyTorch and of Sconce, which take no further operators. */
const RESERVED = /^(?:aten|prims?|higher_order|operator|torch|math|builtins)$/;

/** The name of an operator: `mylib::sin`. @throws SconceError `CUSTOM_OP` */
export function requireName(name: unknown): asserts name is string {
  const shown = typeof name === "string" ? name : describeValue(name);
  const fix = 'write a namespace and a name: "mylib::sin"';
  if (typeof name !== "string" || !/^[A-Za-z_]\w*::[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?$/.test(name))
    throw customOpDefinition(shown, "is not the name of an operator", fix);
  const namespace = name.slice(0, name.indexOf("::"));
  if (RESERVED.test(namespace))
    throw customOpDefinition(name, `the namespace "${namespace}" is reserved`, "use a namespace of your own");
}

/**
 * Returns the schema of an operator whose text is given.
 *
 * @throws SconceError `CUSTOM_OP` when the text cannot be read, or writes to other arguments
 */
export function schemaOfText(name: string, text: string, mutates: MutatesArgs): ReadSchema {
  const read = parse(name, text);
  const written = read.schema.args.filter(({ alias }) => alias?.write === true).map((arg) => arg.name);
  const given = typeof mutates === "string" ? [mutates] : mutates;
  if (written.length !== new Set(given).size || !written.every((one) => given.includes(one)))
    throw customOpDefinition(
      name,
      `Attempted to create a custom op with \`mutates_args=${listed(given)}\` and \`schema=${text}\`. The schema suggests that the op mutates ${listed(written)} which is different from what was provided to us in \`mutates_args\`. Please make these consistent.`,
      written.length === 0
        ? `mark what is written in the schema: \`Tensor(a0!) ${given[0] ?? "x"}\``
        : `write \`mutatesArgs: [${written.map((one) => `"${one}"`).join(", ")}]\``,
    );
  return read;
}

/**
 * Returns the schema of an operator whose types are given.
 *
 * @throws SconceError `CUSTOM_OP`
 */
export function schemaOfTypes(name: string, types: OperatorTypes, mutates: MutatesArgs): ReadSchema {
  const { args, kwargs = {}, returns } = types;
  const names = [...Object.keys(args), ...Object.keys(kwargs)];
  if (typeof mutates !== "string") {
    const unknown = mutates.filter((one) => !names.includes(one));
    if (unknown.length > 0)
      throw customOpDefinition(
        name,
        `infer_schema(func): ${listed(unknown)} in mutates_args were not found in the custom op's signature. mutates_args should contain the names of all args that the custom op mutates, or just the string 'unknown' if you don't know.`,
        `use the names of arguments: ${names.join(", ")}`,
      );
  }
  const pieces = Object.entries(args).map(([key, type], i) => argumentText(name, key, type, i, mutates));
  const keywords = Object.entries(kwargs).map(([key, type], i) =>
    argumentText(name, key, type, pieces.length + i, mutates),
  );
  const all = [...pieces, ...(keywords.length > 0 ? ["*", ...keywords] : [])];
  return parse(name, `(${all.join(", ")}) -> ${returnsText(name, returns)}`);
}

/** `Tensor(a0!) x`, `SymInt n=3`. */
function argumentText(name: string, key: string, given: unknown, at: number, mutates: MutatesArgs): string {
  const fail = (problem: string, fix: string) =>
    customOpDefinition(name, `infer_schema(func): ${problem}`, fix);
  if (typeof given !== "string")
    throw fail(
      `Parameter ${key} must have a type annotation. Got ${describeValue(given)}`,
      `write the type as text: { ${key}: "Tensor" }`,
    );
  const [typeText = "", ...rest] = given.split("=");
  const match = /^([A-Za-z]+)((?:\?|\[\])*)$/.exec(typeText.trim());
  const base = BASES.get(match?.[1] ?? "");
  const suffix = match?.[2] ?? "";
  if (base === undefined || !(SUFFIXES[base] ?? ["", "?"]).includes(suffix))
    throw fail(
      `Parameter ${key} has unsupported type ${typeText}. The valid types are: ${VALID}`,
      'use one of these types; lists are "int[]", and optional ones "int?"',
    );
  const isWritten = mutates === "unknown" ? base === "Tensor" : mutates.includes(key);
  if (isWritten && base !== "Tensor")
    throw fail(
      `Parameter ${key} is in mutable_args but only Tensors or collections of Tensors can be mutated`,
      `leave "${key}" out of \`mutatesArgs\``,
    );
  const type = `${base}${isWritten ? `(a${at}!)` : ""}${suffix}`;
  return rest.length === 0 ? `${type} ${key}` : `${type} ${key}=${rest.join("=").trim()}`;
}

function returnsText(name: string, returns: unknown): string {
  if (returns === null) return "()";
  const list: readonly unknown[] = Array.isArray(returns) ? returns : [returns];
  const types = list.map((type) => (type === "int" ? "SymInt" : type));
  const unsupported = types.find((type) => !RETURNS.includes(type as string));
  if (unsupported !== undefined || returns === undefined)
    throw customOpDefinition(
      name,
      returns === undefined
        ? "infer_schema(func): No return type annotation was provided. Please add one."
        : `infer_schema(func): Return has unsupported type ${typeof unsupported === "string" ? unsupported : describeValue(unsupported)}. The valid types are: ${RETURNS.join(", ")}`,
      "give `returns`: one of these types, a list of them, or null for an operator without results",
    );
  return Array.isArray(returns) ? `(${types.join(", ")})` : String(types[0]);
}

function parse(name: string, given: string): ReadSchema {
  const text = `${name}${given.trim()}`;
  let schema: OpSchema;
  try {
    schema = parseSchema(text);
  } catch (error) {
    if (!isSconceError(error)) throw error;
    throw customOpDefinition(
      name,
      `the schema cannot be read: ${error.message}`,
      "write arguments and results without the name: `(Tensor x, SymInt n=1) -> Tensor`",
    );
  }
  const keyword = schema.args.find(({ kwargOnly, type }) => kwargOnly && type.base === "Tensor");
  if (keyword !== undefined)
    throw customOpDefinition(
      name,
      `custom_op with kwarg-only Tensor args. Please make your tensors not kwarg-only. Got: ${given}`,
      `write "${keyword.name}" before the \`*\``,
    );
  return { schema, text };
}

/** Returns a set as Python prints it. */
const listed = (names: readonly string[]): string =>
  names.length === 0 ? "()" : `{${names.map((name) => `'${name}'`).join(", ")}}`;
