/** @file Random tensors: the numbers that PyTorch's CPU generator gives for the same seed. */
import { type ScalarLiteral, toNumber } from "@sconce/ir";
import { type DType, dtypeInfo, type Tensor } from "@sconce/tensor";
import { readComplex, readNumbers, writeBigInts, writeComplex, writeNumbers } from "../dense.js";
import { invalidArgument } from "../errors.js";
import {
  type AnyKernel,
  defineKernels,
  emptyOutput,
  emptyOutputs,
  type KernelContext,
  kernel,
  type RandomSource,
} from "../kernel.js";
import { fillNormal, fillUniform, normalDeviate, uint64, uniform24, uniform53 } from "./random-engine.js";
import { sortRow } from "./sort.js";

/** float64 draws 53 bits, everything else 24. */
const isWide = (tensor: Tensor): boolean => tensor.dtype === "float64" || tensor.dtype === "complex128";

function normalNumbers(out: Tensor, random: RandomSource): Float64Array {
  const values = new Float64Array(out.numel);
  const half = out.dtype === "float16" || out.dtype === "bfloat16";
  fillNormal(values, random, isWide(out), !half);
  return values;
}

const uniform = kernel<{ from?: number; to?: number }>(({ from = 0, to = 1 }, context) => {
  const out = emptyOutput(context);
  const values = new Float64Array(isComplex(out) ? 2 * out.numel : out.numel);
  fillUniform(values, context.random, isWide(out));
  for (let i = 0; i < values.length; i++) values[i] = values[i]! * (to - from) + from;
  if (isComplex(out)) writeComplex(out, values);
  else writeNumbers(out, values);
  return out;
});

/** The parts of a complex normal deviate have half the variance each. */
function complexNormal(out: Tensor, random: RandomSource): Float64Array {
  const parts = new Float64Array(2 * out.numel);
  fillNormal(parts, random, isWide(out), true);
  return parts.map((x) => x * Math.SQRT1_2);
}

const isComplex = ({ dtype }: Tensor): boolean => dtypeInfo(dtype).kind === "complex";

const standardNormal = kernel<unknown>((_, context) => {
  const out = emptyOutput(context);
  if (isComplex(out)) writeComplex(out, complexNormal(out, context.random));
  else writeNumbers(out, normalNumbers(out, context.random));
  return out;
});

type NormalArgs = { readonly mean: Tensor | number; readonly std: Tensor | number };
const normal = kernel<NormalArgs>(({ mean = 0, std = 1 }, context) => {
  const out = emptyOutput(context);
  const lanes = isComplex(out) ? 2 : 1;
  const deviations = typeof std === "number" ? undefined : readNumbers(std, out.shape);
  if (deviations?.some((deviation: number) => !(deviation >= 0)))
    throw invalidArgument("normal expects all elements of std >= 0.0");
  const read = lanes === 2 ? readComplex : readNumbers;
  const means = typeof mean === "number" ? undefined : read(mean, out.shape);
  const values = (lanes === 2 ? complexNormal : normalNumbers)(out, context.random);
  // A number as mean moves both parts of complex deviates, as in PyTorch.
  for (let i = 0; i < values.length; i++) {
    const deviation = deviations?.[Math.floor(i / lanes)] ?? (std as number);
    values[i] = values[i]! * deviation + (means?.[i] ?? (mean as number));
  }
  if (lanes === 2) writeComplex(out, values);
  else writeNumbers(out, values);
  return out;
});

/** Ranges from 2^28 on are drawn with 64 bits. */
function integers(out: Tensor, low: bigint, high: bigint, random: RandomSource): Tensor {
  const range = BigInt.asUintN(64, high - low);
  const values = new BigInt64Array(out.numel);
  for (let i = 0; i < values.length; i++) {
    const bits = range >= 1n << 28n ? uint64(random) : BigInt(random.uint32());
    values[i] = low + (bits % range);
  }
  if (dtypeInfo(out.dtype).kind === "float") writeNumbers(out, Float64Array.from(values, Number));
  else writeBigInts(out, values);
  return out;
}

const randint = kernel<{ low?: number; high: number }>(({ low = 0, high }, context) => {
  if (!(low < high))
    throw invalidArgument(`random_ expects 'from' to be less than 'to', but got from=${low} >= to=${high}`);
  return integers(emptyOutput(context), BigInt(low), BigInt(high), context.random);
});

/**
 * Largest value that `random` without bounds gives: what a float dtype holds exactly, or the integer maximum.
 */
const RANDOM_LIMITS: Partial<Record<DType, bigint>> = {
  float64: 1n << 53n,
  float32: 1n << 24n,
  float16: 1n << 11n,
  bfloat16: 1n << 8n,
  int64: (1n << 63n) - 1n,
  int32: (1n << 31n) - 1n,
  int16: (1n << 15n) - 1n,
  int8: 127n,
  uint8: 255n,
  bool: 1n,
};

