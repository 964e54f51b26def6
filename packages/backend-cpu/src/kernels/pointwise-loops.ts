/**
 * @file Loops of frequent functions, written out so that nothing is called for an element that
 * could be inlined.
 */
import type { Lane, LaneLoop } from "./pointwise-loop.js";
import { erf, erfSingle } from "./pointwise-special.js";

export const copyLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = a[i]!;
};

export const negateLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = -a[i]!;
};

export const absoluteLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = Math.abs(a[i]!);
};

export const sqrtLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = Math.sqrt(a[i]!);
};

export const rsqrtLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = 1 / Math.sqrt(a[i]!);
};

export const reciprocalLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = 1 / a[i]!;
};

export const squareLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = a[i]! * a[i]!;
};

export const cubeLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = a[i]! * a[i]! * a[i]!;
};

export const reluLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = a[i]! < 0 ? 0 : a[i]!;
};

export const expLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = Math.exp(a[i]!);
};

export const tanhLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = Math.tanh(a[i]!);
};

export const sigmoidLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = 1 / (1 + Math.exp(-a[i]!));
};

/** The divisor is a float32, which overflows. */
export const sigmoidSingleLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = 1 / Math.fround(1 + Math.exp(-a[i]!));
};

/** Nine digits are enough for an output that is float32 side by side, and take half the time. */
export const erfLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  if (out instanceof Float32Array) for (let i = 0; i < count; i++) out[i] = erfSingle(a[i]!);
  else for (let i = 0; i < count; i++) out[i] = erf(a[i]!);
};

export const siluLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = a[i]! / (1 + Math.exp(-a[i]!));
};

/** The divisor is a float32, which overflows. */
export const siluSingleLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = a[i]! / Math.fround(1 + Math.exp(-a[i]!));
};

export const hardsigmoidLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = Math.min(Math.max(a[i]! + 3, 0), 6) / 6;
};

export const hardswishLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = (a[i]! * Math.min(Math.max(a[i]! + 3, 0), 6)) / 6;
};

/** The product is a float32 before it is divided, in which it overflows. */
export const hardswishSingleLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = Math.fround(a[i]! * Math.min(Math.max(a[i]! + 3, 0), 6)) / 6;
};

export const geluLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) out[i] = a[i]! * 0.5 * (1 + erf(a[i]! * Math.SQRT1_2));
};

/**
 * PyTorch computes all but float64 with oneDNN. Its code for AVX-512 gives NaN at infinity, its
 * code for AVX2 infinity; the recorded calls have NaN.
 */
export const geluSingleLoop: LaneLoop = (out, [x], count) => {
  const a = x as Lane;
  for (let i = 0; i < count; i++) {
    const value = a[i]!;
    out[i] = value === Infinity ? Number.NaN : value * 0.5 * (1 + erfSingle(value * Math.SQRT1_2));
  }
};
