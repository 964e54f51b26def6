import { checkOptions, isSconceError, type OptionNames } from "@sconce/errors";
import {
  type Argument,
  type ExportedProgram,
  FakeTensor,
  isSymScalar,
  type MetaValue,
  type ScalarLiteral,
  toNumber,
  type Value,
} from "@sconce/ir";
import { type InputCheck, inputCheck, type Leaf, userLeaves } from "@sconce/ops";
import { evaluate, evaluateInt } from "@sconce/symbolic";
import { Storage, Tensor } from "@sconce/tensor";
import { noSample, unknownSize } from "./errors.js";
import { type Draw, drawFrom } from "./random.js";
import { drawSizes, exampleSizes, inputSymbols, type Sizes, withinRanges } from "./sizes.js";
import { copyOf, drawTensor } from "./values.js";

/** Which inputs are sampled. */
export interface SampleOptions {
  /** The same seed gives the same inputs. 0 when left out. */
  readonly seed?: number | undefined;
  /** How many sets of inputs; 4 when left out (checks of passes: 1). */
  readonly count?: number | undefined;
}

const SAMPLE: OptionNames<SampleOptions> = { seed: true, count: true };

/** Returns the options that say which inputs are sampled, out of more. */
export const samplingOf = ({ seed, count }: SampleOptions): SampleOptions => ({ seed, count });

/** How often sizes are drawn before the program's own are taken. */
const ATTEMPTS = 64;

/**
 * Sets of inputs that the program takes: flat user inputs, as `Executable.run` wants them. The
 * first is a copy of the program's example inputs, where it has them with values; the others are
 * random, with sizes drawn within the range constraints until the program's guards hold, dtypes and
 * strides as declared, and elements between the least and the largest of the example. Each set has
 * its own storages.
 *
 * @throws SconceError `NO_SAMPLE_INPUTS` when no sizes are found, or an input is of a kind that
 * cannot be made up
 */
export function sampleInputs(program: ExportedProgram, options: SampleOptions = {}): Value[][] {
  checkOptions("sampleInputs", options, SAMPLE);
  const { seed = 0, count = 4 } = options;
  const sampler = new Sampler(program);
  return Array.from({ length: count }, (_, i) =>
    i === 0 && sampler.hasExamples ? sampler.examples() : sampler.draw(drawFrom(seed * 65_537 + i)),
  );
}

/** How inputs are drawn. */
export interface RandomInputsOptions {
  /** The same seed gives the same inputs. @defaultValue 0 */
  readonly seed?: number | undefined;
  /**
   * Values of symbols by name (`s0`); those left out are as in the program's example inputs or
   * hints, or drawn where it has none.
   */
  readonly sizes?: Sizes | undefined;
}

const RANDOM_OPTIONS: OptionNames<RandomInputsOptions> = { seed: true, sizes: true };

/**
 * One set of random inputs that the program takes: flat user inputs, as `Executable.run` wants
 * them, with dtypes and strides as declared. Elements are between the least and the largest of the
 * example inputs where the program has them. Otherwise floats are normally distributed, and
 * integers from 0 to 3.
 *
 * @throws SconceError `NO_SAMPLE_INPUTS` for sizes that the program does not take, symbols that it
 * does not have, and inputs of a kind that cannot be made up
 */
export function randomInputs(program: ExportedProgram, options: RandomInputsOptions = {}): Value[] {
  checkOptions("randomInputs", options, RANDOM_OPTIONS);
  const draw = drawFrom(options.seed ?? 0);
  const sampler = new Sampler(program);
  return sampler.draw(draw, sampler.sizesWith(options.sizes ?? new Map(), draw));
}

/**
 * Copies of the inputs that the program was exported with; undefined when it has none, or when they
 * have no values.
 */
export function exampleInputs(program: ExportedProgram): Value[] | undefined {
  const sampler = new Sampler(program);
  return sampler.hasExamples ? sampler.examples() : undefined;
}

