/** @file Writes the TypeScript signatures of the functions and methods of PyTorch's tables. */
import type { SchemaReturn } from "@sconce/ir";
import { defaultOperators, knownSchemaText } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { resultNames } from "./call-function.js";
import { linalgFunctions } from "./function-tables.js";
import { OWN_FIELDS, PYTHON_METHODS, SHARED_METHODS, VIEW_GETTERS } from "./methods.js";
import { camelCase, UNTYPED } from "./names.js";
import { type Parameter, type Signature, signaturesOf } from "./parameters.js";
import { pythonFunctions } from "./python-functions.js";
import {
  FFT_LINES,
  LINALG_LINES,
  NN_LINES,
  SPECIAL_LINES,
  TENSOR_LINES,
  TORCH_LINES,
} from "./signature-lines.js";

const BASES: Readonly<Record<string, string>> = {
  Tensor: "Tensor",
  Scalar: "Scalar",
  int: "Size",
  SymInt: "Size",
  float: "Float",
  bool: "boolean",
  str: "string",
  ScalarType: "DType",
  Layout: "LayoutName",
  MemoryFormat: "MemoryFormat",
  Device: "Device",
  Generator: "null",
};
const RESERVED = new Set(["from", "default", "function", "var", "new", "in"]);

function typeOf({ base, list, size, allowNone, role }: Parameter, numbersAsTensors: boolean): string {
  const item = BASES[base] ?? "never";
  let type = base === "Tensor" && numbersAsTensors && !list && role === "argument" ? "Tensor | Scalar" : item;
  if (list) type = `${base === "Tensor" && role === "argument" ? "Tensors" : `readonly ${item}[]`}`;
  if (list && size > 0 && item === "Size") type = "Size | readonly Size[]";
  return allowNone && item !== "null" ? `${type} | null` : type;
}

const option = (parameter: Parameter, signature: Signature, isRequired = false): string =>
  `${parameter.keywords[0]}${isRequired ? "" : "?"}: ${typeOf(parameter, signature.numbersAsTensors)}`;

const positionalText = (parameter: Parameter, signature: Signature, isOptional: boolean): string => {
  const name = parameter.keywords[0]!;
  return `${RESERVED.has(name) ? `${name}_` : name}${isOptional ? "?" : ""}: ${typeOf(parameter, signature.numbersAsTensors)}`;
};

const isOptional = ({ optional }: Parameter): boolean => optional;

/**
 * Returns the parameter lists of a signature: by position, and with what may be left out by
 * keyword.
 */
function parameterLists(signature: Signature, isMethod: boolean): string[] {
  const positional = signature.parameters.filter(({ keywordOnly }) => !keywordOnly);
  const options = signature.parameters.filter(({ keywordOnly }) => keywordOnly);
  const required = positional.filter((parameter) => !parameter.optional);
  const trailing = positional.slice(
    positional.findIndex(isOptional) < 0 ? positional.length : positional.findIndex(isOptional),
  );
  const last = (list: readonly Parameter[], needed: readonly Parameter[] = []): string[] =>
    list.length + needed.length === 0
      ? []
      : [
          `options${needed.length === 0 ? "?" : ""}: { ${[...needed.map((one) => option(one, signature, true)), ...list.map((one) => option(one, signature))].join("; ")} }`,
        ];
  const byPosition = [
    ...positional.map((one) => positionalText(one, signature, trailing.includes(one))),
    ...last(options),
  ];
  const lists = [byPosition.join(", ")];
  const start = required.map((one) => positionalText(one, signature, false));
  // Options may follow any number of the positional arguments that may be left out.
  trailing.forEach((_, given) => {
    const before = trailing.slice(0, given).map((one) => positionalText(one, signature, false));
    lists.push([...start, ...before, ...last([...trailing.slice(given), ...options])].join(", "));
  });
  // Required arguments may be given by keyword, too, from the first on that is not a tensor.
  for (let fixed = isMethod ? 0 : 1; fixed < required.length; fixed++)
    if (required[fixed]!.base !== "Tensor" && !(fixed > 1 && required[fixed]!.list))
      lists.push(
        [...start.slice(0, fixed), ...last([...trailing, ...options], required.slice(fixed))].join(", "),
      );
  if (signature.variadic)
    lists.push(options.length === 0 ? "...sizes: readonly Size[]" : "...sizes: readonly (Size | object)[]");
  return [...new Set(lists)];
}