const randomIntegers = kernel<unknown>((_, context) => {
  const { random } = context;
  const out = emptyOutput(context);
  const range = RANDOM_LIMITS[out.dtype]! + 1n;
  const wide = out.dtype === "float64" || out.dtype === "int64";
  const values = new BigInt64Array(out.numel);
  for (let i = 0; i < values.length; i++)
    values[i] = (wide ? uint64(random) : BigInt(random.uint32())) % range;
  if (dtypeInfo(out.dtype).kind === "float") writeNumbers(out, Float64Array.from(values, Number));
  else writeBigInts(out, values);
  return out;
});

const randperm = kernel<{ n: number }>(({ n }, context) => {
  const out = emptyOutput(context);
  const values = Float64Array.from({ length: n }, (_, i) => i);
  for (let i = 0; i < n - 1; i++) {
    const j = i + (context.random.uint32() % (n - i));
    [values[i], values[j]] = [values[j]!, values[i]!];
  }
  writeNumbers(out, values);
  return out;
});

const bernoulli = kernel<{ self: Tensor; p?: Tensor }>(({ self, p = self }, context) => {
  const out = emptyOutput(context);
  const chances = readNumbers(p, out.shape);
  const wide = isWide(p);
  const values = new Float64Array(out.numel);
  for (let i = 0; i < values.length; i++) {
    const chance = chances[i]!;
    if (!(chance >= 0 && chance <= 1))
      throw invalidArgument(`Expected p_in >= 0 && p_in <= 1 to be true, got ${chance}`);
    values[i] = (wide ? uniform53(context.random) : uniform24(context.random)) < chance ? 1 : 0;
  }
  writeNumbers(out, values);
  return out;
});

function coinFlips(count: number, chance: number, random: RandomSource): Float64Array {
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) values[i] = uniform53(random) < chance ? 1 : 0;
  return values;
}

const bernoulliScalar = kernel<{ p: number | Tensor }>(({ p = 0.5 }, context) => {
  const out = emptyOutput(context);
  const chance = typeof p === "number" ? p : readNumbers(p)[0]!;
  writeNumbers(out, coinFlips(out.numel, chance, context.random));
  return out;
});

type Dropout = { readonly input: Tensor; readonly p: number; readonly train: boolean | null };
const nativeDropout = kernel<Dropout>(({ input, p, train }, context) => {
  const [out, mask] = emptyOutputs(context) as [Tensor, Tensor];
  if (input.numel === 0) return [input, mask];
  const values = Float64Array.from(readNumbers(input) as Float64Array);
  const kept = train === false ? new Float64Array(input.numel).fill(1) : dropped(values, p, context);
  writeNumbers(out, values);
  writeNumbers(mask, kept);
  return [out, mask];
});

/** Zeroes each value with probability `p` and scales the rest; returns which stayed. */
function dropped(values: Float64Array, p: number, { random }: KernelContext): Float64Array {
  if (p === 1) {
    values.fill(0);
    return new Float64Array(values.length);
  }
  const kept = coinFlips(values.length, 1 - p, random);
  for (let i = 0; i < values.length; i++) values[i]! *= kept[i]! / (1 - p);
  return kept;
}

const exponential = kernel<{ lambd: number }>(({ lambd = 1 }, context) => {
  const out = emptyOutput(context);
  writeNumbers(out, exponentialNumbers(out.numel, lambd, context.random));
  return out;
});

const exponentialNumbers = (count: number, rate: number, random: RandomSource): Float64Array =>
  Float64Array.from({ length: count }, () => -Math.log1p(-uniform53(random)) / rate);

/** Fills a tensor with draws from a distribution that one uniform number decides, or a normal one. */
const draws = <A>(
  check: (args: A) => string | undefined,
  draw: (args: A, random: RandomSource) => number,
): AnyKernel =>
  kernel<A>((args, context) => {
    const problem = check(args);
    if (problem !== undefined) throw invalidArgument(problem);
    const out = emptyOutput(context);
    writeNumbers(
      out,
      Float64Array.from({ length: out.numel }, () => draw(args, context.random)),
    );
    return out;
  });

const cauchy = draws<{ median: number; sigma: number }>(
  ({ sigma }) => (sigma > 0 ? undefined : `cauchy_ expects sigma > 0.0, but found sigma=${sigma}`),
  ({ median, sigma }, random) => median + sigma * Math.tan(Math.PI * (uniform53(random) - 0.5)),
);

const logNormal = draws<{ mean: number; std: number }>(
  ({ std }) => (std > 0 ? undefined : `log_normal_ expects std > 0.0, but found std=${std}`),
  ({ mean, std }, random) => Math.exp(normalDeviate(random) * std + mean),
);

