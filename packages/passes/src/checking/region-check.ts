/** @file One changed region, run before and after the change on samples of each class of values. */
import { isSconceError, thrownText } from "@sconce/errors";
import { FakeTensor, type ProgramRunner, type Value } from "@sconce/ir";
import { dtypeInfo, isFloatDType, Tensor } from "@sconce/tensor";
import type { ToleranceOptions } from "@sconce/tensor/compare";
import type { RegionPair } from "../changes/region-pair.js";
import { largestInput } from "../changes/resize.js";
import { classesOf } from "../sampling/corner-values.js";
import { floatLimits } from "../sampling/float-limits.js";
import { type IndexSizes, indexInputs } from "../sampling/index-inputs.js";
import type { NumberChange, ValueClass } from "../sampling/number-change.js";
import { drawFrom } from "../sampling/random.js";
import { combinationsOf, type RegionSampleOptions, regionSample } from "../sampling/region-samples.js";
import type { Sizes } from "../sampling/sizes.js";
import { compareResults, differenceText, type ElementDifference, numbersOf } from "./close-values.js";
import { limitAfter } from "./outcome.js";
import type { RegionSizes } from "./region-sizes.js";

export interface RegionCheckOptions {
  readonly run: ProgramRunner;
  readonly tolerance: ToleranceOptions;
  /** What the pass and the rules that made the region declare. */
  readonly allowed: readonly NumberChange[];
  readonly literals: readonly number[];
  /** Limits of the dtypes that the changed calls name: literals for integers. */
  readonly integerLiterals: readonly number[];
  /** Sizes of symbols that are tried besides, on ordinary values. */
  readonly cornerSizes: readonly Sizes[];
  /** The classes to try; all that the inputs have values of when left out. */
  readonly classes?: readonly ValueClass[] | undefined;
  /** Sizes of symbols for the samples. */
  readonly sizes: RegionSizes;
  readonly seed: number;
  /** Whether the signs of zeros have to agree for all values: not where sums give them. */
  readonly zeroSigns: boolean;
}

/** What a region computes otherwise than before. */
export interface RegionDifference {
  /** Position of the result among the region's. */
  readonly result: number;
  readonly problem: string;
  readonly valueClass: ValueClass;
  readonly inputs: readonly Value[];
}

export interface RegionResult {
  readonly difference: RegionDifference | undefined;
  readonly classes: ReadonlySet<ValueClass>;
  readonly notes: readonly string[];
  readonly runs: number;
  /** Samples that both versions ran on. */
  readonly compared: number;
  /**
   * Whether a sample was refused as a division by zero before the change, and is accepted after it.
   */
  readonly divides: boolean;
  /** Why nothing was compared. */
  readonly reason: string | undefined;
  readonly largest: number;
}

/**
 * In these classes inputs may overflow or vanish on the way: where that begins is noted, and is not
 * wrong.
 */
const OVERFLOWS: ReadonlySet<ValueClass> = new Set(["offset", "large", "overflow", "subnormal"]);
/** Shares of the elements that are of the class, one for each sample; others are ordinary. */
const DENSITIES = [0.5, 0.15];
/**
 * Combinations of the values of a class that are run, and most samples that they are spread over.
 */
const [MOST_COMBINATIONS, MOST_SAMPLES] = [64, 24];
/** Elements of ordinary values that are wanted over all samples. */
const ORDINARY_ELEMENTS = 32;
/** Sizes of other inputs that integers are drawn below. */
const MOST_TABLES = 3;
/** How integers are drawn, until the region takes them. */
const INTEGERS: readonly Pick<RegionSampleOptions, "plainIntegers" | "below">[] = [
  { plainIntegers: false, below: 4 },
  { plainIntegers: true, below: 2 },
  { plainIntegers: true, below: 1 },
];
/**
 * Roundings of the largest number in a region that results may differ by, for constants inside of
 * functions.
 */
const ROUNDINGS = 16;
/** Most iterations of loops in a run of a region, before and after the change. */
const LIMITS = { before: { maxIterations: 1_000 }, after: limitAfter(1_000) } as const;
/** How much more than the effect of one rounding of the inputs results may differ by. */
const NOISE = 64;

export function checkRegion(pair: RegionPair, options: RegionCheckOptions): RegionResult {
  return new RegionCheck(pair, options).check();
}

/** What a call may refuse values with: an assertion, or a division of integers. */
export type RefusalCode = "ASSERTION_FAILED" | "DIVISION_BY_ZERO";

/**
 * Returns the message with which a region refuses a sample before a change and not after it;
 * undefined when it refuses none.
 */
