/** @file Which branches may be computed for nothing. */
import { boundsOf, forEachAtom, isWithin } from "../ir/index-expr.js";
import { partsOf } from "../ir/scalar.js";
import type { Scalar } from "../ir/terms.js";
import type { KernelMemory } from "../kernel/kernel.js";
import type { Target } from "../kernel/target.js";
import { operationsOfCall } from "./call-cost.js";

type LoadScalar = Extract<Scalar, { kind: "load" }>;

/** The kernel that a branch is written into. */
interface BranchKernel {
  readonly target: Target;
  /** Whether a scalar has been computed. */
  readonly isKnown: (scalar: Scalar) => boolean;
  /** The memory of a buffer that is read. */
  readonly buffer: (id: number) => KernelMemory;
}

/**
 * Returns whether a branch may be computed for nothing: it takes few operations and cannot fail.
 */
export function isHarmless(branch: Scalar, kernel: BranchKernel): boolean {
  let left = kernel.target.speculation.operations;
  // More than that many parts are not looked at.
  const take = (scalar: Scalar): void => {
    if (left < 0 || scalar.kind === "constant" || kernel.isKnown(scalar)) return;
    left -= ownCost(scalar, kernel);
    if (left >= 0 && (scalar.kind === "call" || scalar.kind === "cast")) partsOf(scalar).forEach(take);
  };
  take(branch);
  return left >= 0;
}

/** Operations of a scalar without its parts; infinite where it must not be computed for nothing. */
function ownCost(scalar: Scalar, kernel: BranchKernel): number {
  switch (scalar.kind) {
    case "index":
      return scalar.index.terms.length <= 1 ? 0 : 1;
    case "load":
      return mayLoad(scalar, kernel.target) && isInside(scalar, kernel) ? 1 : Number.POSITIVE_INFINITY;
    case "cast":
      return 0;
    case "call":
      return operationsOfCall(scalar);
    default:
      return Number.POSITIVE_INFINITY;
  }
}

function mayLoad({ index }: LoadScalar, { speculation: { loads } }: Target): boolean {
  if (loads !== "known") return loads;
  let isKnown = true;
  forEachAtom(index, ({ kind }) => {
    isKnown &&= kind !== "value";
  });
  return isKnown;
}

function isInside({ index, buffer }: LoadScalar, kernel: BranchKernel): boolean {
  const { length, elements } = kernel.buffer(buffer);
  if (elements !== undefined) return isWithin(index, elements);
  const { min, max } = boundsOf(index);
  return min !== undefined && max !== undefined && min >= 0 && max < length;
}
