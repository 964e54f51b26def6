/** @file The driver of elementwise kernels: broadcasting, strides, dtypes and the exact path for large integers. */
import { internalError } from "@sconce/errors";
import { type ComplexLiteral, isInt, type ScalarLiteral, toNumber } from "@sconce/ir";
import {
  type DType, dtypeInfo, isBigIntDType, type PromotionOperand, resultType, Tensor,
} from "@sconce/tensor";
import { copyInto } from "../copy.js";
import { readBigInts, readComplex, writeBigInts, writeComplex, writeNumbers } from "../dense.js";
import { broadcastView, eachRun, type StridedView } from "../strided.js";
import { type LoadLane, laneLoader, laneRounder, laneStorer } from "./pointwise-lanes.js";

/** A tensor, or the Python number given in its place. */
export type Operand = Tensor | ScalarLiteral;

export type Lane = Float64Array | Float32Array;
/** Computes `count` results from as many elements of each input. `out` may be one of the inputs. */
export type LaneLoop = (out: Lane, inputs: readonly Lane[], count: number) => void;
/** As {@link LaneLoop}, on interleaved pairs; `count` counts pairs. A real result fills the first `count` places. */
export type ComplexLoop = (out: Float64Array, inputs: readonly Float64Array[], count: number) => void;

/** An elementwise operation in the number systems that it supports. */
export interface Elementwise {
  readonly real?: LaneLoop | undefined;
  /** For int64 and uint64 beyond 2^53; without it such values are computed as float64. */
  readonly big?: ((...values: bigint[]) => bigint) | undefined;
  readonly complex?: ComplexLoop | undefined;
}

/** Elements a pass works on: three lanes stay within the first-level cache. */
const LANE_LENGTH = 1024;

export const isTensorOperand = (operand: Operand): operand is Tensor =>
  typeof operand === "object" && "storage" in operand;

/** The dtype that PyTorch computes these operands in. */
export const commonDType = (operands: readonly Operand[]): DType => resultType(operands.map(promotionOf));

function promotionOf(operand: Operand): PromotionOperand {
  if (isTensorOperand(operand)) {
    return { dtype: operand.dtype, rank: operand.ndim > 0 ? "dimensioned" : "zeroDim" };
  }
  return { dtype: numberDType(operand), rank: "wrappedNumber" };
}

/** The dtype that stands for a Python number. */
export function numberDType(value: ScalarLiteral): DType {
  if (typeof value === "boolean") return "bool";
  if (isInt(value)) return "int64";
  return typeof value === "object" && value.kind === "complex" ? "complex128" : "float64";
}

/**
 * Computes `operation` on operands broadcast to the shape of `out`.
 *
 * @param computeDType - what operands are converted to first; the dtype of `out` when left out
 */
export function elementwise(
  operation: Elementwise, out: Tensor, operands: readonly Operand[], computeDType: DType = out.dtype,
): Tensor {
  if (!fillsItsStorage(out)) {
    const dense = Tensor.empty(out.shape, out.dtype);
    copyInto(out, elementwise(operation, dense, operands, computeDType));
    return out;
  }
  if (dtypeInfo(computeDType).kind === "complex") return runComplex(operation, out, operands, computeDType);
  if (operation.real === undefined) throw internalError("an elementwise operation without a real loop");
  const exact = runReal(operation.real, out, operands, computeDType);
  if (!exact && operation.big !== undefined && isBigIntDType(computeDType)) runBig(operation.big, out, operands);
  return out;
}

/** Lanes are stored one after the other, so an output may not be part of something larger. */
const fillsItsStorage = (out: Tensor): boolean =>
  out.storage.byteLength === out.numel * dtypeInfo(out.dtype).itemSize;

function runReal(loop: LaneLoop, out: Tensor, operands: readonly Operand[], dtype: DType): boolean {
  const total = out.numel;
  if (total === 0) return true;
  const sources = operands.map((operand) => new LaneSource(operand, dtype, Math.min(total, LANE_LENGTH)));
  const strided = sources.filter((source) => source.tensor !== undefined);
  const views: StridedView[] = [out];
  for (const source of strided) views.push(broadcastView(source.tensor!, out.shape));
  if (runDirect(loop, out, sources, views, dtype)) return true;
  return new LanePass(loop, out, sources, strided).run(views);
}

/** One operand: a constant lane, or a lane that is filled from the tensor. */
class LaneSource {
  readonly lane: Float64Array;
  readonly tensor: Tensor | undefined;
  readonly load: LoadLane | undefined;
  readonly round: ((lane: Float64Array, count: number) => void) | undefined;
  exact = true;

  constructor(operand: Operand, dtype: DType, length: number) {
    this.lane = new Float64Array(length);
    if (!isTensorOperand(operand)) {
      this.lane[0] = toNumber(operand);
      this.exact = typeof operand !== "bigint";
      this.#fill(dtype);
      return;
    }
    if (operand.dtype !== dtype) this.round = laneRounder(dtype);
    this.load = laneLoader(operand);
    if (operand.numel === 1) {
      this.exact = this.load(operand.storageOffset, 0, this.lane, 0, 1);
      this.#fill(dtype);
    } else this.tensor = operand;
  }

  #fill(dtype: DType): void {
    laneRounder(dtype)?.(this.lane, 1);
    this.lane.fill(this.lane[0]!);
  }
}

/** Gathers runs into lanes until they are full, computes, and stores; output memory is visited in order. */
class LanePass {
  #filled = 0;
  #to: number;
  readonly #length: number;
  readonly #result: Float64Array;
  readonly #inputs: readonly Float64Array[];
  readonly #store: (lane: Float64Array, to: number, count: number) => boolean;
  #exact: boolean;

