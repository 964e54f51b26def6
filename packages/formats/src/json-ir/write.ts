/** @file JSON IR as text: one tensor a line, lists of numbers as nested lists. */
import type { SconceError } from "@sconce/errors";
import { type BoolLike, type FloatLike, type IntLike, int, isInt, type SymScalar } from "@sconce/ir";
import { parseSrepr, printExpr, SymExpr, toSrepr } from "@sconce/symbolic";
import {
  bfloat16ToNumber,
  type DType,
  dtypeInfo,
  type Element,
  float16ToNumber,
  isComplexDType,
  numberToBfloat16,
  numberToFloat16,
  type Tensor,
} from "@sconce/tensor";
import { jsonIRUnsupported } from "../errors.js";
import { floatText } from "../json/python-json.js";
import { taggedText, text } from "./tagged.js";
import {
  DEEPEST_SUBGRAPH,
  type JsonIR,
  type JsonIRAttribute,
  type JsonIRGraph,
  type JsonIRInput,
  type JsonIRMutation,
  type JsonIRNode,
  type JsonIRSymbol,
  type JsonIRTagged,
  type JsonIRTensor,
} from "./types.js";

/**
 * Returns JSON IR as JSON text. Integers of 64 bits are JSON integers. Floats have the fewest
 * digits that give the same value in their dtype; infinities and NaN are `"Infinity"`,
 * `"-Infinity"` and `"NaN"`, since JSON has none.
 * @throws SconceError `JSON_IR_UNSUPPORTED` for complex constants and half of a surrogate pair,
 * `NO_VALUES`
 */
export function jsonIRText(ir: JsonIR): string {
  const mapping = [...ir.weightNameMapping].map(([key, name]) => `    ${text(key)}: ${text(name)}`);
  const constants = [...ir.constants].map(
    ([name, tensor]) => `    ${text(name)}: ${constantText(name, tensor)}`,
  );
  const nested = new NestedTexts();
  const parts = [
    `"model_name": ${text(ir.modelName)}`,
    ...signatureTexts(ir),
    `"weights": ${list(ir.weights.map(tensorText), "  ")}`,
    `"weight_name_mapping": ${block(mapping)}`,
    `"nodes": ${list(ir.nodes.map(nodeText), "  ")}`,
    ...(constants.length === 0 ? [] : [`"constants": ${block(constants)}`]),
    ...(ir.symbols === undefined ? [] : [`"symbols": ${block([...ir.symbols].map(symbolText))}`]),
    ...(ir.mutations === undefined ? [] : [`"mutations": ${list(ir.mutations.map(mutationText), "  ")}`]),
    ...nested.of(ir),
  ];
  return `{\n${parts.map((part) => `  ${part}`).join(",\n")}\n}\n`;
}

const signatureTexts = ({ graphInputs, graphOutputs }: Omit<JsonIRGraph, "result">): readonly string[] => [
  `"graph_inputs": ${list(graphInputs.map(tensorText), "  ")}`,
  `"graph_outputs": ${list(graphOutputs.map(tensorText), "  ")}`,
];

/** Characters of nested graphs that a text may repeat. */
const MOST_REPEATED = 2 ** 24;

/** The texts of nested graphs. One that stands in several places is written once for each. */
class NestedTexts {
  readonly #known = new Map<JsonIRGraph, string>();
  readonly #open = new Set<JsonIRGraph>();
  #repeated = 0;

  /**
   * Returns the field of nested graphs; none where there are none. @throws SconceError
   * `JSON_IR_UNSUPPORTED`
   */
  of({ subgraphs }: Omit<JsonIRGraph, "result">): readonly string[] {
    if (subgraphs === undefined) return [];
    const entries = [...subgraphs].map(([name, graph]) => `    ${text(name)}: ${this.#text(graph, name)}`);
    return [`"subgraphs": ${block(entries)}`];
  }

  #text(graph: JsonIRGraph, name: string): string {
    const known = this.#known.get(graph);
    if (known !== undefined) {
      this.#repeated += known.length;
      if (this.#repeated > MOST_REPEATED)
        throw this.#refuse(
          name,
          `so many that the text would repeat more than ${MOST_REPEATED / 2 ** 20} MiB`,
        );
      return known;
    }
    if (this.#open.has(graph) || this.#open.size >= DEEPEST_SUBGRAPH)
      throw this.#refuse(name, `deeper than ${DEEPEST_SUBGRAPH} within each other`);
    this.#open.add(graph);
    const parts = [
      ...signatureTexts(graph),
      ...(graph.result === undefined ? [] : [`"result": ${attributeText(graph.result)}`]),
      `"nodes": ${list(graph.nodes.map(nodeText), "  ")}`,
      ...this.of(graph),
    ];
    // Names and texts have no line ends, so each of them begins a line of the graph.
    const result = `{\n${parts.map((part) => `  ${part}`).join(",\n")}\n}`.replaceAll("\n", "\n    ");
    this.#open.delete(graph);
    this.#known.set(graph, result);
    return result;
  }

  #refuse(name: string, how: string): SconceError {
    return jsonIRUnsupported(
      `nested graphs stand ${how}`,
      `graph "${name}"`,
      "save the program as IR text (.sir)",
    );
  }
}

const list = (items: readonly string[], indent: string): string =>
  items.length === 0 ? "[]" : `[\n${items.map((item) => `${indent}  ${item}`).join(",\n")}\n${indent}]`;