/**
 * Values for the symbols of a program: those of its inputs within the range constraints and such
 * that its guards hold, and small ones for data-dependent symbols.
 *
 * @throws SconceError `NO_SAMPLE_INPUTS`
 */
export function sampleSizes(program: ExportedProgram, draw: Draw): Sizes {
  const sizes = new Map(new Sampler(program).sizes(draw));
  for (const [name, { min, max }] of program.rangeConstraints)
    if (/^\w+$/.test(name) && !sizes.has(name)) sizes.set(name, Math.min(Math.max(3, min), max));
  return sizes;
}

/** Checks whether a program accepts sizes: they are within its ranges, and its guards hold. */
export function sizeCheck(program: ExportedProgram): (sizes: Sizes) => boolean {
  const sampler = new Sampler(program);
  return (sizes) => sampler.accepts(sizes);
}

/** The inputs of a program without their elements, at sizes that it takes and at others. */
export interface InputShells {
  /** Names of the symbols in the inputs. */
  readonly symbols: readonly string[];
  /** Sizes that the program takes. */
  readonly sizes: Sizes;
  at(sizes: Sizes): Value[];
}

/**
 * Returns what checks of inputs look at: tensors have dtypes, sizes and strides, and no elements.
 *
 * @throws SconceError `NO_SAMPLE_INPUTS`
 */
export function inputShells(program: ExportedProgram): InputShells {
  const sampler = new Sampler(program);
  return {
    symbols: sampler.symbols,
    sizes: sampler.sizes(drawFrom(0)),
    at: (sizes) => sampler.shells(sizes),
  };
}

class Sampler {
  readonly #program: ExportedProgram;
  readonly #leaves: readonly Leaf[];
  readonly #values: readonly (MetaValue | undefined)[];
  readonly #examples: readonly (Tensor | Argument)[];
  readonly #check: InputCheck;
  readonly symbols: readonly string[];
  readonly #exampleSizes: Sizes;

