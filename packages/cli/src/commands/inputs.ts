/** @file The inputs of `sconce run`: from files, as JSON, drawn, or those of the export. */
import { Budget, parsePlainJson, type SconceError } from "@sconce/errors";
import { type ExportedProgram, unwrapFloat, type Value } from "@sconce/ir";
import { exampleInputs, randomInputs } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { usage } from "../errors.js";
import { readBytes } from "../input-file.js";
import { openTensors } from "../open.js";
import { scalarOfJson } from "../scalar-json.js";
import {
  atInput,
  inputGivenTwice,
  inputValue,
  missingInput,
  noExampleInputs,
  unknownInput,
  unknownPosition,
} from "./input-errors.js";
import { findInput, type NamedInput, namedInputs } from "./input-names.js";
import { boundedJson, tensorOfJson } from "./json-values.js";
import { readNpy } from "./npy.js";

/** The options that say what a program runs on. */
export interface InputOptions {
  /** A file of tensors by position or name. */
  readonly inputs?: string | undefined;
  /** `NAME=FILE` or `NAME=JSON`. */
  readonly input?: readonly string[];
  readonly scalars?: string | undefined;
  readonly samples?: boolean;
  readonly random?: string;
  /** `SYMBOL=N`. */
  readonly size?: readonly string[];
}

/** Returns whether an option says what a program runs on. */
export const givesInputs = (options: InputOptions): boolean =>
  [options.inputs, options.input, options.scalars, options.samples, options.random].some(
    (option) => option !== undefined,
  );

/**
 * Returns the user inputs in flattened order. Those that are given by name come first, then those
 * of the export or drawn ones where an option says so. Constants of the export need not be given.
 *
 * @throws SconceError `MISSING_INPUT`, `UNKNOWN_INPUT`, `INPUT_VALUE`, `NO_SAMPLE_INPUTS`, `USAGE`
 */
export async function readInputs(program: ExportedProgram, options: InputOptions): Promise<Value[]> {
  const inputs = namedInputs(program);
  const given = new Given(inputs);
  const file = await given.addFile(options.inputs);
  for (const text of options.input ?? []) await given.addNamed(text);
  for (const [position, value] of parseScalars(options.scalars)) given.addScalar(position, value);
  const others = otherInputs(program, options, given.sizes());
  if (others !== undefined && file.stray.length > 0)
    throw unknownInput(file.stray[0]!, inputs, options.inputs);
  return inputs.map((input, i) => {
    const value = given.values.get(i) ?? others?.[i];
    if (value !== undefined) return value;
    const { arg } = input.leaf.spec;
    if (arg.kind === "constant") return unwrapFloat(arg.value) as Value;
    throw missingInput(i, inputs, file.names);
  });
}

/** Inputs for what is not given by name; random ones fit the sizes of those that are. */
function otherInputs(
  program: ExportedProgram,
  options: InputOptions,
  givenSizes: ReadonlyMap<string, number>,
): readonly Value[] | undefined {
  const { samples, random, size = [] } = options;
  if (random === undefined && size.length > 0)
    throw usage("--size is of use with --random only", "give --random SEED, too");
  if (samples === true && random !== undefined)
    throw usage("--samples and --random both give the inputs", "leave one of them out");
  if (random !== undefined) {
    const sizes = new Map([...givenSizes, ...sizesOf(size)]);
    return randomInputs(program, { seed: seedOf(random), sizes });
  }
  if (samples !== true) return undefined;
  const found = exampleInputs(program);
  if (found === undefined) throw noExampleInputs();
  return found;
}

/** Values by position; each may be given once. */
class Given {
  readonly values = new Map<number, Value>();
  readonly #inputs: readonly NamedInput[];

  constructor(inputs: readonly NamedInput[]) {
    this.#inputs = inputs;
  }

