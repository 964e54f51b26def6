import { dtypeInfo, requiredBytes, Storage, Tensor } from "@sconce/tensor";
import type { Argument } from "../argument.js";
import { irTensor } from "../errors.js";
import type { Graph } from "../graph.js";
import type { NodeMeta } from "../meta.js";
import {
  ExportedProgram,
  type ExportedProgramInit,
  type ModuleCallEntry,
  type RangeConstraint,
} from "../program.js";
import type { ArgumentSpec, InputKind, InputSpec, OutputKind, OutputSpec } from "../signature.js";
import { Cursor } from "./cursor.js";
import { parseSymbol, type Symbols } from "./expressions.js";
import { parseMetadata } from "./metadata.js";
import { finishGraph, type GraphDraft, parseGraphBody } from "./parse-graph.js";
import { exampleKey } from "./print-program.js";
import { parseTree } from "./tree.js";
import { parseStaticTensor, parseValue, type StaticTensor } from "./values.js";

/** What {@link parseIr} reads with the text. */
export interface ParseIrOptions {
  /**
   * Tensors that lie beside the text, by key. Without any, declared tensors are zeros, as tests of passes want them:
   * at most {@link MAX_ZEROS} bytes together.
   */
  readonly tensors?: ReadonlyMap<string, Tensor> | undefined;
}

/** Bytes that declared tensors without values may take. */
export const MAX_ZEROS = 64 * 2 ** 20;

/**
 * Reads a graph, `graph(%x: f32[4]) { ... }`, with `symbol` lines before it and a metadata table after it if wanted.
 * @throws SconceError `IR_SYNTAX` with line and column
 */
export function parseGraph(text: string): Graph {
  const { cursor, graph, metadata } = parseFile(text, undefined);
  return finishGraph(cursor, graph, metadata);
}

/**
 * Reads a program, what `printIr` writes.
 * @throws SconceError `IR_SYNTAX` with line and column, `IR_TENSOR`
 */
export function parseIr(text: string, options: ParseIrOptions = {}): ExportedProgram {
  const { cursor, graph, metadata, program } = parseFile(text, new ProgramDraft(options.tensors));
  if (program === undefined) throw cursor.fail("the text has a graph but no program block", 0);
  return program.finish(finishGraph(cursor, graph, metadata));
}

interface IrFile {
  readonly cursor: Cursor;
  readonly graph: GraphDraft;
  readonly metadata: ReadonlyMap<number, NodeMeta>;
  readonly program: ProgramDraft | undefined;
}

function parseFile(text: string, draft: ProgramDraft | undefined): IrFile {
  const cursor = new Cursor(text);
  const symbols: Symbols = new Map();
  parseHeader(cursor);
  while (cursor.acceptWord("symbol")) parseSymbol(cursor, symbols);
  let program: ProgramDraft | undefined;
  if (cursor.acceptWord("program")) {
    (draft ?? new ProgramDraft(new Map())).parse(cursor, draft !== undefined);
    program = draft;
  }
  if (!cursor.acceptWord("graph")) throw cursor.fail(`expected graph, found ${cursor.found()}`);
  const graph = parseGraphBody(cursor, symbols);
  const metadata = cursor.acceptWord("metadata") ? parseMetadata(cursor) : new Map<number, NodeMeta>();
  if (!cursor.done) throw cursor.fail(`expected the end of the text, found ${cursor.found()}`);
  return { cursor, graph, metadata, program };
}

function parseHeader(cursor: Cursor): void {
  if (!cursor.accept("sconce-ir")) return;
  const version = cursor.integer("the version of the format");
  if (version !== 1) throw cursor.fail(`version ${version} of the format is not known, only 1 is`);
}

const INPUT_KINDS: readonly InputKind[] = [
  "USER_INPUT",
  "PARAMETER",
  "BUFFER",
  "CONSTANT_TENSOR",
  "CUSTOM_OBJ",
  "TOKEN",
];
const OUTPUT_KINDS: readonly OutputKind[] = [
  "USER_OUTPUT",
  "LOSS_OUTPUT",
  "BUFFER_MUTATION",
  "PARAMETER_MUTATION",
  "GRADIENT_TO_PARAMETER",
  "GRADIENT_TO_USER_INPUT",
  "USER_INPUT_MUTATION",
  "TOKEN",
];