const geometric = draws<{ p: number }>(
  ({ p }) => (p > 0 && p < 1 ? undefined : `geometric_ expects p to be in (0, 1), but got p=${p}`),
  ({ p }, random) => Math.ceil(Math.log(uniform53(random)) / Math.log1p(-p)),
);

type Multinomial = { readonly self: Tensor; readonly num_samples: number; readonly replacement: boolean };

/** Without replacement (or for one sample): the largest quotients by exponential deviates. */
const multinomial = kernel<Multinomial>(({ self, num_samples: samples, replacement }, context) => {
  const out = emptyOutput(context);
  const weights = readNumbers(self);
  for (const weight of weights) {
    if (!(weight >= 0 && weight < Infinity)) {
      throw invalidArgument("probability tensor contains either `inf`, `nan` or element < 0");
    }
  }
  const length = self.shape.at(-1)!;
  const rows = weights.length / length;
  const values = new Float64Array(rows * samples);
  for (let r = 0; r < rows; r++) {
    if (!weights.subarray(r * length, (r + 1) * length).some((weight: number) => weight > 0)) {
      throw invalidArgument("invalid multinomial distribution (sum of probabilities <= 0)");
    }
  }
  if (replacement && samples > 1) {
    for (let r = 0; r < rows; r++) {
      const cumulated = cumulate(weights.subarray(r * length, (r + 1) * length));
      for (let s = 0; s < samples; s++)
        values[r * samples + s] = placeOf(cumulated, uniform53(context.random));
    }
  } else {
    const quotients = exponentialNumbers(weights.length, 1, context.random).map(
      (q, i) => weights[i]! / Math.fround(q),
    );
    for (let r = 0; r < rows; r++) {
      const order = sortRow(quotients, r * length, length, true);
      for (let s = 0; s < samples; s++) values[r * samples + s] = order[s]! - r * length;
    }
  }
  writeNumbers(out, values);
  return out;
});

function cumulate(weights: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(weights.length);
  let total = 0;
  for (let i = 0; i < weights.length; i++) sums[i] = total += weights[i]!;
  return sums.map((sum) => sum / total);
}

function placeOf(cumulated: Float64Array, sample: number): number {
  let low = 0;
  let high = cumulated.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cumulated[middle]! < sample) low = middle + 1;
    else high = middle;
  }
  return low;
}

type Rrelu = {
  readonly self: Tensor;
  readonly noise: Tensor;
  readonly lower: ScalarLiteral;
  readonly upper: ScalarLiteral;
  readonly training: boolean;
};

/** In training each negative element gets a slope of its own, which is the second result. */
const rreluFunctional = kernel<Rrelu>(({ self, noise, lower, upper, training }, context) => {
  const [out, slopes] = emptyOutputs(context) as [Tensor, Tensor];
  const [low, high] = [toNumber(lower), toNumber(upper)];
  const values = Float64Array.from(readNumbers(self) as Float64Array);
  const used = Float64Array.from(readNumbers(noise) as Float64Array);
  for (let i = 0; i < values.length; i++) {
    const slope = training
      ? values[i]! <= 0
        ? uniform53(context.random) * (high - low) + low
        : 1
      : (low + high) / 2;
    if (training) used[i] = slope;
    if (values[i]! <= 0) values[i]! *= slope;
  }
  writeNumbers(out, values);
  writeNumbers(slopes, used);
  return [out, slopes];
});

const overloads = (name: string, run: AnyKernel, names: readonly string[]): Record<string, AnyKernel> =>
  Object.fromEntries(names.map((overload) => [`aten.${name}.${overload}`, run]));

export const randomKernels = defineKernels({
  "aten.rand.default": uniform,
  "aten.rand_like.default": kernel<unknown>((_, context) => uniform({}, context)),
  "aten.uniform.default": uniform,
  "aten.randn.default": standardNormal,
  "aten.randn_like.default": standardNormal,
  ...overloads("normal", normal, ["Tensor_Tensor", "Tensor_float", "float_Tensor", "float_float"]),
  "aten.normal_functional.default": normal,
  ...overloads("randint", randint, ["default", "low"]),
  ...overloads("randint_like", randint, ["default", "low_dtype"]),
  "aten.random.default": randomIntegers,
  "aten.randperm.default": randperm,
  "aten.bernoulli.default": bernoulli,
  "aten.bernoulli.p": bernoulliScalar,
  "aten.bernoulli.Tensor": bernoulli,
  "aten.cauchy.default": cauchy,
  "aten.log_normal.default": logNormal,
  "aten.geometric.default": geometric,
  "aten.native_dropout.default": nativeDropout,
  "aten.exponential.default": exponential,
  "aten.multinomial.default": multinomial,
  "aten.rrelu_with_noise_functional.default": rreluFunctional,
});
