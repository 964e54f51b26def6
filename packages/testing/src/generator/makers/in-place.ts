import type { Argument } from "@sconce/ir";
import { float } from "@sconce/ir";
import { Skip, type Val } from "../step/draft.js";
import { rounded } from "../step/facts.js";
import { broadcastsTo, floats, type Maker, type Step } from "../step/step.js";

/**
 * Returns whether a value may be written to: it is not a constant, and has no two elements in one
 * place.
 */
const writable = (val: Val): boolean =>
  floats(val) &&
  val.facts.home !== "constant" &&
  val.fake.strides.every((stride, d) => stride !== 0 || val.fake.shape[d] === 1);

/** Returns a value to write to; now and then a new buffer. */
function target(step: Step): Val {
  if (step.choose.below(4) === 3)
    return step.buffer("float32", [1 + step.choose.below(3), 1 + step.choose.below(3)]);
  return step.pick(writable);
}

/** Writes: everything that shares the storage may hold the new elements from now on. */
function write(
  step: Step,
  name: string,
  val: Val,
  args: readonly (Argument | Val)[],
  bound: number,
  noise: number,
): void {
  const { facts, fake } = val;
  const after = rounded(bound, noise, fake.dtype);
  facts.bound = Math.max(facts.bound, after.bound);
  facts.noise = Math.max(facts.noise, after.noise);
  facts.exact = false;
  step.draft.call(name, [val, ...args], facts);
}

const one = (
  name: string,
  bound: (b: number) => number,
  args: readonly Argument[] = [],
  slope = 1,
): Maker => ({
  targets: [`aten.${name}`],
  mutates: true,
  make(step, wanted) {
    const val = target(step);
    write(step, wanted, val, args, bound(val.facts.bound), val.facts.noise * slope);
  },
});

type Fits = (val: Val, other: Val) => boolean;
const narrower: Fits = (val, other) => broadcastsTo(val.fake.shape, other.fake.shape);
const alike: Fits = (val, other) =>
  val.fake.dtype === other.fake.dtype &&
  val.fake.ndim === other.fake.ndim &&
  narrower(val, other) &&
  narrower(other, val);

const two = (
  name: string,
  bound: (a: number, b: number) => number,
  noise: (a: Val, b: Val) => number,
  fits: Fits = narrower,
): Maker => ({
  targets: [`aten.${name}`],
  mutates: true,
  make(step, wanted) {
    const val = target(step);
    const other =
      step.choose.rendezvous(
        step.draft.vals.filter((item) => floats(item) && item.facts !== val.facts && fits(val, item)),
      ) ?? step.constant(val.fake.dtype, val.fake.shape);
    if (other.fake.ndim > val.fake.ndim) throw new Skip();
    write(step, wanted, val, [other], bound(val.facts.bound, other.facts.bound), noise(val, other));
  },
});

const sum = (a: number, b: number): number => a + b;
const sumNoise = (a: Val, b: Val): number => a.facts.noise + b.facts.noise;

/** In-place operators, on intermediate values, views of them, buffers and user inputs. */
export const inPlace: readonly Maker[] = [
  one("relu_.default", (b) => b),
  one("neg_.default", (b) => b),
  one("sigmoid_.default", () => 1),
  one("zero_.default", () => 0),
  one("fill_.Scalar", () => 1, [float(1)]),
  one("mul_.Scalar", (b) => 2 * b, [float(2)], 2),
  one("add_.Scalar", (b) => b + 0.5, [0.5]),
  one("clamp_.default", () => 1, [float(-1), float(1)]),
  two("add_.Tensor", sum, sumNoise),
  two("sub_.Tensor", sum, sumNoise),
  // PyTorch lowers `buffer.copy_(value)` to the value itself, whatever its shape and dtype: only
  // copies of the same type keep their meaning.
  two(
    "copy_.default",
    (_, b) => b,
    (_, b) => b.facts.noise,
    alike,
  ),
  two(
    "mul_.Tensor",
    (a, b) => a * b,
    (a, b) => a.facts.noise * b.facts.bound + b.facts.noise * a.facts.bound,
  ),
];