/** The program block, gathered line by line. */
class ProgramDraft {
  readonly #tensors: ReadonlyMap<string, Tensor> | undefined;
  #zeros = 0;
  #dialect = "";
  #torchVersion: string | undefined;
  readonly #opset: [string, number][] = [];
  readonly #ranges = new Map<string, RangeConstraint>();
  readonly #hints = new Map<string, number>();
  readonly #guards: string[] = [];
  readonly #state = new Map<string, Tensor>();
  readonly #parameters = new Set<string>();
  readonly #constants = new Map<string, Tensor>();
  readonly #inputs: InputSpec[] = [];
  readonly #outputs: OutputSpec[] = [];
  readonly #calls: ModuleCallEntry[] = [];
  #examples: (Tensor | Argument)[] | undefined;

  constructor(tensors: ReadonlyMap<string, Tensor> | undefined) {
    this.#tensors = tensors;
  }

  parse(cursor: Cursor, withTensors: boolean): void {
    this.#dialect = cursor.string();
    cursor.expect("{");
    while (!cursor.accept("}")) this.#line(cursor, cursor.word("a line of the program"), withTensors);
  }

  finish(graph: Graph): ExportedProgram {
    const init: ExportedProgramInit = {
      graph,
      graphSignature: { inputSpecs: this.#inputs, outputSpecs: this.#outputs },
      stateDict: this.#state,
      parameterNames: this.#parameters,
      constants: this.#constants,
      rangeConstraints: this.#ranges,
      symbolHints: this.#hints,
      moduleCallGraph: this.#calls,
      guardsCode: this.#guards,
      exampleInputs: this.#examples === undefined ? null : { leaves: this.#examples },
      dialect: this.#dialect,
      torchVersion: this.#torchVersion,
      opsetVersion: Object.fromEntries(this.#opset),
    };
    return new ExportedProgram(init);
  }

  #line(cursor: Cursor, word: string, withTensors: boolean): void {
    switch (word) {
      case "torch":
        this.#torchVersion = cursor.string();
        return;
      case "opset":
        this.#opset.push([cursor.string(), cursor.integer("a version")]);
        return;
      case "range":
        this.#ranges.set(cursor.string(), parseRange(cursor));
        return;
      case "hint":
        this.#hints.set(cursor.string(), parseNumber(cursor));
        return;
      case "guard":
        this.#guards.push(cursor.string());
        return;
      case "parameter":
      case "buffer":
      case "constant":
        this.#tensorLine(cursor, word, withTensors);
        return;
      case "input":
        this.#inputs.push(parseInput(cursor));
        return;
      case "output":
        this.#outputs.push(parseOutput(cursor));
        return;
      case "call":
        this.#calls.push(parseCall(cursor));
        return;
      case "examples":
        this.#examples = [];
        return;
      case "example":
        this.#example(cursor, withTensors);
        return;
      default:
        throw cursor.fail(`${JSON.stringify(word)} is no line of a program`);
    }
  }

  #tensorLine(cursor: Cursor, kind: "parameter" | "buffer" | "constant", withTensors: boolean): void {
    const name = cursor.string();
    cursor.expect(":");
    const type = parseStaticTensor(cursor);
    if (!withTensors) return;
    (kind === "constant" ? this.#constants : this.#state).set(name, this.#tensor(name, type));
    if (kind === "parameter") this.#parameters.add(name);
  }

  #example(cursor: Cursor, withTensors: boolean): void {
    this.#examples ??= [];
    const leaves = this.#examples;
    if (!cursor.acceptWord("tensor")) {
      leaves.push(parseValue(cursor));
      return;
    }
    const type = parseStaticTensor(cursor);
    if (withTensors) leaves.push(this.#tensor(exampleKey(leaves.length), type));
  }

  #tensor(key: string, type: StaticTensor): Tensor {
    const { dtype, shape, strides, storageOffset, requiresGrad } = type;
    if (this.#tensors === undefined) {
      const bytes = requiredBytes(shape, strides, storageOffset, dtypeInfo(dtype).itemSize);
      this.#zeros += bytes;
      if (!(this.#zeros <= MAX_ZEROS))
        throw irTensor(key, `and those before it would take more than ${MAX_ZEROS} bytes of zeros`);
      return new Tensor({
        dtype,
        shape,
        strides,
        storageOffset,
        storage: Storage.allocate(bytes),
        requiresGrad,
      });
    }
    const given = this.#tensors.get(key);
    if (given === undefined) throw irTensor(key, "is not among the tensors given with the text");
    if (given.dtype !== dtype || given.shape.join() !== shape.join()) {
      throw irTensor(
        key,
        `is ${given.dtype}[${given.shape.join(", ")}] beside the text but ${dtype}[${shape.join(", ")}] in it`,
      );
    }
    if (given.requiresGrad === requiresGrad) return given;
    // Safetensors keep values but not this flag; the layout in memory is that of the values given.
    return new Tensor({ ...given, requiresGrad });
  }
}

function parseNumber(cursor: Cursor): number {
  const number = cursor.number();
  if (number === undefined) throw cursor.fail(`expected a number, found ${cursor.found()}`);
  return number.text === "inf" ? Infinity : number.text === "-inf" ? -Infinity : Number(number.text);
}

function parseRange(cursor: Cursor): RangeConstraint {
  cursor.expect("[");
  const min = parseNumber(cursor);
  cursor.expect(",");
  const max = parseNumber(cursor);
  cursor.expect("]");
  return cursor.acceptWord("float") ? { min, max, float: true } : { min, max };
}

function parseSpec(cursor: Cursor): ArgumentSpec {
  if (cursor.sees("%")) return { kind: "tensor", name: cursor.name() };
  const start = cursor.at;
  const kind = cursor.word("a kind of argument");
  const name = cursor.name();
  switch (kind) {
    case "symint":
    case "symfloat":
    case "symbool":
    case "token":
      return { kind, name };
    case "custom_obj":
      cursor.expect("=");
      return { kind, name, classFqn: cursor.string() };
    case "constant":
      cursor.expect("=");
      return { kind, name, value: parseValue(cursor) };
    default:
      throw cursor.fail(`${JSON.stringify(kind)} is no kind of argument`, start);
  }
}

function parseKind<K extends string>(cursor: Cursor, kinds: readonly K[]): K {
  cursor.expect(":");
  const start = cursor.at;
  const word = cursor.word("a kind");
  const kind = kinds.find((known) => known === word);
  if (kind === undefined) throw cursor.fail(`${JSON.stringify(word)} is none of ${kinds.join(", ")}`, start);
  return kind;
}

const parseTarget = (cursor: Cursor): string | null => (cursor.sees('"') ? cursor.string() : null);

function parseInput(cursor: Cursor): InputSpec {
  const arg = parseSpec(cursor);
  const kind = parseKind(cursor, INPUT_KINDS);
  const target = parseTarget(cursor);
  const persistent = cursor.acceptWord("persistent") ? true : cursor.acceptWord("transient") ? false : null;
  return { kind, arg, target, persistent };
}

function parseOutput(cursor: Cursor): OutputSpec {
  const arg = parseSpec(cursor);
  return { kind: parseKind(cursor, OUTPUT_KINDS), arg, target: parseTarget(cursor) };
}

function parseCall(cursor: Cursor): ModuleCallEntry {
  const fqn = cursor.string();
  if (!cursor.sees("*") && !cursor.sees("(") && !cursor.sees("[") && !cursor.sees("{") && !cursor.sees('"'))
    return { fqn, signature: null };
  const inSpec = parseTree(cursor);
  cursor.expect("->");
  const outSpec = parseTree(cursor);
  const list = <T>(word: string, item: () => T): T[] | undefined => {
    if (!cursor.acceptWord(word)) return undefined;
    cursor.expect("[");
    return cursor.list("]", item);
  };
  const forwardArgNames = list("names", () => cursor.string()) ?? null;
  const inputs = list("inputs", () => parseSpec(cursor)) ?? [];
  const outputs = list("outputs", () => parseSpec(cursor)) ?? [];
  return { fqn, signature: { inputs, outputs, inSpec, outSpec, forwardArgNames } };
}
