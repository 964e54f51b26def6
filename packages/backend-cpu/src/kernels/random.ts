/** @file Random tensors: the numbers that PyTorch's CPU generator gives for the same seed. */
import { type DType, dtypeInfo, type Tensor } from "@sconce/tensor";
import { readComplex, readNumbers, writeComplex, writeNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import {
  defineKernels,
  emptyOutput,
  type Kernel,
  kernel,
  type RandomSource,
  rowsOutput,
} from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { fillNormal, type Moments, type Precision } from "./box-muller.js";
import {
  exponentialNumbers,
  fillUniform,
  fusedMultiplyAdd,
  inMemoryOrder,
  isWide,
  normalDeviate,
  rounding,
  uniform53,
} from "./random-engine.js";

const isComplex = (tensor: Tensor): boolean => dtypeInfo(tensor.dtype).kind === "complex";

const STANDARD: Moments = { mean: 0, std: 1 };

const precisionOf = (out: Tensor): Precision => {
  if (isWide(out)) return "double";
  return out.dtype === "float16" || out.dtype === "bfloat16" ? "half" : "single";
};

/**
 * Normal numbers; those of complex tensors are pairs whose parts have half the variance each and
 * the same mean (`normal_impl_`, DistributionTemplates.h). Only row-major tensors are filled in
 * blocks (`normal_kernel`).
 */
function normalNumbers(
  out: Tensor,
  random: RandomSource,
  { mean, std }: Moments = STANDARD,
  dense = out.isContiguous,
): Float64Array {
  const values = scratch(Float64Array, isComplex(out) ? 2 * out.numel : out.numel);
  const moments = { mean, std: isComplex(out) ? std / Math.SQRT2 : std };
  if (dense) fillNormal(values, random, precisionOf(out), moments);
  else for (let i = 0; i < values.length; i++) values[i] = normalDeviate(random) * moments.std + mean;
  return values;
}

const write = (out: Tensor, values: Float64Array): Tensor => {
  const ordered = inMemoryOrder(out);
  if (isComplex(out)) writeComplex(ordered, values);
  else writeNumbers(ordered, values);
  return out;
};

const uniform: Kernel<{ from?: number; to?: number }> = ({ from = 0, to = 1 }, context) => {
  const out = emptyOutput(context);
  const values = scratch(Float64Array, isComplex(out) ? 2 * out.numel : out.numel);
  fillUniform(values, context.random, isWide(out));
  if (from !== 0 || to !== 1) intoRange(values, out.dtype, from, to);
  return write(out, values);
};

/**
 * Maps draws from `[0, 1)` to `[from, to)`, in the dtype and with one rounding: PyTorch's compilers
 * contract `x * (to - from) + from`.
 */
function intoRange(values: Float64Array, dtype: DType, from: number, to: number): void {
  const isSingle = dtype === "float32" || dtype === "complex64";
  const start = isSingle ? Math.fround(from) : from;
  const range = isSingle ? Math.fround(Math.fround(to) - start) : to - from;
  // A product of float32 values is exact in float64.
  const step = isWide({ dtype }) ? fusedMultiplyAdd : (x: number, y: number, z: number) => x * y + z;
  for (let i = 0; i < values.length; i++) values[i] = step(values[i]!, range, start);
}

const standardNormal = kernel(
  [
    "aten::randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
  ],
  (_, context) => {
    const out = emptyOutput(context);
    return write(out, normalNumbers(out, context.random));
  },
);

const writeNormal = (out: Tensor, moments: Moments, random: RandomSource): Tensor =>
  write(out, normalNumbers(out, random, moments));

const normalFunctional = kernel(
  "aten::normal_functional(Tensor self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor",
  (moments, context) => writeNormal(emptyOutput(context), moments, context.random),
);

/** Not by way of the functional form, which draws into a dense copy and so in another order. */
const normalInPlace = kernel(
  "aten::normal_(Tensor(a!) self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor(a!)",
  ({ self, ...moments }, { random }) => writeNormal(self, moments, random),
);

/** Deviates around one number, or around complex ones. */
function normalAround(out: Tensor, mean: Tensor | number, std: number, random: RandomSource): Tensor {
  if (typeof mean === "number") return writeNormal(out, { mean, std }, random);
  const means = readComplex(mean, out.shape);
  const values = normalNumbers(out, random, { mean: 0, std }, true);
  writeComplex(
    out,
    values.map((x, i) => x + means[i]!),
  );
  return out;
}

type NormalArgs = { readonly mean: Tensor | number; readonly std: Tensor | number };
const normal: Kernel<NormalArgs> = ({ mean = 0, std = 1 }, context) => {
  const out = rowsOutput(context);
  if (typeof std === "number" && (typeof mean === "number" || isComplex(mean)))
    return normalAround(out, mean, std, context.random);
  const spread = typeof std === "number" ? { mean: 0, std } : STANDARD;
  const values = normalNumbers(out, context.random, spread, true);
  const means = typeof mean === "number" ? undefined : readNumbers(mean, out.shape);
  const deviations = typeof std === "number" ? undefined : readNumbers(std, out.shape);
  if (deviations?.some((deviation) => !(deviation >= 0)) === true)
    throw invalidArgument("normal expects all elements of std >= 0.0");
  // PyTorch multiplies and adds in two calls, each of which rounds.
  const round = rounding(out.dtype);
  for (let i = 0; i < values.length; i++) {
    const scaled = round(values[i]! * (deviations?.[i] ?? 1));
    values[i] = scaled + (means?.[i] ?? round(mean as number));
  }
  writeNumbers(out, values);
  return out;
};

const exponential = kernel(
  "aten::exponential(Tensor self, float lambd=1., *, Generator? generator=None) -> Tensor",
  ({ lambd = 1 }, context) => {
    const out = emptyOutput(context);
    return write(out, exponentialNumbers(out.numel, lambd, context.random));
  },
);

/**
 * Fills a tensor with draws from a distribution that one uniform number decides, or a normal one.
 */
const draws =
  <A>(draw: (args: A, random: RandomSource) => number): Kernel<A> =>
  (args, context) => {
    const out = emptyOutput(context);
    return write(
      out,
      Float64Array.from({ length: out.numel }, () => draw(args, context.random)),
    );
  };

const cauchy = draws<{ median: number; sigma: number }>(
  ({ median, sigma }, random) => median + sigma * Math.tan(Math.PI * (uniform53(random) - 0.5)),
);

const logNormal = draws<{ mean: number; std: number }>(({ mean, std }, random) =>
  Math.exp(normalDeviate(random) * std + mean),
);

const geometric = draws<{ p: number }>(({ p }, random) =>
  Math.ceil(Math.log(uniform53(random)) / Math.log1p(-p)),
);

export const randomKernels = defineKernels([
  kernel(
    "aten::uniform(Tensor self, float from=0., float to=1., *, Generator? generator=None) -> Tensor",
    uniform,
  ),
  kernel(
    [
      "aten::rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    ],
    (_, context) => uniform({}, context),
  ),
  standardNormal,
  kernel(
    [
      "aten::normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor",
      "aten::normal.Tensor_float(Tensor mean, float std=1., *, Generator? generator=None) -> Tensor",
      "aten::normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor",
      "aten::normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    ],
    normal,
  ),
  normalFunctional,
  normalInPlace,
  kernel(
    "aten::cauchy(Tensor self, float median=0., float sigma=1., *, Generator? generator=None) -> Tensor",
    cauchy,
  ),
  kernel(
    "aten::log_normal(Tensor self, float mean=1., float std=2., *, Generator? generator=None) -> Tensor",
    logNormal,
  ),
  kernel("aten::geometric(Tensor self, float p, *, Generator? generator=None) -> Tensor", geometric),
  exponential,
]);
