/** @file Signatures of PyTorch's argument parser, made of operator schemas. */
import type { OpSchema, SchemaArgument, SchemaBase } from "@sconce/ir";
import { knownSchema } from "@sconce/ops";
import { camelCase } from "./names.js";

/** One parameter of a signature. */
export interface Parameter {
  /** The name in PyTorch: `keepdim`. */
  readonly name: string;
  /** The names that keyword arguments may have, in camelCase; numpy's names too. */
  readonly keywords: readonly string[];
  readonly base: SchemaBase;
  readonly list: boolean;
  /** The fixed length of a list, to which one number is broadcast; 0 without one. */
  readonly size: number;
  readonly allowNone: boolean;
  readonly optional: boolean;
  readonly keywordOnly: boolean;
  /** What becomes of the value: an argument of the schema, `out`, or `requires_grad`. */
  readonly role: "argument" | "out" | "requiresGrad";
}

/** One signature that a function or method takes, and the overloads that it selects. */
export interface Signature {
  /** The schema of the operator that is called. */
  readonly schema: OpSchema;
  /** The overload that is called when `out` is given. */
  readonly outSchema: OpSchema | undefined;
  /** Without `self`, for methods. */
  readonly parameters: readonly Parameter[];
  /** How many arguments are taken by position. */
  readonly maxPositional: number;
  /** Whether the one list of integers may be given as several arguments: `view(2, 3)`. */
  readonly variadic: boolean;
  /** Whether a number represents a tensor: `torch.add(1, x)`. */
  readonly numbersAsTensors: boolean;
  /** Whether the schema has `dtype`, `layout`, `device` and `pin_memory`. */
  readonly hasTensorOptions: boolean;
  /** Whether the device is that of a tensor argument when none is given. */
  readonly deviceFromTensor: boolean;
  /** `Dict`-like order of deprecated signatures; they are tried last and not shown. */
  readonly deprecated: boolean;
}

/** Numpy's names of parameters (`numpy_compatibility_arg_names` of PyTorch's parser). */
const NUMPY_NAMES: Readonly<Record<string, readonly string[]>> = {
  dim: ["axis"],
  keepdim: ["keepdims"],
  input: ["x", "a", "x1"],
  other: ["x2"],
};

const ARITHMETIC = [
  "add",
  "div",
  "divide",
  "mul",
  "multiply",
  "sub",
  "subtract",
  "true_divide",
  "floor_divide",
];
/** `should_allow_numbers_as_tensors` of PyTorch's parser. */
const NUMBERS_AS_TENSORS = new Set([
  ...ARITHMETIC.flatMap((name) => [name, `${name}_`, `${name}_out`]),
  ...["to", "_to_copy", "copy_", "copy", "_conj"],
]);

const TENSOR_OPTIONS = ["dtype", "layout", "device", "pin_memory"];

const isTensorOptions = ({ args }: OpSchema): boolean =>
  TENSOR_OPTIONS.every((name) => args.some((argument) => argument.name === name && argument.kwargOnly));

const isOut = (argument: SchemaArgument): boolean => argument.kwargOnly && argument.alias?.write === true;

function parameterOf(argument: SchemaArgument, isMethod: boolean, hasOptions: boolean): Parameter {
  const { type } = argument;
  const name = argument.name === "self" && !isMethod && type.base === "Tensor" ? "input" : argument.name;
  const isOption = hasOptions && argument.kwargOnly && TENSOR_OPTIONS.includes(name);
  return {
    name,
    keywords: [camelCase(name), ...(NUMPY_NAMES[name] ?? [])],
    base: type.base,
    list: type.list,
    size: type.listSize ?? 0,
    allowNone:
      type.optional || type.base === "Generator" || (argument.hasDefault && argument.defaultValue === null),
    optional: argument.hasDefault || isOption,
    keywordOnly: argument.kwargOnly,
    role: "argument",
  };
}

const option = (name: string, role: Parameter["role"], base: SchemaBase, size: number): Parameter => ({
  name,
  keywords: [camelCase(name)],
  base,
  list: size > 1,
  size,
  allowNone: true,
  optional: true,
  keywordOnly: true,
  role,
});