  /**
   * Reads tensors by position or name; returns the names of the file, and those that name no input.
   */
  async addFile(path: string | undefined): Promise<{ names: readonly string[]; stray: readonly string[] }> {
    if (path === undefined) return { names: [], stray: [] };
    const tensors = await openTensors(path);
    const stray: string[] = [];
    for (const [name, tensor] of tensors) {
      const found = findInput(this.#inputs, name);
      if (found !== undefined) this.#add(found, tensor);
      else if (isPosition(name)) throw unknownPosition(name, this.#inputs.length);
      else stray.push(name);
    }
    return { names: [...tensors.keys()], stray };
  }

  /** Reads `NAME=VALUE`, where the value is a file or JSON. */
  async addNamed(text: string): Promise<void> {
    const [name, value] = this.#split(text);
    const position = findInput(this.#inputs, name);
    if (position === undefined) throw unknownInput(name, this.#inputs, "--input");
    this.#add(position, await readValue(value, this.#inputs[position]!));
  }

  /** Returns the symbols that are sizes of the tensors, with their values. */
  sizes(): Map<string, number> {
    const sizes = new Map<string, number>();
    for (const [i, value] of this.values) {
      if (!(value instanceof Tensor)) continue;
      this.#inputs[i]!.fake?.shape.forEach((size, d) => {
        const symbol = typeof size === "number" ? "" : String(size);
        if (/^\w+$/.test(symbol) && value.shape[d] !== undefined) sizes.set(symbol, value.shape[d]);
      });
    }
    return sizes;
  }

  addScalar(position: number, value: Value): void {
    if (position >= this.#inputs.length) throw unknownPosition(`i${position}`, this.#inputs.length);
    this.#add(position, value);
  }

  /** Names may have an equals sign: the longest name that the text begins with counts. */
  #split(text: string): readonly [string, string] {
    const names = this.#inputs.flatMap(({ position, name, path, leaf }) => [
      position,
      name,
      path,
      leaf.place,
    ]);
    const [longest] = names.filter((name) => text.startsWith(`${name}=`)).sort((a, b) => b.length - a.length);
    const at = longest?.length ?? text.indexOf("=");
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
    throw usage(
      `--input ${JSON.stringify(text)} has no name and value`,
      "write --input NAME=FILE.safetensors, --input NAME=FILE.npy or --input 'NAME=[[1, 2], [3, 4]]'",
    );
  }

  #add(position: number, value: Value): void {
    if (this.values.has(position)) throw inputGivenTwice(this.#inputs[position]!);
    this.values.set(position, value);
  }
}

const isPosition = (name: string): boolean => /^i\d+$/.test(name);

async function readValue(text: string, input: NamedInput): Promise<Value> {
  try {
    if (text.endsWith(".safetensors")) return tensorOfFile(await openTensors(text), input, text);
    if (text.endsWith(".npy")) return readNpy(await readBytes(text));
    return input.fake === undefined
      ? scalarOf(boundedJson(text), "--input")
      : tensorOfJson(text, input.fake.dtype);
  } catch (error) {
    throw atInput(error instanceof SyntaxError ? notJson(text, error) : error, input);
  }
}

function notJson(text: string, cause: SyntaxError): SconceError {
  const shown = text.length > 60 ? `${text.slice(0, 60)}...` : text;
  const why = `is not JSON, nor a .safetensors or .npy file: ${cause.message}`;
  return inputValue(`${JSON.stringify(shown)} ${why}`, cause);
}

/** Returns the tensor of the input's name or position, or the only one. */
function tensorOfFile(tensors: ReadonlyMap<string, Tensor>, input: NamedInput, path: string): Tensor {
  const { position, name, path: way } = input;
  const found =
    tensors.get(name) ??
    tensors.get(way) ??
    tensors.get(position) ??
    (tensors.size === 1 ? [...tensors.values()][0] : undefined);
  if (found !== undefined) return found;
  throw inputValue(
    `${path} has no tensor ${name} or ${position}: it has ${[...tensors.keys()].slice(0, 10).join(", ") || "none"}`,
  );
}

const SHAPE = 'write an object of positions, for example {"1": 3, "2": 0.5, "3": {"float": "inf"}}';

/** Values that --scalars may have. */
const MOST_VALUES = 10_000;

function parseScalars(text: string | undefined): Map<number, Value> {
  if (text === undefined) return new Map();
  const values = parsePlainJson(text, {
    budget: new Budget(text.length, { nodes: MOST_VALUES }),
    depth: 4,
    unique: true,
    fail: (message, at, cause) => usage(`--scalars, character ${at}: ${message}`, SHAPE, cause),
  });
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    throw usage("--scalars is not a JSON object", SHAPE);
  }
  return new Map(
    Object.entries(values).map(([position, value]) => [positionOf(position), scalarOf(value, "--scalars")]),
  );
}

function positionOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usage(`--scalars: ${JSON.stringify(text)} is not a position of an input`, SHAPE);
}

function scalarOf(value: unknown, option: string): Value {
  const scalar = scalarOfJson(value);
  if (scalar === undefined) throw usage(`${option}: cannot read ${JSON.stringify(value)}`, SHAPE);
  return scalar;
}

/** Returns a whole number from 0 to 2^32 - 1. */
function seedOf(text: string): number {
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 32) return Number(text);
  throw usage(`--random: ${JSON.stringify(text)} is not a seed`, "give a whole number from 0 to 4294967295");
}

function sizesOf(texts: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    texts.map((text) => {
      const [, symbol, size] = /^(\w+)=(\d{1,15})$/.exec(text) ?? [];
      if (symbol !== undefined) return [symbol, Number(size)];
      throw usage(`--size ${JSON.stringify(text)} is not a symbol and a size`, "write --size s0=4");
    }),
  );
}

/** Returns a number of at least 0. @throws SconceError `USAGE` */
export function tolerance(text: string, option: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw usage(
    `${option} must be a number of at least 0, got "${text}"`,
    `give ${option} a number such as 1e-5`,
  );
}