const block = (lines: readonly string[]): string =>
  lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n  }`;

const fields = ({ name, shape, dtype, scalar }: JsonIRTensor): string => {
  const type = `"name": ${text(name)}, "shape": [${shape.map(sizeText).join(", ")}], "dtype": ${text(dtype)}`;
  return scalar === undefined ? type : `${type}, "scalar": ${scalarText(scalar)}`;
};

/** Returns a size: a number, or a text that reads back as the same expression. */
function sizeText(size: IntLike | FloatLike | BoolLike): string {
  if (!(size instanceof SymExpr)) return typeof size === "number" ? floatOrInt(size) : String(size);
  const [plain, exact] = [printExpr(size), toSrepr(size)];
  return text(isSame(plain, exact) ? plain : exact);
}

function isSame(plain: string, exact: string): boolean {
  try {
    return toSrepr(parseSrepr(plain)) === exact;
  } catch {
    return false;
  }
}

const floatOrInt = (value: number): string => (Number.isInteger(value) ? String(value) : floatText(value));

/** Returns the value of a scalar; a float always has a point. */
const scalarText = ({ kind, expr }: SymScalar): string =>
  kind === "SymFloat" && typeof expr === "number" ? floatText(expr) : sizeText(expr);

const symbolText = ([name, symbol]: readonly [string, JsonIRSymbol]): string => {
  const { min, max, exact, float, hint } = symbol;
  const parts = [
    ...(Number.isFinite(min) ? [`"min": ${exact?.min ?? boundText(min)}`] : []),
    ...(Number.isFinite(max) ? [`"max": ${exact?.max ?? boundText(max)}`] : []),
    ...(float === true ? ['"float": true'] : []),
    ...(hint === undefined ? [] : [`"hint": ${hint}`]),
  ];
  return `    ${text(name)}: {${parts.join(", ")}}`;
};

/** Integers past 2^53 have all their digits, as texts of bounds have. */
const boundText = (bound: number): string =>
  Number.isInteger(bound) ? String(BigInt(bound)) : floatText(bound);

const mutationText = (mutation: JsonIRMutation): string =>
  `{${fields(mutation)},\n     "kind": ${text(mutation.kind)}, "target": ${text(mutation.target)}}`;

const tensorText = (tensor: JsonIRTensor): string => `{${fields(tensor)}}`;

function inputText(input: JsonIRInput): string {
  if (input.producerNode === undefined) return tensorText(input);
  const producer = `"producer_node": ${text(input.producerNode)}, "producer_output_idx": ${input.producerOutputIdx ?? 0}`;
  return `{${fields(input)},\n         ${producer}}`;
}

function nodeText({ name, opType, inputs, outputs, attrs }: JsonIRNode): string {
  const given = [...attrs].map(([key, value]) => `${text(key)}: ${attributeText(value)}`);
  const lines = [
    `"name": ${text(name)}`,
    `"op_type": ${text(opType)}`,
    `"inputs": ${list(inputs.map(inputText), "      ")}`,
    `"outputs": ${list(outputs.map(tensorText), "      ")}`,
    `"attrs": {${given.join(", ")}}`,
  ];
  return `{\n${lines.map((line) => `      ${line}`).join(",\n")}\n    }`;
}

function attributeText(value: JsonIRAttribute): string {
  if (Array.isArray(value)) return `[${(value as readonly JsonIRAttribute[]).map(attributeText).join(", ")}]`;
  if (typeof value === "number" && !Number.isInteger(value)) return floatText(value);
  if (isInt(value)) return String(int(value));
  if (typeof value === "string") return text(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return taggedText(value as JsonIRTagged, attributeText);
}

function constantText(name: string, tensor: Tensor): string {
  const { dtype, shape } = tensor;
  if (isComplexDType(dtype))
    throw jsonIRUnsupported(
      `the constant "${name}" is complex`,
      `constants.${name}`,
      "make it a buffer of the model",
    );
  const elements = tensor.toArray();
  const write = elementText(dtype);
  let next = 0;
  const level = (dim: number): string =>
    dim === shape.length
      ? write(elements[next++]!)
      : `[${Array.from({ length: shape[dim]! }, () => level(dim + 1)).join(", ")}]`;
  return `{"data": ${level(0)}, "dtype": ${text(dtype)}}`;
}

/** Returns how an element of a dtype is written. */
function elementText(dtype: DType): (value: Element) => string {
  if (dtypeInfo(dtype).kind !== "float") return String;
  const rounding = ROUNDINGS[dtype];
  return (value) =>
    floatText(rounding === undefined ? (value as number) : shortest(value as number, rounding));
}

interface Rounding {
  /** Decimal digits that a value needs at most. */
  readonly digits: number;
  readonly round: (value: number) => number;
}

const ROUNDINGS: Readonly<Partial<Record<DType, Rounding>>> = {
  float32: { digits: 9, round: Math.fround },
  float16: { digits: 5, round: (value) => float16ToNumber(numberToFloat16(value)) },
  bfloat16: { digits: 4, round: (value) => bfloat16ToNumber(numberToBfloat16(value)) },
};

/** Texts have no exponent up to here: integers are written whole. */
const SHORT_INTEGER = 1e16;
/** Below the normal numbers of all these dtypes but float16, whose digits are few. */
const TINY = 1e-4;

/** Returns the number with the fewest digits that rounds to the value. */
function shortest(value: number, { digits, round }: Rounding): number {
  const isShort = Number.isInteger(value) && Math.abs(value) < SHORT_INTEGER;
  if (isShort || !Number.isFinite(value)) return value;
  // Values with fewer digits than this come out with zeros, which parsing drops; those near zero
  // have few digits that count.
  for (let count = Math.abs(value) < TINY ? 1 : digits - 3; count < digits; count++) {
    const candidate = Number(value.toPrecision(count));
    if (round(candidate) === value) return candidate;
  }
  return Number(value.toPrecision(digits));
}