function returnType({ type }: SchemaReturn): string {
  const item =
    type.base === "Tensor" ? "Tensor" : type.base === "Scalar" ? "Scalar" : (BASES[type.base] ?? "unknown");
  const list = type.list ? `Items<${item}>` : item;
  return type.optional ? `${list} | null` : list;
}

function resultText({ schema }: Pick<Signature, "schema">): string {
  if (schema.returns.length === 0) return "void";
  if (schema.returns.length === 1) return returnType(schema.returns[0]!);
  const list = `readonly [${schema.returns.map(returnType).join(", ")}]`;
  const names = resultNames(schema);
  if (names === undefined) return list;
  const properties = schema.returns.map((one, i) => `readonly ${names[i]}: ${returnType(one)}`);
  return `${list} & { ${properties.join("; ")} }`;
}

/** Returns a schema as PyTorch writes it; one without a target's text is left out. */
const schemaText = ({ schema }: Signature): string => knownSchemaText(schema.target) ?? schema.target;

/**
 * A list of tensors has the type that is expected where the call stands: `x.split(2) as [Tensor,
 * Tensor]`. Otherwise its first items are typed without `undefined`.
 */
function signatureText(list: string, result: string): string {
  const item = /^Items<(\w+)>$/.exec(result)?.[1];
  return item === undefined
    ? `(${list}): ${result}`
    : `<R extends readonly ${item}[] = ${result}>(${list}): R`;
}

/** Returns the typed overloads of one line of the tables. */
function overloads(line: string, isMethod: boolean, prefix: string): string[] {
  const name = line.slice(0, line.indexOf(" "));
  const short = camelCase(name.startsWith(prefix) ? name.slice(prefix.length) : name);
  const seen = new Set<string>();
  return signaturesOf(line, isMethod)
    .filter(({ deprecated }) => !deprecated)
    .flatMap((signature) =>
      parameterLists(signature, isMethod).flatMap((list) => {
        const text = `${short}${signatureText(list, resultText(signature))};`;
        if (seen.has(text)) return [];
        const isFirst = !seen.has(signature.schema.target);
        seen.add(text).add(signature.schema.target);
        return isFirst ? [`  /** \`${schemaText(signature)}\` */`, `  ${text}`] : [`  ${text}`];
      }),
    );
}

function interfaceText(
  name: string,
  doc: string,
  lines: readonly string[],
  { isMethod = false, prefix = "", without = new Set<string>() } = {},
): string {
  const kept = lines.filter((line) => {
    const full = line.slice(0, line.indexOf(" "));
    return (
      !UNTYPED.test(full) &&
      !without.has(camelCase(full.startsWith(prefix) ? full.slice(prefix.length) : full))
    );
  });
  return `/** ${doc} */\nexport interface ${name} {\n${kept.flatMap((line) => overloads(line, isMethod, prefix)).join("\n")}\n}\n`;
}

const HEAD = (imports: readonly string[]): string =>
  `/**
 * @file Types of PyTorch's functions and methods. Generated by \`npx vitest run
 * packages/torch/src/functions/types.test.ts --update\`.
 */
import type { LayoutName, MemoryFormat } from "@sconce/ir";
import type { DType, Items, Tensor } from "@sconce/tensor";
import type { Size } from "../trace/sym-int.js";
import type { ${imports.join(", ")} } from "./argument-types.js";
`;