  constructor(
    readonly loop: LaneLoop, readonly out: Tensor, readonly sources: readonly LaneSource[],
    readonly strided: readonly LaneSource[],
  ) {
    this.#length = Math.min(out.numel, LANE_LENGTH);
    this.#result = new Float64Array(this.#length);
    this.#inputs = sources.map((source) => source.lane);
    this.#store = laneStorer(out);
    this.#to = out.storageOffset;
    this.#exact = sources.every((source) => source.exact);
  }

  run(views: readonly StridedView[]): boolean {
    eachRun(this.out.shape, views, (offsets, steps, count) => this.#gather(offsets, steps, count));
    this.#flush();
    return this.#exact;
  }

  #gather(offsets: readonly number[], steps: readonly number[], count: number): void {
    for (let done = 0; done < count; ) {
      const take = Math.min(count - done, this.#length - this.#filled);
      for (let k = 0; k < this.strided.length; k++) {
        const source = this.strided[k]!;
        const step = steps[k + 1]!;
        if (!source.load!(offsets[k + 1]! + done * step, step, source.lane, this.#filled, take)) this.#exact = false;
      }
      done += take;
      this.#filled += take;
      if (this.#filled === this.#length) this.#flush();
    }
  }

  #flush(): void {
    const count = this.#filled;
    if (count === 0) return;
    for (const source of this.strided) source.round?.(source.lane, count);
    this.loop(this.#result, this.#inputs, count);
    if (!this.#store(this.#result, this.#to, count)) this.#exact = false;
    this.#to += count;
    this.#filled = 0;
  }
}

/** Runs the loop over the storages themselves when all are equally laid out float32 or float64. */
function runDirect(
  loop: LaneLoop, out: Tensor, sources: readonly LaneSource[], views: readonly StridedView[], dtype: DType,
): boolean {
  if (out.dtype !== dtype || (dtype !== "float32" && dtype !== "float64")) return false;
  if (sources.some(({ tensor }) => tensor !== undefined && tensor.dtype !== dtype)) return false;
  if (!views.every((view) => out.shape.every((size, d) => size === 1 || view.strides[d] === out.strides[d]))) {
    return false;
  }
  const length = sources.some(({ tensor }) => tensor === undefined) ? LANE_LENGTH : out.numel;
  for (let done = 0; done < out.numel; done += length) {
    const count = Math.min(length, out.numel - done);
    const inputs = sources.map(({ tensor, lane }) => (tensor === undefined ? lane : piece(tensor, done, count)));
    loop(piece(out, done, count), inputs, count);
  }
  return true;
}

const piece = ({ data, storageOffset }: Tensor, start: number, count: number): Lane =>
  (data as Lane).subarray(storageOffset + start, storageOffset + start + count);

function runBig(big: (...values: bigint[]) => bigint, out: Tensor, operands: readonly Operand[]): void {
  const total = out.numel;
  const unsigned = out.dtype === "uint64";
  const inputs = operands.map((operand) => isTensorOperand(operand)
    ? readBigInts(operand, out.shape)
    : new BigInt64Array(total).fill(BigInt(typeof operand === "object" ? toNumber(operand) : operand)));
  const results = unsigned ? new BigUint64Array(total) : new BigInt64Array(total);
  const values = inputs.map(() => 0n);
  for (let i = 0; i < total; i++) {
    for (let k = 0; k < inputs.length; k++) values[k] = inputs[k]![i]!;
    results[i] = big(...values);
  }
  writeBigInts(out, results);
}

function runComplex(operation: Elementwise, out: Tensor, operands: readonly Operand[], dtype: DType): Tensor {
  if (operation.complex === undefined) throw internalError("an elementwise operation without a complex loop");
  const total = out.numel;
  const narrow = dtype === "complex64" ? Math.fround : (x: number): number => x;
  const inputs = operands.map((operand) => {
    if (isTensorOperand(operand)) return readComplex(operand, out.shape);
    const { re, im } = complexOf(operand);
    const pairs = new Float64Array(2 * total);
    for (let i = 0; i < pairs.length; i += 2) {
      pairs[i] = narrow(re);
      pairs[i + 1] = narrow(im);
    }
    return pairs;
  });
  const real = dtypeInfo(out.dtype).kind !== "complex";
  const results = new Float64Array(real ? total : 2 * total);
  operation.complex(results, inputs, total);
  if (real) writeNumbers(out, results);
  else writeComplex(out, results);
  return out;
}

/** A Python number as a complex one. */
export function complexOf(operand: ScalarLiteral): Pick<ComplexLiteral, "re" | "im"> {
  if (typeof operand === "object" && operand.kind === "complex") return operand;
  return { re: toNumber(operand), im: 0 };
}

/** A loop that calls a function for each element; for functions whose cost hides the call. */
export const map1 = (f: (x: number) => number): LaneLoop => (out, [x], count) => {
  const a = x!;
  for (let i = 0; i < count; i++) out[i] = f(a[i]!);
};

/** As {@link map1}, for two inputs. */
export const map2 = (f: (x: number, y: number) => number): LaneLoop => (out, [x, y], count) => {
  const a = x!;
  const b = y!;
  for (let i = 0; i < count; i++) out[i] = f(a[i]!, b[i]!);
};

/** As {@link map1}, for three inputs. */
export const map3 = (f: (x: number, y: number, z: number) => number): LaneLoop => (out, [x, y, z], count) => {
  const a = x!;
  const b = y!;
  const c = z!;
  for (let i = 0; i < count; i++) out[i] = f(a[i]!, b[i]!, c[i]!);
};
