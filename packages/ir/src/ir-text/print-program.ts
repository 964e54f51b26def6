import { checkOptions, isSconceError, type OptionNames, type SconceError } from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
import type { Graph } from "../graph/graph.js";
import { ExportedProgram } from "../program/program.js";
import type { ModuleCallEntry } from "../program/program-parts.js";
import type { ArgumentSpec } from "../program/signature.js";
import type { Argument } from "../values/argument.js";
import { ExpressionWriter, symbolLine } from "./expressions.js";
import { MetadataTable } from "./metadata.js";
import { graphLines } from "./print-graph.js";
import { treeText } from "./tree.js";
import { tensorTypeText } from "./types.js";
import { nameText, valueText } from "./values.js";

/** What {@link printIr} writes besides the graph. */
export interface PrintIrOptions {
  /**
   * Stack traces, module stacks and the like, as a table at the end. Default true for programs,
   * false for graphs.
   */
  readonly metadata?: boolean | undefined;
}

const PRINT: OptionNames<PrintIrOptions> = { metadata: true };

/** First line of every program text. */
const HEADER = "sconce-ir 1";
/**
 * Returns under which keys sample inputs lie beside the text, by position: `example.0`, with
 * underscores before the point where a weight has such a name.
 *
 * @param names those of the state and of the constants
 */
export function exampleKeys(names: Iterable<string>): (position: number) => string {
  const taken = new Set<string>();
  for (const name of names) {
    const prefix = EXAMPLE_KEY.exec(name)?.[1];
    if (prefix !== undefined) taken.add(prefix);
  }
  let prefix = "example";
  while (taken.has(prefix)) prefix += "_";
  return (position) => `${prefix}.${position}`;
}
const EXAMPLE_KEY = /^(example_*)\.\d+$/;
/** Returns whether a key may be that of a sample input. */
export const isExampleKey = (key: string): boolean => EXAMPLE_KEY.test(key);

/**
 * Returns a program or graph as Sconce's IR text, which `parseIr` and `parseGraph` read back to an
 * equal one. Values of tensors are not in it: {@link tensorsOf} gives what belongs beside it.
 */
export function printIr(value: ExportedProgram | Graph, options: PrintIrOptions = {}): string {
  checkOptions("printIr", options, PRINT);
  const isProgram = value instanceof ExportedProgram;
  const metadata = (options.metadata ?? isProgram) ? new MetadataTable() : undefined;
  const writer = new ExpressionWriter();
  const program = isProgram ? ["", ...programLines(value, writer)] : [];
  const graph = graphLines(isProgram ? value.graph : value, { writer, metadata });
  const symbols = [...writer.symbols.values()].map(symbolLine);
  const lines = isProgram ? [HEADER, ...symbols, ...program, ""] : symbols;
  lines.push(...graph);
  if (metadata !== undefined && metadata.lines.length > 0) {
    lines.push("", "metadata {", ...metadata.lines.map((line) => `  ${line}`), "}");
  }
  return `${lines.join("\n")}\n`;
}

/** Tensors that belong beside the text of a program, by the keys that the text uses. */
export function tensorsOf(program: ExportedProgram): Map<string, Tensor> {
  const tensors = new Map([...program.stateDict, ...program.constants]);
  const leaves = exampleLeaves(program);
  if (leaves === null || isSconceError(leaves)) return tensors;
  const keyOf = exampleKeys(tensors.keys());
  leaves.forEach((leaf, i) => {
    if (leaf instanceof Tensor) tensors.set(keyOf(i), leaf);
  });
  return tensors;
}