/** `readonly add: Overloads<"Tensor" | "Scalar", Tensor>;` */
function packetText(packet: string, overloads: ReadonlyMap<string, readonly string[]>): string {
  const types = [...overloads].map(
    ([result, names]) => `Overloads<${names.map((name) => JSON.stringify(name)).join(" | ")}, ${result}>`,
  );
  return `  readonly ${packet}: ${types.join(" & ")};`;
}

/**
 * Returns the overloads of all operators, by namespace and name, and by the types of their results.
 */
function operatorTypes(): string {
  const table = defaultOperators();
  const namespaces = new Map<string, Map<string, Map<string, string[]>>>();
  for (const target of table.targets()) {
    const schema = table.schemaOf(target);
    if (schema === undefined) continue;
    const [namespace, packet, overload] = target.split(".") as [string, string, string];
    const packets = namespaces.get(namespace) ?? new Map<string, Map<string, string[]>>();
    const results = packets.get(packet) ?? new Map<string, string[]>();
    const result = resultText({ schema });
    results.set(result, [...(results.get(result) ?? []), overload]);
    namespaces.set(namespace, packets.set(packet, results));
  }
  const name = (namespace: string): string =>
    `${namespace.replace(/(?:^|_+)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Operators`;
  const interfaces = [...namespaces].map(([namespace, packets]) => {
    const lines = [...packets].map(([packet, results]) => packetText(packet, results));
    return `/** The operators of \`${namespace}\`. */\ninterface ${name(namespace)} {\n${lines.join("\n")}\n}\n`;
  });
  const all = [...namespaces.keys()].map((one) => `  readonly ${one}: ${name(one)};`);
  return `${interfaces.join("\n")}\n/** Every operator, by namespace, name and overload. */\nexport interface Operators {\n${all.join("\n")}\n}\n`;
}

const OPERATORS_HEAD = `/**
 * @file Types of all operators. Generated by \`npx vitest run
 * packages/torch/src/functions/types.test.ts --update\`.
 */
import type { DType, Items, Tensor } from "@sconce/tensor";
import type { Size } from "../trace/sym-int.js";
import type { Float, Scalar } from "./argument-types.js";
import type { Overloads } from "./overload-types.js";
`;

/** Returns the generated files by name. */
export function typeFiles(): Readonly<Record<string, string>> {
  const python = new Set(Object.keys(pythonFunctions(linalgFunctions())));
  const own = Object.entries(Object.getOwnPropertyDescriptors(Tensor.prototype)).filter(([, { get }]) => get);
  const methods = new Set([
    ...own.map(([name]) => name),
    ...OWN_FIELDS,
    ...Object.keys(PYTHON_METHODS),
    ...Object.keys(SHARED_METHODS),
    ...Object.keys(VIEW_GETTERS),
  ]);
  const types = ["Device", "Float", "Scalar", "Tensors"];
  return {
    "function-types.ts": `${HEAD(types)}\n${[
      interfaceText("TorchFunctions", "The generated functions of `torch`.", TORCH_LINES, {
        without: python,
      }),
      interfaceText("FftFunctions", "The functions of `torch.fft`.", FFT_LINES, { prefix: "fft_" }),
      interfaceText("LinalgFunctions", "The functions of `torch.linalg`.", LINALG_LINES, {
        prefix: "linalg_",
      }),
      interfaceText("SpecialFunctions", "The functions of `torch.special`.", SPECIAL_LINES, {
        prefix: "special_",
      }),
      interfaceText("NnFunctions", "The generated functions of `torch.nn.functional`.", NN_LINES),
    ].join("\n")}`,
    "method-types.ts": `${HEAD(types)}\n${interfaceText(
      "TensorMethods",
      "The generated methods of tensors.",
      TENSOR_LINES,
      { isMethod: true, without: methods },
    )}`,
    "operator-types.ts": `${OPERATORS_HEAD}\n${operatorTypes()}`,
  };
}
