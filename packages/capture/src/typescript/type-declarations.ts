/** @file The types of the calls of a program, as a declaration file. */
import { checkOptions, type OptionNames, scriptString } from "@sconce/errors";
import {
  dataclassFields,
  dictKeys,
  type ExportedProgram,
  FakeTensor,
  isFloat,
  isInt,
  isSymScalar,
  type TreeSpec,
  toNumber,
  typeText,
} from "@sconce/ir";
import { onValid } from "@sconce/ir/verify";
import { callingConvention, keywordsOf, positionalNames } from "@sconce/ops";
import { dtypeInfo } from "@sconce/tensor";
import { commentText, isIdentifier, keyText, numberText, VariableNames } from "./literals.js";
import { arrayTypes, saysShape, tensorParameters } from "./tensor-types.js";

/** Options of {@link typeDeclarations}. */
export interface DeclarationOptions {
  /** Where the file imports Sconce's types from. @defaultValue `"sconce"` */
  readonly from?: string | undefined;
}

const OPTIONS: OptionNames<DeclarationOptions> = { from: true };

/** A leaf of the arguments or of the results. */
export interface LeafType {
  readonly type: string;
  /** The dtype and the sizes of a tensor; empty for other values. */
  readonly doc: string;
}

/**
 * Writes a declaration file with the types of the calls of a program: arguments by position and by
 * name, containers, and what a call gives. The compiler then checks `module.call({ x })`.
 *
 * Texts of the program are data: names are quoted or escaped.
 *
 * @example
 * import type { Program } from "./model.js";
 * const module = (await sconce.module(program)) as Program;
 * const result = await module.call({ x });
 * @throws SconceError `NO_CALLING_CONVENTION`, `INVALID_PROGRAM`
 */
export function typeDeclarations(program: ExportedProgram, options: DeclarationOptions = {}): string {
  checkOptions("typeDeclarations", options, OPTIONS);
  return onValid(program, () => declarationsOf(program, options));
}

/** The arguments and the results of a program, with their types. */
export interface CallTypes {
  readonly positional: readonly NamedType[];
  readonly keywords: readonly NamedType[];
  readonly outputs: LeafType;
}

/**
 * Returns the types of a program's calls.
 *
 * @param inputs the types of input leaves, in order
 * @param results those of the leaves of results
 */
export function callTypes(
  program: ExportedProgram,
  inputs: readonly LeafType[],
  results: readonly LeafType[],
): CallTypes {
  const convention = callingConvention(program);
  const { inSpec, outSpec } = convention;
  const [args, kwargs] = inSpec.children as [TreeSpec, TreeSpec];
  const leaves = [...inputs];
  const names = positionalNames(convention);
  const positional = args.children.map((spec, i) => ({ name: names[i]!, ...typeOf(spec, leaves) }));
  const keywords = keywordsOf(inSpec).map((name, i) => ({ name, ...typeOf(kwargs.children[i]!, leaves) }));
  return { positional, keywords, outputs: typeOf(outSpec, [...results]) };
}

/** What all files have. The optional property is in types only: no tensor has it. */
const COMMON = [
  "interface Known<DType extends string, Shape extends readonly number[]> {",
  '  readonly "~known"?: { readonly dtype: DType; readonly shape: Shape };',
  "}",
  "",
  "/** A tensor that a call takes. If its type has a dtype and sizes, they must be these. */",
  "export type TensorInput<DType extends string, Shape extends readonly number[]> = Tensor & Known<DType, Shape>;",
  "",
  "/** A tensor that a call gives. */",
  "export type TensorOutput<DType extends string, Shape extends readonly number[]> = Tensor &",
  "  Known<DType, Shape> & { readonly dtype: DType; readonly shape: Shape };",
];

function declarationsOf(program: ExportedProgram, options: DeclarationOptions): string {
  const [args, kwargs] = callingConvention(program).inSpec.children as [TreeSpec, TreeSpec];
  const { positional, keywords, outputs } = callTypes(
    program,
    inputLeaves(program, inputType),
    outputLeaves(program, outputType),
  );
  const labeled = positional.every(({ name }) => isIdentifier(name));
  // Some tools reject a label that is a keyword.
  const labels = new VariableNames();
  const items = positional.map(({ name, type }) => (labeled ? `${labels.take(name)}: ${type}` : type));
  return `${[
    "/** The types of calls of a program, written by `sconce types`. */",
    `import type { ProgramModule, RunOptions, Tensor } from ${scriptString(options.from ?? "sconce")};`,
    "",
    ...COMMON,
    "",
    "/** The arguments by position. */",
    `export type Args = readonly [${items.join(", ")}];`,
    "",
    "/** The arguments by keyword. */",
    ...recordText("Kwargs", keywords),
    "",
    "/** All arguments by their names. */",
    ...recordText("Inputs", [...positional, ...keywords]),
    "",
    `/** What a call gives${outputs.doc === "" ? "" : `: ${outputs.doc}`}. */`,
    `export type Outputs = ${outputs.type};`,
    "",
    "/** The program as a module: `(await sconce.module(program)) as Program`. */",
    'export interface Program extends Omit<ProgramModule, "call"> {',
    "  /** Calls with all arguments by their names. */",
    "  call(inputs: Inputs, options?: RunOptions): Promise<Outputs>;",
    ...onlyTensorText([...positional, ...keywords], [...args.children, ...kwargs.children]),
    "  /** Calls with arguments by position, then those by keyword. */",
    keywords.length === 0
      ? "  call(args: Args, kwargs?: Kwargs, options?: RunOptions): Promise<Outputs>;"
      : "  call(args: Args, kwargs: Kwargs, options?: RunOptions): Promise<Outputs>;",
    "}",
  ].join("\n")}\n`;
}

