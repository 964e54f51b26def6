/**
 * @file Where PyTorch does not agree with itself, so that an implementation can follow only one
 * side.
 */
import { castTensor, dtypeInfo, Tensor } from "@sconce/tensor";
import { compareTensors } from "@sconce/tensor/compare";
import type { TensorComparison } from "./outcome.js";

/** How far PyTorch's own decomposition is from its kernel. */
export interface KnownDifference {
  /** Outputs that hold something else altogether. */
  readonly unlike?: readonly number[];
  /** Comparison in place of the case's tolerance. */
  readonly compare?: TensorComparison;
}

/**
 * Integers may differ by one: the decomposition rounds once, the kernel at every step or in fixed
 * point.
 */
const oneStep: TensorComparison = (got, want) => {
  const { kind } = dtypeInfo(want.dtype);
  // A half may differ by one step of its own precision.
  const atol = kind === "float" ? (HALF_STEPS[want.dtype] ?? 0) : 1;
  const scale = kind === "float" ? greatest(want) : 1;
  if (got.dtype !== want.dtype) return compareTensors(got, want, { rtol: 0, atol: 0 });
  return compareTensors(castTensor(got, "float64"), castTensor(want, "float64"), {
    rtol: 1e-6,
    atol: atol * scale,
  });
};

/**
 * Infinities are whatever they are elsewhere: the kernel takes an exponential in halves, the
 * decomposition in float32.
 */
const earlyOverflow: TensorComparison = (got, want) => {
  const layout = compareTensors(got, want, { rtol: 0, atol: 0, values: false });
  if (layout !== undefined) return layout;
  const [found, expected] = [castTensor(got, "float64"), castTensor(want, "float64")];
  const step = 4 * (HALF_STEPS[want.dtype] ?? 2 ** -22);
  const finite = (expected.data as Float64Array).map((value, i) =>
    Number.isFinite(value) ? value : (found.data as Float64Array)[i]!,
  );
  return compareTensors(found, Tensor.from([...finite], expected.shape, "float64"), {
    rtol: step,
    atol: step,
  });
};

/** Distance of neighboring values below 1. */
const HALF_STEPS: Readonly<Record<string, number>> = { float16: 2 ** -10, bfloat16: 2 ** -7 };

function greatest(tensor: Tensor): number {
  const values = castTensor(tensor, "float64").data as Float64Array;
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

/**
 * Any element of the input: a given scale puts a position on a border, and the two fall on either
 * side of it.
 */
const anotherNeighbor: TensorComparison = (got, want, inputs) => {
  const layout = compareTensors(got, want, { rtol: 0, atol: 0, values: false });
  if (layout !== undefined) return layout;
  const known = new Set(inputs.flatMap((input) => [...(castTensor(input, "float64").data as Float64Array)]));
  const stray = [...(castTensor(got, "float64").data as Float64Array)].find((value) => !known.has(value));
  return stray === undefined ? undefined : `${stray} is not an element of the input`;
};

/**
 * Halves may differ by one step of the greatest value that is weighted: the kernel rounds the
 * exponentials that it weights values with, the decomposition rounds nothing before the end.
 */
const roundedWeights: TensorComparison = (got, want, inputs) => {
  const step = HALF_STEPS[want.dtype] ?? 0;
  const strict = { rtol: 1.3e-6, atol: 1e-5 };
  if (got.dtype !== want.dtype || step === 0) return compareTensors(got, want, strict);
  return compareTensors(castTensor(got, "float64"), castTensor(want, "float64"), {
    rtol: 0,
    atol: (step * greatest(inputs[2]!)) / 2,
  });
};

/**
 * By target without `aten.`; each was measured with PyTorch's kernel against PyTorch's
 * decomposition.
 */
const DECOMPOSITIONS: readonly (readonly [RegExp, KnownDifference])[] = [
  // `_decomp` returns the attention weights where the kernel returns the logarithm of their sum.
  [/^_scaled_dot_product_flash_attention_for_cpu\./, { unlike: [1], compare: roundedWeights }],
  [/^scaled_dot_product_attention\./, { compare: roundedWeights }],
  // Bytes: fixed point of another width.
  [/^upsample_(bilinear|bicubic)2d\./, { compare: oneStep }],
  // The kernel divides by the scale, the decomposition multiplies with the quotient of the sizes.
  [/^upsample_nearest[123]d\./, { compare: anotherNeighbor }],
  [/^soft_margin_loss\./, { compare: earlyOverflow }],
  // The kernel steps in the result's dtype, the decomposition in float64.
  [/^(linspace|logspace)\./, { compare: oneStep }],
];

/** Returns how an operator is known to differ from PyTorch; undefined when it does not. */
export const knownDifference = (target: string): KnownDifference | undefined =>
  DECOMPOSITIONS.find(([pattern]) => pattern.test(target.replace(/^aten\./, "")))?.[1];

/**
 * Composites of operators whose kernels lay results out in another way than their shape rules, and
 * one that has such a kernel in PyTorch only: their shape rules do not predict strides.
 */
const OTHER_STRIDES = /^(batch_norm|nll_loss2d|nll_loss_nd|ldexp)\./;

/** Returns whether PyTorch's shape rule and kernel may give different strides. */
export const predictsOtherStrides = (target: string): boolean =>
  OTHER_STRIDES.test(target.replace(/^aten\./, ""));

/**
 * Returns whether PyTorch's shape rule gives other dtypes than its kernel for all results: float64
 * and int64 for scales and zero points that are floats of the input's precision.
 */
export const fakesScales = (target: string): boolean =>
  target === "quantized_decomposed.choose_qparams_per_token.default";

const SAVED_STATISTICS =
  /^(native_(batch|layer|group)_norm|_native_batch_norm_legit(_functional|_no_training)?|_batch_norm_with_update(_functional)?)\./;

/**
 * Returns whether PyTorch's shape rule gives saved statistics another dtype than its kernel. Beside
 * halves with float32 parameters the kernel saves float32, and the functional form keeps the dtype
 * of running statistics that are halves.
 */
export const fakesOtherDTypes = (target: string, dtypes: readonly string[]): boolean =>
  SAVED_STATISTICS.test(target.replace(/^aten\./, "")) && dtypes.some((dtype) => /float16$/.test(dtype));
