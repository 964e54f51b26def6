/** @file Draws by probability: coins, dropout, leaky slopes. */

import { type FakeTensor, type ScalarLiteral, toNumber } from "@sconce/ir";
import { broadcastStrides, type Tensor } from "@sconce/tensor";
import { readNumbers, writeNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import {
  allocate,
  defineKernels,
  emptyOutput,
  emptyOutputs,
  kernel,
  type RandomSource,
  rowsOutput,
} from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { inMemoryOrder, isWide, memoryDims, permuted, uniform24, uniform53 } from "./random-engine.js";

/** True with the probabilities of a tensor that has the sizes of `like` or broadcasts to them. */
function byChances(p: Tensor, like: Tensor, random: RandomSource): Float64Array {
  const chances = readNumbers(p.asStrided(like.shape, broadcastStrides(p.shape, p.strides, like.shape)));
  const wide = isWide(p);
  const values = scratch(Float64Array, chances.length);
  for (let i = 0; i < values.length; i++) {
    const chance = chances[i]!;
    if (!(chance >= 0 && chance <= 1))
      throw invalidArgument(`Expected p_in >= 0 && p_in <= 1 to be true, got ${chance}`);
    values[i] = (wide ? uniform53(random) : uniform24(random)) < chance ? 1 : 0;
  }
  return values;
}

const bernoulli = kernel(
  "aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor",
  ({ self }, context) => {
    const out = emptyOutput(context);
    writeNumbers(out, byChances(self, out, context.random));
    return out;
  },
);

/** As `bernoulli_` on a copy, so in the order of memory. */
const bernoulliTensor = kernel(
  "aten::bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor",
  ({ p }, context) => {
    const out = emptyOutput(context);
    const order = memoryDims(out);
    const chances = p.asStrided(out.shape, broadcastStrides(p.shape, p.strides, out.shape));
    const ordered = permuted(out, order);
    writeNumbers(ordered, byChances(permuted(chances, order), ordered, context.random));
    return out;
  },
);

function coinFlips(count: number, chance: number, random: RandomSource): Float64Array {
  const values = scratch(Float64Array, count);
  for (let i = 0; i < count; i++) values[i] = uniform53(random) < chance ? 1 : 0;
  return values;
}

const bernoulliScalar = kernel(
  "aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor",
  ({ p = 0.5 }, context) => {
    const out = emptyOutput(context);
    const chance = typeof p === "number" ? p : readNumbers(p)[0]!;
    writeNumbers(out, coinFlips(out.numel, chance, context.random));
    return out;
  },
);

/** In the order of memory, which the functional form's fresh result need not share. */
const bernoulliInPlace = kernel(
  "aten::bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)",
  ({ self, p }, { random }) => {
    writeNumbers(inMemoryOrder(self), coinFlips(self.numel, p, random));
    return self;
  },
);

const nativeDropout = kernel(
  "aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)",
  ({ input, p, train }, context) => {
    const [out, mask] = emptyOutputs(context);
    if (input.numel === 0) return [input, mask];
    const kept = permuted(mask, memoryDims(out));
    if (train === false) writeNumbers(kept, scratch(Float64Array, out.numel).fill(1));
    else writeNumbers(kept, coinFlips(out.numel, 1 - p, context.random));
    const scale = train === false ? 1 : p === 1 ? 0 : 1 / (1 - p);
    return [scaled(out, input, mask, scale), mask];
  },
);

/** `input * mask * scale` with one rounding. */
function scaled(out: Tensor, input: Tensor, mask: Tensor, scale: number): Tensor {
  const [values, kept] = [readNumbers(input), readNumbers(mask)];
  writeNumbers(
    out,
    Float64Array.from(values as Float64Array, (value, i) => value * kept[i]! * scale),
  );
  return out;
}

/**
 * As dispatched outside of graphs (`_dropout_impl`, Dropout.cpp), where certain loss draws nothing.
 */
const dropout = kernel(
  "aten::dropout(Tensor input, float p, bool train) -> Tensor",
  ({ input, p, train }, context) => {
    if (!train || p === 0 || input.numel === 0) return input;
    const out = emptyOutput(context);
    // The noise is as precise as the input.
    const noise = allocate(context.meta as FakeTensor);
    if (p < 1) {
      const flips = coinFlips(out.numel, 1 - p, context.random);
      writeNumbers(
        inMemoryOrder(noise),
        flips.map((flip) => flip / (1 - p)),
      );
    }
    return scaled(out, input, noise, 1);
  },
);

/** In training each negative element gets its own slope, which is the second result. */
const rreluFunctional = kernel(
  "aten::rrelu_with_noise_functional(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> (Tensor, Tensor noise_out)",
  ({ self, noise, lower, upper, training }, context) => {
    const [out, slopes] = emptyOutputs(context);
    if (training) refuseHalf(self);
    const { values, used } = leaky(self, readNumbers(noise), { lower, upper, training }, context.random);
    writeNumbers(out, values);
    writeNumbers(slopes, used);
    return [out, slopes];
  },
);

interface LeakyArgs {
  readonly lower: ScalarLiteral;
  readonly upper: ScalarLiteral;
  readonly training: boolean;
}

/** Returns the elements with their slopes: the given ones outside of training. */
function leaky(
  self: Tensor,
  slopes: ArrayLike<number>,
  { lower, upper, training }: LeakyArgs,
  random: RandomSource,
): { readonly values: Float64Array; readonly used: Float64Array } {
  const [low, high] = [toNumber(lower), toNumber(upper)];
  const values = Float64Array.from(readNumbers(self) as Float64Array);
  const used = Float64Array.from(slopes);
  for (let i = 0; i < values.length; i++) {
    const isNegative = values[i]! <= 0;
    const drawn = training && isNegative ? uniform53(random) * (high - low) + low : 1;
    if (training) used[i] = drawn;
    if (isNegative) values[i]! *= training ? drawn : (low + high) / 2;
  }
  return { values, used };
}

/** As dispatched outside of graphs: the result lies in rows, whatever its operand does. */
const rrelu = kernel(
  "aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> Tensor",
  ({ self, ...args }, context) => {
    if (args.training) refuseHalf(self);
    const out = rowsOutput(context);
    writeNumbers(out, leaky(self, scratch(Float64Array, self.numel), args, context.random).values);
    return out;
  },
);

function refuseHalf({ dtype }: Tensor): void {
  if (dtype === "float16") throw invalidArgument("\"rrelu_with_noise_out_cpu\" not implemented for 'Half'");
}

const SELU_SLOPE = 1.7580993408473766;

/**
 * Dropped values become the negative limit of SELU, and mean and variance stay (`_dropout_impl`,
 * Dropout.cpp).
 */
const alphaDropout = kernel(
  "aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor",
  ({ input, p, train }, context) => {
    if (!train || p === 0 || input.numel === 0) return input;
    const out = emptyOutput(context);
    if (p === 1) return scaled(out, input, out, 1);
    const scale = 1 / Math.sqrt((SELU_SLOPE * SELU_SLOPE * p + 1) * (1 - p));
    const order = memoryDims(out);
    const flips = coinFlips(out.numel, 1 - p, context.random);
    const values = readNumbers(permuted(input, order));
    writeNumbers(
      permuted(out, order),
      flips.map((flip, i) => values[i]! * flip * scale + SELU_SLOPE * scale * (flip - 1 + p)),
    );
    return out;
  },
);

export const randomChoiceKernels = defineKernels([
  bernoulli,
  bernoulliScalar,
  bernoulliTensor,
  bernoulliInPlace,
  nativeDropout,
  dropout,
  alphaDropout,
  rrelu,
  rreluFunctional,
]);
