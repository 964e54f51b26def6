/** @file How a result differs from PyTorch's, with tolerances for programs of a few calls. */
import type { Value } from "@sconce/ir";
import { type DType, Tensor } from "@sconce/tensor";
import { compareTensors } from "@sconce/tensor/compare";
import type { Kind } from "./findings.js";
import { type RecordedTensor, resultOf } from "./recorded.js";

export interface Difference {
  readonly kind: Kind;
  readonly text: string;
}

interface Tolerance {
  readonly rtol: number;
  /** Of the largest element, and at most of 1: sums cancel. */
  readonly atol: number;
}
const TOLERANCES: Partial<Record<DType, Tolerance>> = {
  float32: { rtol: 1e-4, atol: 1e-5 },
  complex64: { rtol: 1e-4, atol: 1e-5 },
  float64: { rtol: 1e-8, atol: 1e-9 },
  complex128: { rtol: 1e-8, atol: 1e-9 },
  float16: { rtol: 4e-3, atol: 2e-3 },
  bfloat16: { rtol: 3e-2, atol: 1.5e-2 },
};
const EXACT: Tolerance = { rtol: 0, atol: 0 };

const numbers = (text: string): Difference => ({ kind: "other numbers", text });

/** In what a value differs from the recorded one, if in anything: numbers first. */
export function valueDifference(got: Value | undefined, recorded: RecordedTensor): Difference | undefined {
  if (!(got instanceof Tensor)) return numbers(`a ${typeof got}, wanted a tensor`);
  const want = resultOf(recorded);
  const { rtol, atol } = TOLERANCES[want.dtype] ?? EXACT;
  const different = compareTensors(got, want, { rtol, atol: atol * Math.min(largest(want), 1) });
  if (different !== undefined) return numbers(different);
  const zero = otherZero(got, want);
  if (zero !== undefined) return { kind: "other sign of zero", text: zero };
  // PyTorch's strides of dimensions with one element differ between its own kernels.
  const hasFreeStrides = want.shape.some((size) => size <= 1);
  if (hasFreeStrides || got.strides.join() === recorded.strides.join()) return undefined;
  const [gotText, wantText] = [got.strides.join(", "), recorded.strides.join(", ")];
  return { kind: "other strides", text: `strides [${gotText}], wanted [${wantText}]` };
}

function largest(tensor: Tensor): number {
  let most = 0;
  for (const value of lanes(tensor)) if (Number.isFinite(value)) most = Math.max(most, Math.abs(value));
  return most;
}

function otherZero(got: Tensor, want: Tensor): string | undefined {
  if (TOLERANCES[want.dtype] === undefined) return undefined;
  const wanted = lanes(want);
  const at = lanes(got).findIndex(
    (value, i) => value === 0 && wanted[i] === 0 && !Object.is(value, wanted[i]),
  );
  if (at === -1) return undefined;
  return `element ${at} is ${Object.is(wanted[at], 0) ? "-0, wanted 0" : "0, wanted -0"}`;
}

/** Returns the numbers of a tensor of floats; none for other dtypes. */
function lanes(tensor: Tensor): number[] {
  return tensor.toArray().flatMap((element) => {
    if (typeof element === "number") return [element];
    return typeof element === "object" ? [element.re, element.im] : [];
  });
}
