/**
 * @file Checks `runDecompositions` against single calls that PyTorch decomposed: the calls before,
 * the calls after, and dtype, sizes and strides of every result.
 */
import { isSconceError } from "@sconce/errors";
import {
  ExportedProgram,
  FakeTensor,
  type Graph,
  type InputSpec,
  isRef,
  itemsOf,
  type MetaValue,
} from "@sconce/ir";
import { parseGraph } from "@sconce/ir/text";
import type { Sconce } from "@sconce/session";
import { evaluateInt, freeSymbols, type IntLike } from "@sconce/symbolic";
import { type DType, dtypeInfo } from "@sconce/tensor";
import { graphDifference } from "./graph-equality.js";

/** A size or stride: a number, or an expression as PyTorch prints it. */
type Size = number | string;
interface TensorVal {
  readonly dtype: DType;
  readonly shape: readonly Size[];
  readonly stride: readonly Size[];
}
type Val = TensorVal | Size | boolean | null | readonly Val[] | Readonly<Record<string, never>>;

interface CoreNode {
  readonly op: "placeholder" | "call" | "output";
  readonly name?: string;
  readonly val?: Val;
}

/** One case: the file's `cases` have concrete sizes, its `dynamic_cases` symbols. */
export interface DecompositionCase {
  readonly name: string;
  /** Why PyTorch itself refuses the case; nothing else is recorded then. */
  readonly error?: string;
  readonly training_ir?: readonly string[];
  readonly core?: readonly string[];
  readonly core_nodes?: readonly CoreNode[];
  readonly signature?: readonly (readonly [kind: InputSpec["kind"], name: string, target: string | null])[];
  readonly ranges?: Readonly<Record<string, string>>;
}

export interface DecompositionFile {
  readonly default_table: Readonly<Record<"post_autograd" | "cia_decomposed", readonly string[]>>;
  readonly cases: readonly DecompositionCase[];
  readonly dynamic_cases: readonly DecompositionCase[];
}

/** Returns what differs from PyTorch's decomposition, or undefined. */
export function decompositionProblem(one: DecompositionCase, sconce: Sconce): string | undefined {
  if (one.core === undefined) return undefined;
  const want = parseGraph(graphText(one, one.core, (name) => valOf(one, name)));
  for (const equal of [false, true]) {
    try {
      const got = sconce.runDecompositions(decompositionProgram(one, equal)).graph;
      return graphDifference(got, want) ?? stridesDifference(got, want);
    } catch (error) {
      if (!isSconceError(error)) return `threw: ${String(error)}`;
      // Sizes that no guard ties were equal in PyTorch's example inputs when the call needs them to
      // be.
      if (equal || error.code !== "SHAPE_MISMATCH" || one.ranges === undefined) return String(error);
    }
  }
  return undefined;
}

/**
 * Returns the program of a case before decomposition; with `equalSizes` all symbols have one
 * example value.
 */
export function decompositionProgram(one: DecompositionCase, equalSizes = false): ExportedProgram {
  const inputs = placeholdersOf(one).map(({ name }) => name!);
  const graph = parseGraph(
    graphText(one, one.training_ir!, (name) => (inputs.includes(name) ? valOf(one, name) : undefined)),
  );
  const known = new Map(one.signature?.map(([kind, name, target]) => [name, { kind, target }]));
  // Symbols of data-dependent sizes are made by the calls.
  const symbols = Object.keys(one.ranges ?? {}).filter((name) => !name.startsWith("u"));
  return new ExportedProgram({
    graph,
    graphSignature: {
      inputSpecs: inputs.map((name): InputSpec => {
        const { kind, target } = known.get(name) ?? { kind: "USER_INPUT", target: null };
        return { kind, arg: { kind: "tensor", name }, target, persistent: kind === "BUFFER" ? true : null };
      }),
      outputSpecs: (itemsOf(graph.outputArgument()) ?? []).map((value) => ({
        kind: "USER_OUTPUT",
        target: null,
        arg: isRef(value) ? { kind: "tensor", name: value.name } : { kind: "constant", name: "", value },
      })),
    },
    stateDict: new Map(),
    parameterNames: new Set(),
    constants: new Map(),
    rangeConstraints: new Map(symbols.map((name) => [name, rangeOf(one.ranges![name]!)])),
    symbolHints: new Map(symbols.map((name, i) => [name, equalSizes ? 9 : 7 + 4 * i])),
    moduleCallGraph: [],
    dialect: "TRAINING",
  });
}

function rangeOf(text: string): { min: number; max: number } {
  const [, min, max] = /^VR\[(.+), (.+)\]$/.exec(text)!;
  const bound = (value: string): number => Number(value.replace("int_oo", "Infinity"));
  return { min: bound(min!), max: bound(max!) };
}

const placeholdersOf = (one: DecompositionCase): readonly CoreNode[] =>
  one.core_nodes!.filter((node) => node.op === "placeholder" && isTensorVal(node.val));

const valOf = (one: DecompositionCase, name: string): Val | undefined =>
  one.core_nodes!.find((node) => node.name === name)?.val;

const isTensorVal = (val: Val | undefined): val is TensorVal =>
  typeof val === "object" && val !== null && "dtype" in val;