/**
 * Returns the parameters in the order of a signature of the parser: `out` before the tensor
 * options.
 */
function parametersOf(
  schema: OpSchema,
  outSchema: OpSchema | undefined,
  isMethod: boolean,
): readonly Parameter[] {
  const hasOptions = isTensorOptions(schema);
  const own = schema.args.filter(({ name }) => !(isMethod && name === "self"));
  const parameters = own.map((argument) => parameterOf(argument, isMethod, hasOptions));
  if (outSchema !== undefined)
    parameters.push(option("out", "out", "Tensor", outSchema.args.filter(isOut).length));
  if (hasOptions) parameters.push(option("requires_grad", "requiresGrad", "bool", 0));
  return parameters;
}

function signature(
  schema: OpSchema,
  outSchema: OpSchema | undefined,
  isMethod: boolean,
  order?: readonly string[],
): Signature {
  const all = parametersOf(schema, outSchema, isMethod);
  const parameters = order === undefined ? all : deprecatedOrder(all, order, isMethod);
  const positional = parameters.filter(({ keywordOnly }) => !keywordOnly);
  const [first] = positional;
  return {
    schema,
    outSchema,
    parameters,
    maxPositional: positional.length,
    variadic: positional.length === 1 && first!.list && (first!.base === "int" || first!.base === "SymInt"),
    numbersAsTensors: NUMBERS_AS_TENSORS.has(schema.name),
    hasTensorOptions: isTensorOptions(schema),
    deviceFromTensor: /_like$|^new_/.test(schema.name),
    deprecated: order !== undefined,
  };
}

/** Returns the signature of one overload: all parameters are those of its schema. */
export const overloadSignature = (schema: OpSchema): Signature => ({
  ...signature(schema, undefined, false),
  parameters: schema.args.map((argument) => parameterOf(argument, true, false)),
  variadic: false,
  numbersAsTensors: true,
});

/**
 * Returns the signature of an operator that is not one of PyTorch's: its arguments by their own
 * names.
 */
export function customSignature(schema: OpSchema): Signature {
  const parameters = schema.args.map((argument): Parameter => {
    const { name } = argument;
    return { ...parameterOf(argument, true, false), keywords: [...new Set([camelCase(name), name])] };
  });
  return {
    schema,
    outSchema: undefined,
    parameters,
    maxPositional: parameters.filter(({ keywordOnly }) => !keywordOnly).length,
    variadic: false,
    numbersAsTensors: false,
    hasTensorOptions: false,
    deviceFromTensor: false,
    deprecated: false,
  };
}

/** `add(input, alpha, other)`: all by position, none optional. */
function deprecatedOrder(
  all: readonly Parameter[],
  order: readonly string[],
  isMethod: boolean,
): readonly Parameter[] {
  const names = order
    .filter((name) => !(isMethod && name === "self"))
    .map((name) => (name === "self" ? "input" : name));
  const positional = names.map((name) => {
    const found = all.find((parameter) => parameter.name === name)!;
    return { ...found, optional: false, keywordOnly: false };
  });
  return [...positional, ...all.filter(({ role }) => role === "out")];
}

/**
 * Returns the signatures of one line of the recorded tables, in the order in which they are tried;
 * see `testing/oracle/python_signatures.py`.
 */
export function signaturesOf(line: string, isMethod: boolean): readonly Signature[] {
  const [name, ...words] = line.split(" ");
  const schemaOf = (overload: string): OpSchema | undefined => knownSchema(`aten.${name}.${overload}`);
  const found: Signature[] = [];
  for (const word of words) {
    const isDeprecated = word.startsWith("!");
    const [text, out] = (isDeprecated ? word.slice(1) : word).split("/") as [string, string?];
    const first = found[0];
    if (isDeprecated) {
      if (first === undefined) continue;
      const outSchema = out === undefined ? undefined : first.outSchema;
      found.push(signature(first.schema, outSchema, isMethod, text.split(",")));
      continue;
    }
    const schema = schemaOf(text);
    if (schema === undefined) continue;
    found.push(signature(schema, out === undefined ? undefined : schemaOf(out), isMethod));
  }
  return found;
}