export function refusalDropped(
  pair: RegionPair,
  code: RefusalCode,
  options: RegionCheckOptions,
): RegionDifference | undefined {
  const check = new RegionCheck(pair, options);
  return check.refusal(code);
}

interface SampleWay extends Pick<RegionSampleOptions, "density" | "inOrder"> {
  /** The bound of integers, where it is not one of those that are tried for each sample. */
  readonly below?: number;
  readonly plainIntegers?: boolean;
  readonly sizes?: Sizes;
}

class RegionCheck {
  readonly #pair: RegionPair;
  readonly #options: RegionCheckOptions;
  readonly #tolerance: ToleranceOptions;
  readonly #free: ReadonlySet<ValueClass>;
  /** Whether a tolerance was asked for: nothing more is then allowed. */
  readonly #isStrict: boolean;
  readonly #classes = new Set<ValueClass>();
  readonly #notes = new Set<string>();
  readonly #indexSizes: IndexSizes;
  #runs = 0;
  #compared = 0;
  #divides = false;
  #refusal: unknown;

  constructor(pair: RegionPair, options: RegionCheckOptions) {
    this.#pair = pair;
    this.#options = options;
    this.#indexSizes = indexInputs(pair);
    const { allowed, tolerance } = options;
    this.#isStrict = tolerance.rtol !== undefined || tolerance.atol !== undefined;
    const bounds = allowed.filter(({ rtol, atol }) => rtol !== undefined || atol !== undefined);
    const widest = (pick: (bound: ToleranceOptions) => number | undefined): number =>
      Math.max(...bounds.map((bound) => pick(bound) ?? 0));
    this.#tolerance =
      bounds.length === 0
        ? tolerance
        : { rtol: widest(({ rtol }) => rtol), atol: widest(({ atol }) => atol) };
    this.#free = new Set(allowed.flatMap(({ valueClasses = [] }) => valueClasses));
  }

