/** @file What the numbers of a tensor look like: range, and counts of NaN and infinities. */
import { isFloat, type ScalarLiteral, toNumber } from "@sconce/ir";
import { dtypeInfo, forEachPosition, isComplexDType, isFloatDType, laneReader, Tensor } from "@sconce/tensor";

/** What counts as nonfinite: NaN and infinities, or NaN only. */
export type NonfiniteKind = "any" | "nan";

/** What a tensor holds, in numbers. */
export interface TensorSummary {
  /** `float` for a Python scalar. */
  readonly dtype: string;
  /** Sizes, outermost dimension first. */
  readonly shape: readonly number[];
  /** The number of elements. */
  readonly numel: number;
  /** Range of the finite elements; both parts of complex ones. Undefined when there are none. */
  readonly min: number | undefined;
  /** The greatest finite element; undefined when there are none. */
  readonly max: number | undefined;
  /** Elements that are NaN, or have a part that is; and elements that are infinite. */
  readonly nan: number;
  /** The number of elements that are infinity. */
  readonly positiveInfinity: number;
  /** The number of elements that are minus infinity. */
  readonly negativeInfinity: number;
  /** The first element, in row-major order, that was looked for. */
  readonly first: { readonly index: readonly number[]; readonly value: number } | undefined;
}

const isMeant = (value: number, kind: NonfiniteKind): boolean =>
  kind === "nan" ? Number.isNaN(value) : !Number.isFinite(value);

/**
 * Returns whether a tensor or scalar holds NaN, or infinity unless only NaN is meant. Integers and
 * bools never do.
 */
export function hasNonfinite(value: unknown, kind: NonfiniteKind): boolean {
  if (typeof value === "number") return isMeant(value, kind);
  if (!(value instanceof Tensor)) return isFloat(value) && isMeant(toNumber(value as ScalarLiteral), kind);
  const { dtype, shape, strides, storageOffset } = value;
  // State that no node reads may have no values.
  if ((!isFloatDType(dtype) && !isComplexDType(dtype)) || !value.hasValues) return false;
  const { lanes } = dtypeInfo(dtype);
  const read = laneReader(dtype, value.data);
  let found = false;
  forEachPosition(shape, strides, storageOffset, (position) => {
    if (found) return;
    for (let lane = 0; lane < lanes; lane++) if (isMeant(read(position * lanes + lane), kind)) found = true;
  });
  return found;
}

/** Summarizes a tensor or scalar in one pass. */
export function summaryOf(value: Tensor | number, kind: NonfiniteKind): TensorSummary {
  const isTensor = value instanceof Tensor;
  const shape = isTensor ? value.shape : [];
  const lanes = isTensor ? dtypeInfo(value.dtype).lanes : 1;
  const counted = { nan: 0, positiveInfinity: 0, negativeInfinity: 0 };
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let first: { index: number[]; value: number } | undefined;
  const read = isTensor ? laneReader(value.dtype, value.data) : () => value;
  const visit = (position: number, ordinal: number): void => {
    let odd = 0;
    for (let lane = 0; lane < lanes; lane++) {
      const part = read(position * lanes + lane);
      if (Number.isFinite(part)) [min, max] = [Math.min(min, part), Math.max(max, part)];
      // A part that is NaN makes the element NaN.
      else if (!Number.isNaN(odd)) odd = part;
    }
    if (odd === 0) return;
    counted[Number.isNaN(odd) ? "nan" : odd > 0 ? "positiveInfinity" : "negativeInfinity"]++;
    if (first === undefined && isMeant(odd, kind)) first = { index: indexOf(ordinal, shape), value: odd };
  };
  if (isTensor) forEachPosition(shape, value.strides, value.storageOffset, visit);
  else visit(0, 0);
  const hasRange = min <= max;
  return {
    dtype: isTensor ? value.dtype : "float",
    shape,
    numel: isTensor ? value.numel : 1,
    min: hasRange ? min : undefined,
    max: hasRange ? max : undefined,
    ...counted,
    first,
  };
}

function indexOf(ordinal: number, shape: readonly number[]): number[] {
  const index = new Array<number>(shape.length);
  let rest = ordinal;
  for (let d = shape.length - 1; d >= 0; d--) {
    index[d] = rest % shape[d]!;
    rest = Math.floor(rest / shape[d]!);
  }
  return index;
}