function programLines(program: ExportedProgram, writer: ExpressionWriter): string[] {
  const lines: string[] = [];
  if (program.torchVersion !== undefined) lines.push(`torch ${JSON.stringify(program.torchVersion)}`);
  for (const [name, version] of Object.entries(program.opsetVersion))
    lines.push(`opset ${JSON.stringify(name)} ${version}`);
  for (const [name, fields] of program.namedTupleFields)
    lines.push(`fields ${JSON.stringify(name)} [${fields.map((field) => JSON.stringify(field)).join(", ")}]`);
  for (const [key, note] of Object.entries(program.graphMetadata))
    lines.push(`note ${JSON.stringify(key)} ${JSON.stringify(note)}`);
  for (const [expr, range] of program.rangeConstraints) {
    lines.push(
      `range ${JSON.stringify(expr)} [${bound(range.exact?.min ?? range.min)}, ${bound(range.exact?.max ?? range.max)}]${range.float === true ? " float" : ""}`,
    );
  }
  for (const [symbol, value] of program.symbolHints)
    lines.push(`hint ${JSON.stringify(symbol)} ${valueText(value)}`);
  for (const guard of program.guardsCode) lines.push(`guard ${JSON.stringify(guard)}`);
  for (const name of program.unusedSymbols) lines.push(`unused ${JSON.stringify(name)}`);
  for (const [name, tensor] of program.stateDict) {
    const kind = program.parameterNames.has(name) ? "parameter" : "buffer";
    lines.push(`${kind} ${JSON.stringify(name)}: ${tensorTypeText(tensor, writer)}`);
  }
  for (const [name, tensor] of program.constants)
    lines.push(`constant ${JSON.stringify(name)}: ${tensorTypeText(tensor, writer)}`);
  lines.push(
    ...signatureLines(program),
    ...program.moduleCallGraph.map(callLine),
    ...exampleLines(program, writer),
  );
  return [`program ${JSON.stringify(program.dialect)} {`, ...lines.map((line) => `  ${line}`), "}"];
}

const bound = (value: number | bigint): string =>
  value === Infinity ? "inf" : value === -Infinity ? "-inf" : String(value);

function signatureLines(program: ExportedProgram): string[] {
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const target = (name: string | null): string => (name === null ? "" : ` ${JSON.stringify(name)}`);
  return [
    ...inputSpecs.map((spec) => {
      const persistent = spec.persistent === null ? "" : spec.persistent ? " persistent" : " transient";
      return `input ${specText(spec.arg)}: ${spec.kind}${target(spec.target)}${persistent}`;
    }),
    ...outputSpecs.map((spec) => `output ${specText(spec.arg)}: ${spec.kind}${target(spec.target)}`),
  ];
}

/** `%x` for a tensor, else the kind in front: `symint %n`, `constant %k = 3`. */
function specText(arg: ArgumentSpec): string {
  const name = nameText(arg.name);
  switch (arg.kind) {
    case "tensor":
      return name;
    case "constant":
      return `constant ${name} = ${valueText(arg.value)}`;
    case "custom_obj":
      return `custom_obj ${name} = ${JSON.stringify(arg.classFqn)}`;
    default:
      return `${arg.kind} ${name}`;
  }
}

function callLine({ fqn, signature }: ModuleCallEntry): string {
  const head = `call ${JSON.stringify(fqn)}`;
  if (signature === null) return head;
  const { inputs, outputs, inSpec, outSpec, forwardArgNames } = signature;
  const names =
    forwardArgNames === null
      ? ""
      : ` names [${forwardArgNames.map((name) => JSON.stringify(name)).join(", ")}]`;
  const list = (word: string, specs: readonly ArgumentSpec[]): string =>
    specs.length === 0 ? "" : ` ${word} [${specs.map(specText).join(", ")}]`;
  return `${head} ${treeText(inSpec)} -> ${treeText(outSpec)}${names}${list("inputs", inputs)}${list("outputs", outputs)}`;
}

function exampleLines(program: ExportedProgram, writer: ExpressionWriter): string[] {
  const leaves = exampleLeaves(program);
  if (leaves === null) return [];
  if (isSconceError(leaves))
    return [`examples unreadable ${JSON.stringify(leaves.code)} ${JSON.stringify(leaves.message)}`];
  const marks = program.exampleInputs?.markedDims;
  const texts = leaves.map((leaf, i) => {
    const dims = marks?.get(i);
    const marked = dims === undefined ? "" : ` marked [${dims.join(", ")}]`;
    return leaf instanceof Tensor ? `tensor ${tensorTypeText(leaf, writer)}${marked}` : valueText(leaf);
  });
  return ["examples", ...texts.map((text) => `  example ${text}`)];
}

/** Sample inputs are loaded on first use. Unreadable ones do not make the program invalid. */
function exampleLeaves(program: ExportedProgram): readonly (Tensor | Argument)[] | SconceError | null {
  try {
    return program.exampleInputs?.leaves ?? null;
  } catch (error) {
    if (!isSconceError(error)) throw error;
    return error;
  }
}