  check(): RegionResult {
    let difference: RegionDifference | undefined;
    let sample = 0;
    for (const valueClass of this.#classesToTry())
      for (const way of this.#samplesOf(valueClass)) difference ??= this.#sample(valueClass, way, sample++);
    const largest = largestInput(this.#pair);
    const reason = this.#compared > 0 ? undefined : `no sample runs on it: ${thrownText(this.#refusal)}`;
    const [runs, compared, divides] = [this.#runs, this.#compared, this.#divides];
    const notes = [...this.#notes];
    return { difference, classes: this.#classes, notes, runs, compared, divides, reason, largest };
  }

  refusal(code: RefusalCode): RegionDifference | undefined {
    let sample = 0;
    for (const valueClass of this.#classesToTry())
      for (const { sizes, ...kind } of this.#samplesOf(valueClass)) {
        const { seed } = this.#options;
        const base = this.#sampleBase(valueClass, sample, sizes);
        const way = { ...base, plainIntegers: false, below: 4, ...kind };
        const inputs = regionSample(this.#pair.inputs, way, drawFrom(seed * 8191 + sample++));
        const want = inputs && this.#run("before", inputs);
        if (want === undefined || "outputs" in want || !isSconceError(want.error, code)) continue;
        const got = this.#run("after", inputs!);
        if ("outputs" in got)
          return { result: 0, problem: thrownText(want.error), valueClass, inputs: inputs! };
      }
    return undefined;
  }

  /** Drawn samples, then samples of all values of the class: small inputs take several. */
  #samplesOf(valueClass: ValueClass): SampleWay[] {
    const base = this.#sampleBase(valueClass, 0);
    const { combinations, elements } = combinationsOf(this.#pair.inputs, base);
    const count = Math.min(Math.max(elements, 1), MOST_COMBINATIONS);
    if (valueClass === "ordinary") {
      const drawn = Math.max(2, Math.ceil(ORDINARY_ELEMENTS / count));
      return [...Array.from({ length: drawn }, () => ({ density: 1 })), ...this.#widerSamples()];
    }
    const samples = Math.min(MOST_SAMPLES, Math.ceil(Math.min(combinations, MOST_COMBINATIONS) / count));
    const all = Array.from({ length: samples }, (_, i) => ({ density: 1, inOrder: i * count }));
    return [...DENSITIES.map((density) => ({ density })), ...all];
  }

  /**
   * Integers below the sizes of other inputs, which they may index, and symbols at sizes that
   * matter.
   */
  #widerSamples(): SampleWay[] {
    const vals = this.#pair.inputs.flatMap(({ val }) => (val instanceof FakeTensor ? [val] : []));
    const shapes = vals.flatMap(({ shape }) => shape);
    const sizes = shapes.filter((size): size is number => typeof size === "number" && size > 4);
    const hasIntegers = vals.some(({ dtype }) => dtypeInfo(dtype).kind === "int");
    const largest = hasIntegers ? [...new Set(sizes)].sort((a, b) => b - a).slice(0, MOST_TABLES) : [];
    const tables = largest.flatMap((below) => [1, 2].map(() => ({ density: 1, below, plainIntegers: true })));
    const corners = this.#options.cornerSizes.flatMap((own) => [own, own]);
    return [...tables, ...corners.map((own) => ({ density: 1, sizes: own }))];
  }

  #sampleBase(
    valueClass: ValueClass,
    sample: number,
    own?: Sizes,
  ): Omit<RegionSampleOptions, "density" | "below" | "plainIntegers"> {
    const { literals, integerLiterals, sizes } = this.#options;
    const indexSizes = this.#indexSizes;
    return { sizes: own ?? sizes.at(sample), valueClass, literals, integerLiterals, indexSizes };
  }

  #classesToTry(): readonly ValueClass[] {
    if (this.#options.classes !== undefined) return this.#options.classes;
    const classes = new Set<ValueClass>(["ordinary"]);
    for (const { val, fixed } of this.#pair.inputs)
      if (val instanceof FakeTensor && fixed === undefined)
        for (const one of classesOf(val.dtype)) classes.add(one);
    return [...classes];
  }

  #sample(
    valueClass: ValueClass,
    { sizes, ...kind }: SampleWay,
    sample: number,
  ): RegionDifference | undefined {
    const { seed } = this.#options;
    const base = { ...this.#sampleBase(valueClass, sample, sizes), ...kind };
    const { below, plainIntegers = true } = kind;
    const ways = below === undefined ? INTEGERS : [{ plainIntegers, below }];
    for (const integers of ways) {
      const inputs = regionSample(
        this.#pair.inputs,
        { ...base, ...integers },
        drawFrom(seed * 8191 + sample),
      );
      if (inputs === undefined) return undefined;
      const want = this.#run("before", inputs);
      if (!("outputs" in want)) {
        this.#noteDivision(want.error, inputs);
        continue;
      }
      return this.#compare(valueClass, inputs, want.outputs);
    }
    return undefined;
  }

  /** A rule that declares that it changes zeros may accept them too. */
  #noteDivision(error: unknown, inputs: readonly Value[]): void {
    if (this.#divides || this.#free.has("signed-zero") || !isSconceError(error, "DIVISION_BY_ZERO")) return;
    this.#divides = "outputs" in this.#run("after", inputs);
  }

  #run(
    side: "before" | "after",
    inputs: readonly Value[],
  ): { readonly outputs: readonly Value[] } | { readonly error: unknown } {
    this.#runs++;
    try {
      return { outputs: this.#options.run(this.#pair[side], inputs, undefined, LIMITS[side]).outputs };
    } catch (error) {
      if (!isSconceError(error) && !(error instanceof RangeError)) throw error;
      this.#refusal = error;
      return { error };
    }
  }

  #compare(
    valueClass: ValueClass,
    inputs: readonly Value[],
    want: readonly Value[],
  ): RegionDifference | undefined {
    const got = this.#run("after", inputs);
    if (!("outputs" in got)) {
      // What cannot run here says nothing of the values.
      if (isSconceError(got.error, "NO_KERNEL")) return undefined;
      const problem = `fails now: ${thrownText(got.error)}`;
      return this.#free.has(valueClass) ? undefined : { result: 0, problem, valueClass, inputs };
    }
    this.#compared++;
    this.#classes.add(valueClass);
    for (const [result, wanted] of want.entries()) {
      const problem = this.#problem(valueClass, inputs, result, got.outputs[result], wanted);
      if (problem === undefined) continue;
      if (this.#free.has(valueClass)) this.#notes.add(`differs for ${valueClass} values, as declared`);
      else return { result, problem, valueClass, inputs };
    }
    return undefined;
  }

  #problem(
    valueClass: ValueClass,
    inputs: readonly Value[],
    result: number,
    got: Value | undefined,
    want: Value,
  ): string | undefined {
    const { problem, elements } = compareResults(got, want, this.#tolerance);
    if (problem !== undefined) return problem;
    const isSigned = this.#options.zeroSigns && !this.#free.has("signed-zero");
    let wrong = isSigned ? elements : elements.filter((one) => one.got !== one.want);
    if (wrong.length < elements.length) this.#notes.add(`differs in signs of zeros for ${valueClass} values`);
    if (OVERFLOWS.has(valueClass) || valueClass === "infinity") {
      const vanishing = 4 * (floatLimits((want as Tensor).dtype)?.normal ?? 0);
      const counted = wrong.filter((one) => !isOverflow(valueClass, one, vanishing));
      if (counted.length < wrong.length)
        this.#notes.add(`differs where numbers overflow or vanish, for ${valueClass} values`);
      wrong = counted;
    }
    wrong = this.#beyondNoise(valueClass, inputs, result, want, wrong);
    return wrong.length === 0 ? undefined : differenceText(wrong, (want as Tensor).numel);
  }

  /**
   * Without those elements that differ no more than they do when the inputs are rounded: sums that
   * cancel, functions that are steep. Such a difference is also small beside the numbers that are
   * computed with, unless these are large: a softmax of large numbers is a choice.
   */
  #beyondNoise(
    valueClass: ValueClass,
    inputs: readonly Value[],
    result: number,
    want: Value,
    elements: readonly ElementDifference[],
  ): readonly ElementDifference[] {
    const limits = floatLimits((want as Tensor).dtype);
    if (limits === undefined || elements.length === 0 || this.#isStrict) return elements;
    const { epsilon, least } = limits;
    const literals = this.#options.literals.filter((value) => Math.abs(value) < MOST_LITERAL);
    const scale = Math.max(largest(want), ...inputs.map(largest), ...literals.map(Math.abs));
    const floor = Math.max(ROUNDINGS * Math.min(epsilon, MOST_EPSILON) * scale, 64 * least);
    elements = elements.filter(({ distance }) => distance > floor);
    const limit = valueClass === "large" ? Number.MAX_VALUE : 1024 * epsilon * scale;
    const near = elements.filter(({ distance }) => distance <= limit);
    if (near.length === 0) return elements;
    const noise = new Map(near.map(({ index }) => [index, 0]));
    for (let draw = 0; draw < 4; draw++) {
      const run = this.#run("before", perturbed(inputs, draw));
      const value = "outputs" in run ? run.outputs[result] : undefined;
      if (!(value instanceof Tensor) || value.numel !== (want as Tensor).numel) continue;
      const numbers = numbersOf(value);
      for (const { index, want: wanted } of near) {
        const moved = Math.abs(numbers[index]! - wanted);
        noise.set(index, Math.max(noise.get(index)!, Number.isFinite(moved) ? moved : 0));
      }
    }
    return elements.filter(({ index, distance }) => distance > NOISE * (noise.get(index) ?? 0));
  }
}

/** Literals beyond it bound something: they are not computed with. */
const MOST_LITERAL = 1e6;
/** Results of 16 bits are rounded once, from wider numbers. */
const MOST_EPSILON = 2 ** -20;

/**
 * Returns whether a difference is one of where overflow and underflow begin. What stays finite for
 * large values before a change has to after it: `exp(x) / sum(exp(x))` is not a softmax. What
 * overflowed before may give anything. Near the limits of the dtype another order of operations
 * overflows or vanishes elsewhere.
 */
function isOverflow(valueClass: ValueClass, { got, want }: ElementDifference, vanishing: number): boolean {
  if (valueClass === "overflow" || (want === 0 && got === 0)) return true;
  if (valueClass === "infinity") return false;
  if (!Number.isFinite(want)) return true;
  if (!Number.isFinite(got)) return valueClass === "subnormal";
  return valueClass === "subnormal" && Math.max(Math.abs(want), Math.abs(got)) <= vanishing;
}

function largest(value: Value): number {
  if (typeof value === "number") return Number.isFinite(value) ? Math.abs(value) : 0;
  if (!(value instanceof Tensor)) return 0;
  let found = 0;
  for (const number of numbersOf(value))
    if (Number.isFinite(number)) found = Math.max(found, Math.abs(number));
  return found;
}

/** Returns the inputs with each float moved to about its neighbor, up or down. */
function perturbed(inputs: readonly Value[], seed: number): Value[] {
  const draw = drawFrom(seed + 77);
  return inputs.map((value) => {
    if (!(value instanceof Tensor) || !isFloatDType(value.dtype)) return value;
    const step = 2 * (floatLimits(value.dtype)?.epsilon ?? 0);
    const moved = value.toArray().map((element) => {
      const number = Number(element);
      return Number.isFinite(number) ? number * (1 + (draw.unit() < 0.5 ? -step : step)) : number;
    });
    return Tensor.from(moved, value.shape, value.dtype);
  });
}
