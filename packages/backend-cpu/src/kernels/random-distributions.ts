/**
 * @file Poisson, binomial, gamma and Dirichlet draws, by the methods and in the order of draws of
 * PyTorch.
 */
import type { Tensor } from "@sconce/tensor";
import { readFloat64, writeNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutput, kernel, type RandomSource } from "../kernel/kernel.js";
import { lgamma } from "./pointwise-special.js";
import { normalDeviate, rounding, uniform53 } from "./random-engine.js";

/**
 * Hörmann, "The transformed rejection method for generating Poisson random variables" (1993), PTRS;
 * Knuth's below 10.
 */
function poissonDeviate(rate: number, random: RandomSource): number {
  if (!(rate >= 0)) throw invalidArgument("invalid Poisson rate, expected rate to be non-negative");
  if (rate === 0) return 0;
  if (rate < 10) return countedBelow(Math.exp(-rate), random);
  const b = 0.931 + 2.53 * Math.sqrt(rate);
  const a = -0.059 + 0.02483 * b;
  const inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
  for (;;) {
    const u = uniform53(random) - 0.5;
    const v = uniform53(random);
    const us = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const hat = Math.log(v) + Math.log(inverseAlpha) - Math.log(a / (us * us) + b);
    if (hat <= -rate + k * Math.log(rate) - lgamma(k + 1)) return k;
  }
}

/** Returns how many uniform numbers can be multiplied before the product falls to the limit. */
function countedBelow(limit: number, random: RandomSource): number {
  let count = 0;
  for (let product = uniform53(random); product > limit; product *= uniform53(random)) count++;
  return count;
}

/** What Stirling's formula leaves of log k!: a table up to 9, then the series. */
const STIRLING_TAIL = [
  0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
  0.0138761288230707, 0.0118967099458917, 0.010411265261972, 0.00925546218271273, 0.00833056343336287,
];

function stirlingTail(k: number): number {
  if (k <= 9) return STIRLING_TAIL[k]!;
  const square = (k + 1) ** 2;
  return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1);
}

/** Hörmann, "The generation of binomial random variates" (1993), BTRS. */
function binomialByRejection(count: number, chance: number, random: RandomSource): number {
  const deviation = Math.sqrt(count * chance * (1 - chance));
  const b = 1.15 + 2.53 * deviation;
  const a = -0.0873 + 0.0248 * b + 0.01 * chance;
  const ratio = chance / (1 - chance);
  const m = Math.floor((count + 1) * chance);
  const tail = stirlingTail(m) + stirlingTail(count - m);
  for (;;) {
    const u = uniform53(random) - 0.5;
    const v = uniform53(random);
    const us = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / us + b) * u + count * chance + 0.5);
    if (us >= 0.07 && v <= 0.92 - 4.2 / b) return k;
    if (k < 0 || k > count) continue;
    const bound =
      (m + 0.5) * Math.log((m + 1) / (ratio * (count - m + 1))) +
      (count + 1) * Math.log((count - m + 1) / (count - k + 1)) +
      (k + 0.5) * Math.log((ratio * (count - k + 1)) / (k + 1)) +
      (tail - stirlingTail(k) - stirlingTail(count - k));
    if (Math.log((v * (2.83 + 5.1 / b) * deviation) / (a / (us * us) + b)) <= bound) return k;
  }
}

/** Adds up waiting times for a success until they pass the count. */
function binomialByWaiting(count: number, chance: number, random: RandomSource): number {
  const scale = Math.log1p(-chance);
  let successes = 0;
  for (let waited = 0; ; successes++) {
    waited += Math.ceil(Math.log(uniform53(random)) / scale);
    if (waited > count) return successes;
  }
}

type Round = (value: number) => number;

/** Returns a deviate. The product that chooses the method has the dtype of the arguments. */
function binomialDeviate(count: number, chance: number, round: Round, random: RandomSource): number {
  if (count <= 0 || chance <= 0) return 0;
  if (chance >= 1) return count;
  if (Number.isNaN(count) || Number.isNaN(chance)) return Number.NaN;
  const rare = chance <= 0.5 ? chance : 1 - chance;
  const draw = round(count * rare) >= 10 ? binomialByRejection : binomialByWaiting;
  const successes = draw(count, rare, random);
  return chance <= 0.5 ? successes : count - successes;
}

/** PyTorch writes these constants as float32. */
const THIRD = Math.fround(1 / 3);
const SQUEEZE = Math.fround(0.0331);

/**
 * Marsaglia and Tsang, "A simple method for generating gamma variables" (2000); below 1 by a boost.
 */
function gammaDeviate(shape: number, random: RandomSource): number {
  if (shape === 0) return 0;
  const boost = shape < 1 ? (1 - uniform53(random)) ** (1 / shape) : 1;
  const d = (shape < 1 ? shape + 1 : shape) - THIRD;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    let x = normalDeviate(random);
    while (1 + c * x <= 0) x = normalDeviate(random);
    const v = (1 + c * x) ** 3;
    const u = 1 - uniform53(random);
    const square = x * x;
    if (u < 1 - SQUEEZE * square * square) return boost * d * v;
    if (Math.log(u) < 0.5 * square + d * (1 - v + Math.log(v))) return boost * d * v;
  }
}

/** Returns the smallest normal number of a dtype: gamma draws never fall to 0. */
const tiny = ({ dtype }: Tensor): number => (dtype === "float64" ? 2 ** -1022 : 2 ** -126);

const poisson = kernel(
  "aten::poisson(Tensor self, Generator? generator=None) -> Tensor",
  ({ self }, context) => {
    const out = emptyOutput(context);
    writeNumbers(
      out,
      readFloat64(self).map((rate) => poissonDeviate(rate, context.random)),
    );
    return out;
  },
);

const binomial = kernel(
  "aten::binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor",
  ({ count, prob }, context) => {
    const out = emptyOutput(context);
    const round = rounding(out.dtype);
    const [counts, chances] = [readFloat64(count, out.shape), readFloat64(prob, out.shape)];
    writeNumbers(
      out,
      counts.map((n, i) => binomialDeviate(n, chances[i]!, round, context.random)),
    );
    return out;
  },
);

const standardGamma = kernel(
  "aten::_standard_gamma(Tensor self, Generator? generator=None) -> Tensor",
  ({ self }, context) => {
    const out = emptyOutput(context);
    const least = tiny(out);
    writeNumbers(
      out,
      readFloat64(self).map((shape) => Math.max(least, gammaDeviate(shape, context.random))),
    );
    return out;
  },
);

/** Gamma draws over their sum, kept inside of the open interval from 0 to 1. */
const sampleDirichlet = kernel(
  "aten::_sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor",
  ({ self }, context) => {
    const out = emptyOutput(context);
    const values = readFloat64(self).map((shape) => gammaDeviate(shape, context.random));
    const [least, most] = [tiny(out), out.dtype === "float64" ? 1 - 2 ** -53 : 1 - 2 ** -24];
    const round = rounding(out.dtype);
    const length = self.shape.at(-1) ?? 1;
    for (let start = 0; start < values.length; start += length) {
      const row = values.subarray(start, start + length);
      const sum = row.reduce((total, value) => total + value, 0);
      for (let i = 0; i < length; i++) row[i] = Math.min(most, Math.max(least, round(row[i]! / sum)));
    }
    writeNumbers(out, values);
    return out;
  },
);

export const randomDistributionsKernels = defineKernels([poisson, binomial, standardGamma, sampleDirichlet]);
