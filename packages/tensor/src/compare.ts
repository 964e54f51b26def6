/** @file Comparison of tensors as PyTorch's `allclose`: `|got - want| <= atol + rtol * |want|`. */
import { checkOptions, type OptionNames } from "@sconce/errors";
import { sameBytes } from "./bytes.js";
import { dtypeInfo, isBigIntDType, type TypedArray } from "./dtype.js";
import { laneReader } from "./element.js";
import type { Tensor } from "./tensor.js";

/** How close values have to be. Integers and bools are always compared exactly. */
export interface Closeness {
  /** Relative tolerance, of the expected value. */
  readonly rtol: number;
  /** Absolute tolerance. */
  readonly atol: number;
  /** False to compare shapes and dtypes only. */
  readonly values?: boolean;
}

const CLOSENESS: OptionNames<Closeness> = { rtol: true, atol: true, values: true };

/** In what two tensors differ, or undefined. Shape and dtype first, then values; NaN equals NaN. */
export function compareTensors(got: Tensor, want: Tensor, closeness: Closeness): string | undefined {
  checkOptions("compareTensors", closeness, CLOSENESS);
  if (got.dtype !== want.dtype) return `dtype ${got.dtype}, wanted ${want.dtype}`;
  if (got.shape.join() !== want.shape.join())
    return `shape [${got.shape.join(", ")}], wanted [${want.shape.join(", ")}]`;
  return closeness.values === false ? undefined : valueDifference(got, want, closeness);
}

/**
 * Returns whether two tensors of one dtype and shape hold the same bits: NaN equals itself, zeros
 * of other sign do not. Two tensors without values count as the same, one with and one without do
 * not; no bytes are read then.
 */
export function sameValues(a: Tensor, b: Tensor): boolean {
  if (a === b) return true;
  if (!a.hasValues || !b.hasValues) return a.hasValues === b.hasValues;
  return sameBytes(bytesOf(a), bytesOf(b));
}

/** Returns the elements in logical order, as they lie in a row-major tensor. */
function bytesOf(tensor: Tensor): Uint8Array {
  const { dtype, numel, storage, storageOffset } = tensor.contiguous();
  const { itemSize } = dtypeInfo(dtype);
  return storage.bytes.subarray(storageOffset * itemSize, (storageOffset + numel) * itemSize);
}

/** In what strides (where they matter) or, for views, offsets differ. */
export function sameLayout(got: Tensor, want: Tensor, view: boolean): string | undefined {
  if (got.shape.join() !== want.shape.join()) return undefined;
  if (view && got.storageOffset !== want.storageOffset)
    return `offset ${got.storageOffset}, wanted ${want.storageOffset}`;
  if (want.numel === 0) return undefined;
  const differs = want.shape.some((size, d) => size > 1 && got.strides[d] !== want.strides[d]);
  return differs ? `strides [${got.strides.join(", ")}], wanted [${want.strides.join(", ")}]` : undefined;
}

function valueDifference(got: Tensor, want: Tensor, { rtol, atol }: Closeness): string | undefined {
  const { kind, lanes } = dtypeInfo(want.dtype);
  const exact = kind === "int" || kind === "bool";
  const [gotAt, wantAt] = [positions(got), positions(want)];
  const [gotLane, wantLane] = [reader(got), reader(want)];
  let worst = -1;
  let worstText = "";
  for (let i = 0; i < wantAt.length; i++) {
    for (let lane = 0; lane < lanes; lane++) {
      const a = gotLane(gotAt[i]! * lanes + lane);
      const b = wantLane(wantAt[i]! * lanes + lane);
      if (a === b || (Number.isNaN(a) && Number.isNaN(b))) continue;
      const excess =
        exact || typeof a === "bigint" ? Number.POSITIVE_INFINITY : excessOf(a, b as number, rtol, atol);
      if (excess > worst) [worst, worstText] = [excess, `element ${i} is ${String(a)}, wanted ${String(b)}`];
    }
  }
  return worst > 0 ? worstText : undefined;
}

/** Returns how far beyond the tolerance; positive means a difference. */
function excessOf(a: number, b: number, rtol: number, atol: number): number {
  if (!Number.isFinite(a) || !Number.isFinite(b)) return Number.POSITIVE_INFINITY;
  return Math.abs(a - b) - (atol + rtol * Math.abs(b));
}

function reader(tensor: Tensor): (lane: number) => number | bigint {
  if (isBigIntDType(tensor.dtype)) {
    const data: TypedArray = tensor.data;
    return (lane) => data[lane]!;
  }
  return laneReader(tensor.dtype, tensor.data);
}

function positions({ shape, strides, storageOffset }: Tensor): number[] {
  let at = [storageOffset];
  shape.forEach((size, d) => {
    const next: number[] = [];
    for (const base of at) for (let i = 0; i < size; i++) next.push(base + i * strides[d]!);
    at = next;
  });
  return at;
}