export interface NamedType {
  readonly name: string;
  readonly type: string;
  readonly doc: string;
}

/** Returns the `call` of a program of one argument, a tensor: it takes the tensor itself. */
function onlyTensorText([only, ...others]: readonly NamedType[], [spec]: readonly TreeSpec[]): string[] {
  if (only === undefined || others.length > 0 || spec?.type !== null || !only.type.startsWith("Tensor"))
    return [];
  return [
    "  /** Calls with the only argument. */",
    `  call(${new VariableNames().take(only.name)}: ${only.type}, options?: RunOptions): Promise<Outputs>;`,
  ];
}

/** Returns a type of properties: one that is not an interface, so that it is a record, too. */
export function recordText(name: string, fields: readonly NamedType[]): string[] {
  if (fields.length === 0) return [`export type ${name} = Readonly<Record<never, never>>;`];
  return [
    `export type ${name} = {`,
    ...fields.flatMap(({ name: field, type, doc }) => [
      ...(doc === "" ? [] : [`  /** ${doc} */`]),
      `  readonly ${keyText(field)}: ${type};`,
    ]),
    "};",
  ];
}

/** Returns the type of a container, with the types of its tensors as text. */
function typeOf(spec: TreeSpec, leaves: LeafType[]): LeafType {
  if (spec.type === null) return leaves.shift() ?? { type: "unknown", doc: "" };
  const children = spec.children.map((child) => typeOf(child, leaves));
  const doc = children
    .map((child) => child.doc)
    .filter((text) => text !== "")
    .join(", ");
  return {
    type: containerType(
      spec,
      children.map(({ type }) => type),
    ),
    doc,
  };
}

function containerType(spec: TreeSpec, children: readonly string[]): string {
  const keys = dictKeys(spec) ?? dataclassFields(spec)?.set;
  if (keys === undefined) return `readonly [${children.join(", ")}]`;
  const isMap = spec.type === "collections.OrderedDict" || keys.some((key) => typeof key !== "string");
  if (isMap) {
    const names = keys.map((key) => (typeof key === "string" ? scriptString(key) : "unknown"));
    return `ReadonlyMap<${[...new Set(names)].join(" | ") || "never"}, ${[...new Set(children)].join(" | ") || "never"}>`;
  }
  return `{ ${keys.map((key, i) => `readonly ${keyText(key as string)}: ${children[i]}`).join("; ")} }`;
}

/**
 * Returns the types of the leaves of a program's inputs, in order.
 *
 * @param tensorType writes the type of a tensor; it gets undefined for a value of no known kind
 */
export const inputLeaves = (
  { graph, graphSignature }: ExportedProgram,
  tensorType: (tensor: FakeTensor | undefined) => string,
): LeafType[] =>
  graphSignature.inputSpecs
    .filter(({ kind }) => kind === "USER_INPUT")
    .map(({ arg }) => {
      const { val } = graph.node(arg.name).meta;
      if (val instanceof FakeTensor) return { type: tensorType(val), doc: shapeDoc(val) };
      if (isSymScalar(val)) return { type: "number", doc: commentText(`a number, ${val.kind}`) };
      return { type: arg.kind === "constant" ? literalType(arg.value) : tensorType(undefined), doc: "" };
    });

/** A typed array may represent a tensor where its class is that of this dtype alone. */
function inputType(tensor: FakeTensor | undefined): string {
  if (tensor === undefined) return "Tensor";
  const { array, lanes } = dtypeInfo(tensor.dtype);
  const isHeld =
    saysShape(tensor) &&
    lanes === 1 &&
    (array as { readonly name?: string }).name !== undefined &&
    !/float8|bool|half|float16/.test(tensor.dtype);
  const whole = `TensorInput<${tensorParameters(tensor)}>`;
  return isHeld ? `${whole} | ${arrayTypes(tensor)[0]!}` : whole;
}

const outputType = (tensor: FakeTensor | undefined): string =>
  tensor === undefined ? "Tensor" : `TensorOutput<${tensorParameters(tensor)}>`;

/**
 * Returns the types of the leaves of a program's results, in order.
 *
 * @param tensorType as that of {@link inputLeaves}
 */
export const outputLeaves = (
  { graph, graphSignature }: ExportedProgram,
  tensorType: (tensor: FakeTensor | undefined) => string,
): LeafType[] =>
  graphSignature.outputSpecs
    .filter(({ kind }) => kind === "USER_OUTPUT" || kind === "LOSS_OUTPUT")
    .map(({ arg }) => {
      if (arg.kind === "constant") return { type: literalType(arg.value), doc: "" };
      const val = graph.find(arg.name)?.meta.val;
      if (val instanceof FakeTensor) return { type: tensorType(val), doc: shapeDoc(val) };
      if (isSymScalar(val)) return { type: val.kind === "SymBool" ? "boolean" : "number", doc: "" };
      return { type: tensorType(undefined), doc: "" };
    });

const shapeDoc = (tensor: FakeTensor): string => `\`${commentText(typeText(tensor)).replaceAll("`", "'")}\``;

/** Returns the type of a constant: a program takes the value that it was exported with. */
function literalType(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return scriptString(value);
  if (typeof value === "boolean") return String(value);
  if (!isInt(value) && !isFloat(value)) return "unknown";
  const number = toNumber(value as number);
  return Number.isFinite(number) ? numberText(number) : "number";
}