/** Returns the file's lines (`view = aten.view.default(%x, [2, 3])`) as Sconce's IR text. */
function graphText(
  one: DecompositionCase,
  lines: readonly string[],
  val: (name: string) => Val | undefined,
): string {
  const parameters = new Set(one.signature?.filter(([kind]) => kind === "PARAMETER").map(([, name]) => name));
  const inputs = one.core_nodes!.filter((node) => node.op === "placeholder" && readsIt(lines, node));
  const heads = inputs.map(
    ({ name, val }) => `%${name}${typeText(val)}${parameters.has(name!) ? " grad" : ""}`,
  );
  const conditions = conditionsOf(lines);
  const body = lines.map((line) => {
    const call = /^(\w+) = (\w[\w.]*)\((.*)\)$/s.exec(line);
    if (call === null) return valueText(line);
    const [, name, target, args] = call as unknown as [string, string, string, string];
    const full = target.includes(".") ? target : `operator.${target}`;
    const isNamed = target === "with_effects" ? "higher_order.with_effects" : full;
    return `%${name}${conditions.get(name) ?? typeText(val(name))} = ${isNamed}(${valueText(args)})`;
  });
  return `graph(${heads.join(", ")}) {\n  ${body.join("\n  ")}\n}`;
}

/** Types of the conditions that are asserted: the message of an assertion has the expression. */
function conditionsOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const found = lines.map((line) =>
    /_assert_scalar\.default\(%(\w+), ".* expression (.*) on node/.exec(line),
  );
  return new Map(found.flatMap((match) => (match ? [[match[1]!, `: bool(${match[2]})`]] : [])));
}

/** Effect tokens are inputs of the lowered graph only. */
const readsIt = (lines: readonly string[], { name, val }: CoreNode): boolean =>
  isTensorVal(val) || lines.some((line) => line.includes(`%${name}`));

function typeText(val: Val | undefined): string {
  const text = bareType(val);
  return text === undefined ? "" : `: ${text}`;
}

function bareType(val: Val | undefined): string | undefined {
  if (isTensorVal(val)) {
    return `${dtypeInfo(val.dtype).abbreviation}[${val.shape.join(", ")}]{${val.stride.join(", ")}}`;
  }
  if (Array.isArray(val)) {
    const items = (val as readonly Val[]).map(bareType);
    return items.includes(undefined) ? undefined : `(${items.join(", ")})`;
  }
  return typeof val === "string" && !/[<>=]/.test(val) ? `int(${val})` : undefined;
}

type Replacement = readonly [pattern: RegExp, text: string];

/** Values that Python writes with quotes inside. */
const QUOTING: readonly Replacement[] = [
  [/<OpOverload\(op='([\w.]+)', overload='(\w+)'\)>/g, "op($1.$2)"],
  [/device\(type='(\w+)'\)/g, "device($1)"],
];

const WORDS: readonly Replacement[] = [
  [/torch\.strided/g, "layout(strided)"],
  [/torch\.(\w+_format|channels_last(?:_3d)?)/g, "format($1)"],
  [/torch\.(\w+)/g, "$1"],
  [/\bNone\b/g, "none"],
  [/\bTrue\b/g, "true"],
  [/\bFalse\b/g, "false"],
  [/,\)/g, ")"],
];

/** Python's values as IR text; what stands in quotes stays. */
function valueText(text: string): string {
  return replaced(text, QUOTING)
    .split(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/)
    .map((piece, i) => (i % 2 === 1 ? JSON.stringify(piece.slice(1, -1)) : replaced(piece, WORDS)))
    .join("");
}

const replaced = (text: string, replacements: readonly Replacement[]): string =>
  replacements.reduce((result, [pattern, word]) => result.replace(pattern, word), text);

/** Strides of the results; {@link graphDifference} has compared everything else. */
function stridesDifference(got: Graph, want: Graph): string | undefined {
  const [given, wanted] = [resultsOf(got), resultsOf(want)];
  for (const [i, [name, val]] of wanted.entries()) {
    const [left, right] = [stridesText(given[i]?.[1]), stridesText(val)];
    if (right !== "" && left !== right) return `${name}: strides ${left} instead of ${right}`;
  }
  return undefined;
}

/** Names and values of the calls that give tensors. */
const resultsOf = (graph: Graph): (readonly [string, MetaValue])[] =>
  [...graph.nodes()]
    .filter(
      (node) =>
        node.op === "call_function" &&
        node.target !== "operator.getitem" &&
        (node.meta.val instanceof FakeTensor || Array.isArray(node.meta.val)),
    )
    .map((node) => [node.name, node.meta.val!] as const);

/** Strides at a sample of sizes; those of dimensions of at most one element mean nothing. */
function stridesText(val: MetaValue | undefined): string {
  if (Array.isArray(val)) return (val as readonly MetaValue[]).map(stridesText).join(" ");
  if (!(val instanceof FakeTensor)) return "";
  const sizes = val.shape.map(sampled);
  return sizes.includes("0")
    ? ""
    : `[${val.strides.map((stride, d) => (sizes[d] === "1" ? "*" : sampled(stride))).join(", ")}]`;
}

/**
 * PyTorch leaves `Min(3, 3*s0)` where 3 is meant: expressions are compared by their values for some
 * sizes.
 */
function sampled(size: IntLike): string {
  if (typeof size === "number") return String(size);
  const names = [...freeSymbols(size).keys()];
  const values = [2, 7, 40].map((base) =>
    evaluateInt(size, new Map(names.map((name, i) => [name, base + 3 * i]))),
  );
  return [...new Set(values)].join("|");
}