  constructor(program: ExportedProgram) {
    this.#program = program;
    this.#leaves = userLeaves(program);
    this.#values = this.#leaves.map((leaf) => program.graph.node(leaf.name).meta.val);
    this.#examples = examplesOf(program);
    this.#check = inputCheck(program);
    this.symbols = inputSymbols(program, this.#leaves);
    this.#exampleSizes = exampleSizes(program, this.#leaves, this.#examples);
  }

  get hasExamples(): boolean {
    const { length } = this.#leaves;
    const known = this.#examples.every((leaf) => !(leaf instanceof Tensor) || leaf.hasValues);
    return length > 0 && this.#examples.length === length && known;
  }

  examples(): Value[] {
    return this.#examples.map((leaf) => (leaf instanceof Tensor ? copyOf(leaf) : scalarValue(leaf)));
  }

  draw(draw: Draw, sizes: Sizes = this.sizes(draw)): Value[] {
    const beside = { sizes, examples: this.#exampleSizes };
    return this.#leaves.map((_, i) =>
      this.#value(i, sizes, (fake, example) => drawTensor(fake, beside, example, draw), draw),
    );
  }

  /** Sizes that the program takes: drawn, or after too many refusals those of its examples. */
  sizes(draw: Draw): Sizes {
    if (this.symbols.length === 0) return this.#exampleSizes;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const sizes = drawSizes(this.#program, this.symbols, this.#exampleSizes, draw);
      if (this.accepts(sizes)) return sizes;
    }
    if (this.symbols.every((name) => this.#exampleSizes.has(name))) return this.#exampleSizes;
    throw noSample(
      `no values found for the sizes ${this.symbols.join(", ")}`,
      "give the program example inputs",
    );
  }

  /** Sizes that the program takes, some of them fixed, and the others those of its examples. */
  sizesWith(fixed: Sizes, draw: Draw): Sizes {
    const stray = [...fixed.keys()].find((name) => !this.symbols.includes(name));
    if (stray !== undefined) throw unknownSize(stray, this.symbols);
    const known = new Map([...this.#exampleSizes, ...fixed]);
    const isKnown = this.symbols.every((name) => known.has(name));
    let refusal = this.#refusal(known, isKnown);
    for (let attempt = 0; !isKnown && attempt < ATTEMPTS; attempt++) {
      const sizes = new Map([...drawSizes(this.#program, this.symbols, known, draw), ...known]);
      refusal = this.#refusal(sizes, true);
      if (refusal === undefined) return sizes;
    }
    if (refusal === undefined) return known;
    const shown = this.symbols
      .filter((name) => known.has(name))
      .map((name) => `${name} = ${known.get(name)}`);
    throw noSample(
      `the program does not take the sizes ${shown.join(", ") || this.symbols.join(", ")}: ${refusal}`,
      "give sizes within the ranges and guards of the program, which `sconce info` lists",
    );
  }

  /** Returns why the program does not take sizes; undefined when it does. */
  #refusal(sizes: Sizes, isKnown: boolean): string | undefined {
    if (!isKnown) return "some of them are not known";
    if (!withinRanges(this.#program, this.#leaves, sizes)) return "they are outside of their ranges";
    try {
      this.#check(this.shells(sizes));
      return undefined;
    } catch (error) {
      if (isSconceError(error)) return error.message;
      throw error;
    }
  }

  shells(sizes: Sizes): Value[] {
    return this.#leaves.map((_, i) => this.#value(i, sizes, (fake) => shellOf(fake, sizes)));
  }

  accepts(sizes: Sizes): boolean {
    return this.#refusal(sizes, true) === undefined;
  }

  /** One input; without a generator only what the guards may ask of it. */
  #value(
    i: number,
    sizes: Sizes,
    tensor: (fake: FakeTensor, example: Tensor | undefined) => Tensor,
    draw?: Draw,
  ): Value {
    const { spec, place } = this.#leaves[i]!;
    const val = this.#values[i];
    const example = this.#examples[i];
    if (val instanceof FakeTensor)
      return tensor(val, example instanceof Tensor && example.hasValues ? example : undefined);
    if (spec.arg.kind === "constant") return scalarValue(spec.arg.value);
    if (isSymScalar(val)) {
      if (val.kind === "SymInt") return evaluateInt(val.expr, sizes);
      if (typeof val.expr !== "object") return evaluate(val.expr, sizes);
      if (val.kind === "SymBool") return draw === undefined ? true : draw.unit() < 0.5;
      return draw === undefined ? 0.5 : draw.normal();
    }
    if (example !== undefined && !(example instanceof Tensor)) return scalarValue(example);
    throw noSample(`the input ${place} is neither a tensor nor a number`, "give the inputs yourself");
  }
}

function examplesOf(program: ExportedProgram): readonly (Tensor | Argument)[] {
  try {
    return program.exampleInputs?.leaves ?? [];
  } catch (error) {
    // Example inputs are read when asked for; a program whose examples cannot be read still runs.
    if (isSconceError(error)) return [];
    throw error;
  }
}

/** Returns what the checks see of a tensor, without elements. */
const shellOf = (fake: FakeTensor, sizes: Sizes): Tensor =>
  new Tensor({
    dtype: fake.dtype,
    shape: fake.shape.map((size) => evaluateInt(size, sizes)),
    strides: fake.strides.map((stride) => evaluateInt(stride, sizes)),
    storageOffset: evaluateInt(fake.storageOffset, sizes),
    storage: Storage.allocate(0),
  });

function scalarValue(value: Argument): Value {
  if (typeof value !== "object" || value === null) return value;
  if ("kind" in value && value.kind === "float") return toNumber(value as ScalarLiteral);
  throw noSample(`an input is a ${"kind" in value ? value.kind : "list"}`, "give the inputs yourself");
}
