import { isSconceError, thrownText } from "@sconce/errors";
import { parseGuard, parseSrepr } from "@sconce/symbolic";
import { dtypeInfo, numel, requiredBytes, Tensor } from "@sconce/tensor";
import { sameValues } from "@sconce/tensor/compare";
import { irTensor, unreadableExamples } from "../graph/errors.js";
import type { Graph } from "../graph/graph.js";
import { ExportedProgram } from "../program/program.js";
import {
  type ExampleInputs,
  type ExportedProgramInit,
  type ModuleCallEntry,
  type RangeConstraint,
  rangeConstraint,
} from "../program/program-parts.js";
import type { InputSpec, OutputSpec } from "../program/signature.js";
import { mayOverlap } from "../support/overlap.js";
import type { Argument } from "../values/argument.js";
import type { Cursor } from "./cursor.js";
import { exampleKeys } from "./print-program.js";
import { parseCall, parseInput, parseOutput } from "./signature-syntax.js";
import { NO_VALUES, parseStaticTensor, type StaticTensor } from "./types.js";
import { parseValue } from "./values.js";

/** Bytes that the holes in the layouts of tensors may take. */
export const MAX_HOLES = 64 * 2 ** 20;

/** Returns a list of texts in brackets. */
function parseTexts(cursor: Cursor): string[] {
  cursor.expect("[");
  return cursor.list("]", () => cursor.string());
}

/** Numbers of dimensions in brackets. */
function parseDims(cursor: Cursor): number[] {
  cursor.expect("[");
  return cursor.list("]", () => cursor.integer("a dimension"));
}

/** The program block, gathered line by line. */
export class ProgramDraft {
  readonly #tensors: ReadonlyMap<string, Tensor> | undefined;
  #holes = 0;
  #dialect = "";
  #torchVersion: string | undefined;
  readonly #opset = new Map<string, number>();
  readonly #fields = new Map<string, readonly string[]>();
  readonly #notes = new Map<string, string>();
  readonly #ranges = new Map<string, RangeConstraint>();
  readonly #hints = new Map<string, number>();
  readonly #unused: string[] = [];
  readonly #guards: string[] = [];
  readonly #state = new Map<string, Tensor>();
  readonly #parameters = new Set<string>();
  readonly #constants = new Map<string, Tensor>();
  readonly #inputs: InputSpec[] = [];
  readonly #outputs: OutputSpec[] = [];
  readonly #calls: ModuleCallEntry[] = [];
  /** Tensors are taken once the names of all weights are known. */
  #examples: ((() => Tensor) | Argument)[] | undefined;
  #keyOf: ((position: number) => string) | undefined;
  readonly #marks = new Map<number, readonly number[]>();
  #unreadable: ExampleInputs | undefined;

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
      unusedSymbols: this.#unused,
      moduleCallGraph: this.#calls,
      guardsCode: this.#guards,
      exampleInputs: this.#unreadable ?? this.#exampleInputs(),
      dialect: this.#dialect,
      torchVersion: this.#torchVersion,
      opsetVersion: Object.fromEntries(this.#opset),
      namedTupleFields: this.#fields,
      graphMetadata: Object.fromEntries(this.#notes),
    };
    return new ExportedProgram(init);
  }

  #line(cursor: Cursor, word: string, withTensors: boolean): void {
    switch (word) {
      case "torch":
        this.#torchVersion = cursor.string();
        return;
      case "opset":
        setOnce(cursor, this.#opset, cursor.string(), () => cursor.integer("a version"));
        return;
      case "fields":
        setOnce(cursor, this.#fields, cursor.string(), () => parseTexts(cursor));
        return;
      case "note":
        setOnce(cursor, this.#notes, cursor.string(), () => cursor.string());
        return;
      case "range":
        setOnce(cursor, this.#ranges, rangeKey(cursor), () => parseRange(cursor));
        return;
      case "hint":
        setOnce(cursor, this.#hints, cursor.string(), () => parseNumber(cursor));
        return;
      case "guard":
        this.#guards.push(guardText(cursor));
        return;
      case "unused":
        this.#unused.push(cursor.string());
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
        if (cursor.acceptWord("unreadable")) this.#unreadable = unreadable(cursor.string(), cursor.string());
        else this.#examples = [];
        return;
      case "example":
        this.#example(cursor, withTensors);
        return;
      default:
        throw cursor.fail(`${JSON.stringify(word)} is not a line of a program`);
    }
  }

  #exampleInputs(): ExampleInputs | null {
    if (this.#examples === undefined) return null;
    const leaves = this.#examples.map((leaf) => (typeof leaf === "function" ? leaf() : leaf));
    return this.#marks.size === 0 ? { leaves } : { leaves, markedDims: this.#marks };
  }

  #tensorLine(cursor: Cursor, kind: "parameter" | "buffer" | "constant", withTensors: boolean): void {
    const name = cursor.string();
    cursor.expect(":");
    const type = parseStaticTensor(cursor);
    const marked = cursor.acceptWord(NO_VALUES);
    if (!withTensors) return;
    const tensors = kind === "constant" ? this.#constants : this.#state;
    setOnce(cursor, tensors, name, () => this.#tensor(name, type, marked));
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
    const marked = cursor.acceptWord(NO_VALUES);
    if (cursor.acceptWord("marked")) this.#marks.set(leaves.length, parseDims(cursor));
    const position = leaves.length;
    if (withTensors) leaves.push(() => this.#tensor(this.#exampleKey(position), type, marked));
  }
  #exampleKey(position: number): string {
    this.#keyOf ??= exampleKeys([...this.#state.keys(), ...this.#constants.keys()]);
    return this.#keyOf(position);
  }

  /** `marked`: the text says that the tensor has no values; it still takes those that are given. */
  #tensor(key: string, type: StaticTensor, marked: boolean): Tensor {
    const { dtype, shape, strides, storageOffset, requiresGrad } = type;
    const given = this.#tensors?.get(key);
    if (given === undefined) {
      if (this.#tensors !== undefined && !marked)
        throw irTensor(key, "is not among the tensors given with the text");
      return Tensor.withoutValues({ dtype, shape, strides, storageOffset, requiresGrad });
    }
    if (given.dtype !== dtype || given.shape.join() !== shape.join()) {
      throw irTensor(
        key,
        `is ${given.dtype}[${given.shape.join(", ")}] beside the text but ${dtype}[${shape.join(", ")}] in it`,
      );
    }
    // Safetensors keep values, but neither this flag nor how they lay in memory.
    const laid = this.#fitsLayout(type) ? given.withLayout(strides, storageOffset) : given;
    if (mayOverlap(shape, strides) && !sameValues(laid, given))
      throw irTensor(key, `has values that strides [${strides.join(", ")}] would lay over each other`);
    return laid.requiresGrad === requiresGrad ? laid : new Tensor({ ...laid, requiresGrad });
  }

  /**
   * Returns whether a layout takes no more room than its values, but for what holes may take
   * together.
   */
  #fitsLayout({ dtype, shape, strides, storageOffset }: StaticTensor): boolean {
    const { itemSize } = dtypeInfo(dtype);
    const extra = requiredBytes(shape, strides, storageOffset, itemSize) - numel(shape) * itemSize;
    if (!(Math.max(extra, 0) + this.#holes <= MAX_HOLES)) return false;
    this.#holes += Math.max(extra, 0);
    return true;
  }
}

/**
 * Adds what a line declares. A second line with the name would hide the first.
 * @throws SconceError `IR_SYNTAX`
 */
function setOnce<V>(cursor: Cursor, map: Map<string, V>, name: string, read: () => V): void {
  if (map.has(name)) throw cursor.fail(`${JSON.stringify(name)} is declared twice`);
  map.set(name, read());
}

/** Returns a guard, kept as text; that it can be read is checked here. */
function guardText(cursor: Cursor): string {
  return checked(cursor, "guard", (text) => parseGuard(text, { budget: cursor.budget }));
}

/** Returns the expression that a range is for, kept as text. */
function rangeKey(cursor: Cursor): string {
  return checked(cursor, "range", (text) => parseSrepr(text, { budget: cursor.budget }));
}

/** Returns the string here, which `read` must accept. @throws SconceError `IR_SYNTAX` */
function checked(cursor: Cursor, what: string, read: (text: string) => unknown): string {
  cursor.skip();
  const start = cursor.at;
  const text = cursor.string();
  try {
    read(text);
    return text;
  } catch (error) {
    if (isSconceError(error, "BUDGET_EXCEEDED")) throw error.at(cursor.place(start));
    throw cursor.fail(`the ${what} cannot be read: ${thrownText(error)}`, start);
  }
}

function parseNumber(cursor: Cursor): number {
  const number = cursor.number();
  if (number === undefined) throw cursor.fail(`expected a number, found ${cursor.found()}`);
  return number.value;
}

function parseRange(cursor: Cursor): RangeConstraint {
  cursor.expect("[");
  const min = parseBound(cursor);
  cursor.expect(",");
  const max = parseBound(cursor);
  cursor.expect("]");
  const range = rangeConstraint(min, max);
  return cursor.acceptWord("float") ? { ...range, float: true } : range;
}

function parseBound(cursor: Cursor): number | bigint {
  const number = cursor.number();
  if (number === undefined) throw cursor.fail(`expected a number, found ${cursor.found()}`);
  const isPast = !number.isFloat && !Number.isSafeInteger(number.value);
  return isPast ? BigInt(number.text) : number.value;
}

/**
 * Sample inputs that the file the text was made of does not let anyone read: asking for them says
 * why, as there.
 */
const unreadable = (code: string, message: string): ExampleInputs => ({
  get leaves(): never {
    throw unreadableExamples(code, message);
  },
});
