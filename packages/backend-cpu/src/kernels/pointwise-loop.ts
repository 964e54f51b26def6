/**
 * @file The driver of elementwise kernels: broadcasting, strides, dtypes and the exact path for
 * large integers.
 */

import { internalError } from "@sconce/errors";
import { type ComplexLiteral, isInt, type ScalarLiteral, toNumber } from "@sconce/ir";
import {
  broadcastView,
  type DType,
  dtypeInfo,
  eachRun,
  isBigIntDType,
  isIntegralDType,
  type PromotionOperand,
  resultType,
  type StridedView,
  Tensor,
} from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { readBigInts, readComplex, writeBigInts, writeComplex, writeNumbers } from "../kernel/dense.js";
import { noComplexKernel } from "../kernel/errors.js";
import { scratch } from "../kernel/scratch.js";
import { type LoadLane, laneLoader, laneRounder, laneStorer, type StoreLane } from "./pointwise-lanes.js";

/** A tensor, or the Python number given in its place. */
export type Operand = Tensor | ScalarLiteral;

export type Lane = Float64Array | Float32Array;
/** Computes `count` results from as many elements of each input. `out` may be one of the inputs. */
export type LaneLoop = (out: Lane, inputs: readonly Lane[], count: number) => void;
/**
 * As {@link LaneLoop}, on interleaved pairs; `count` counts pairs. A real result fills the first
 * `count` places.
 */
export type ComplexLoop = (
  out: Float64Array,
  inputs: readonly Float64Array[],
  count: number,
  /** Whether the numbers are narrower than complex128. */
  isSingle: boolean,
) => void;

/** An elementwise operation in the number systems that it supports. */
export interface Elementwise {
  readonly real?: LaneLoop | undefined;
  /** For int64 and uint64 beyond 2^53; without it such values are computed as float64. */
  readonly big?: ((...values: bigint[]) => bigint) | undefined;
  readonly complex?: ComplexLoop | undefined;
  /**
   * A second operand beside halves stays float32 if it is a number or a tensor of one element
   * (`opmath_t` in BinaryOpsKernel.cpp); otherwise operands are rounded to the half.
   */
  readonly keepsSecond?: boolean | undefined;
}

/** Elements a pass works on: three lanes stay within the first-level cache. */
const LANE_LENGTH = 1024;
/** Runs below this length are not worth a subarray each. */
const SHORT_RUN = 48;

export const isTensorOperand = (operand: Operand): operand is Tensor =>
  typeof operand === "object" && "storage" in operand;

/** Returns the dtype that PyTorch computes these operands in. */
export const commonDType = (operands: readonly Operand[]): DType => resultType(operands.map(promotionOf));

function promotionOf(operand: Operand): PromotionOperand {
  if (isTensorOperand(operand)) {
    return { dtype: operand.dtype, rank: operand.ndim > 0 ? "dimensioned" : "zeroDim" };
  }
  return { dtype: numberDType(operand), rank: "wrappedNumber" };
}

/** Returns the dtype that represents a Python number. */
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
  operation: Elementwise,
  out: Tensor,
  operands: readonly Operand[],
  computeDType: DType = out.dtype,
): Tensor {
  if (!fillsItsStorage(out)) {
    const dense = Tensor.empty(out.shape, out.dtype);
    copyInto(out, elementwise(operation, dense, operands, computeDType));
    return out;
  }
  if (dtypeInfo(computeDType).kind === "complex") return runComplex(operation, out, operands, computeDType);
  if (operation.real === undefined) throw internalError("an elementwise operation without a real loop");
  const exact = runReal(operation.real, out, operands, computeDType, operation.keepsSecond === true);
  if (!exact && operation.big !== undefined && isBigIntDType(computeDType))
    runBig(operation.big, out, operands);
  return out;
}

/** Lanes are stored one after the other, so an output may not be part of something larger. */
const fillsItsStorage = (out: Tensor): boolean =>
  out.storage.byteLength === out.numel * dtypeInfo(out.dtype).itemSize;

function runReal(
  loop: LaneLoop,
  out: Tensor,
  operands: readonly Operand[],
  dtype: DType,
  keepsSecond: boolean,
): boolean {
  if (out.numel === 0) return true;
  const isHalf = dtype === "float16" || dtype === "bfloat16";
  const isKept = (operand: Operand, i: number): boolean =>
    isHalf && keepsSecond && i === 1 && (!isTensorOperand(operand) || operand.numel === 1);
  const sources = operands.map((operand, i) => laneSource(operand, isKept(operand, i) ? "float32" : dtype));
  return new ElementwisePass(loop, out, sources, dtype).run();
}

/** One operand: a constant, or elements that are read from a tensor. */
interface LaneSource {
  readonly constant: number;
  readonly tensor: Tensor | undefined;
  readonly load: LoadLane | undefined;
  readonly round: ((lane: Float64Array, count: number) => void) | undefined;
  /** False for an int64 constant beyond 2^53. */
  readonly exact: boolean;
}

const single = new Float64Array(1);

/**
 * A float64 would round the low bits of a large integer, and these are what narrow integers keep.
 */
const constantIn = (value: ScalarLiteral, dtype: DType): number =>
  typeof value === "bigint" && isIntegralDType(dtype) && !isBigIntDType(dtype)
    ? Number(BigInt.asIntN(32, value))
    : toNumber(value);

/** Conversion to the dtype computed in; a tensor of one element is a constant. */
function laneSource(operand: Operand, dtype: DType): LaneSource {
  if (!isTensorOperand(operand)) {
    single[0] = constantIn(operand, dtype);
    laneRounder(dtype)?.(single, 1);
    return {
      constant: single[0],
      tensor: undefined,
      load: undefined,
      round: undefined,
      exact: typeof operand !== "bigint",
    };
  }
  const round = operand.dtype === dtype ? undefined : laneRounder(dtype);
  const load = laneLoader(operand);
  if (operand.numel !== 1) return { constant: 0, tensor: operand, load, round, exact: true };
  const exact = load(operand.storageOffset, 0, single, 0, 1);
  round?.(single, 1);
  return { constant: single[0]!, tensor: undefined, load: undefined, round: undefined, exact };
}

/**
 * Visits runs in the order of the output's memory. Where everything is float32 (or float64) and
 * lies side by side, the loop runs over the storages themselves; else runs are gathered into lanes
 * until these are full.
 */
class ElementwisePass {
  readonly #loop: LaneLoop;
  readonly #sources: readonly LaneSource[];
  readonly #out: Tensor;
  readonly #length: number;
  /** Whether the loop computes with the elements as the tensors hold them. */
  readonly #isDirect: boolean;
  #lanes: Lane[] = [];
  #result: Float64Array | undefined;
  #store: StoreLane | undefined;
  #filled = 0;
  #to: number;
  #exact: boolean;

  constructor(loop: LaneLoop, out: Tensor, sources: readonly LaneSource[], dtype: DType) {
    // float64 holds every float32 as it is.
    const isHeld = ({ tensor }: LaneSource): boolean =>
      tensor === undefined || tensor.dtype === dtype || (dtype === "float64" && tensor.dtype === "float32");
    this.#isDirect =
      out.dtype === dtype && (dtype === "float32" || dtype === "float64") && sources.every(isHeld);
    this.#loop = loop;
    this.#sources = sources;
    this.#out = out;
    this.#length = Math.min(out.numel, LANE_LENGTH);
    this.#to = out.storageOffset;
    this.#exact = sources.every((source) => source.exact);
  }

  /** @returns false when some int64 was not exact as a number */
  run(): boolean {
    const { shape } = this.#out;
    const views: StridedView[] = [this.#out];
    for (const { tensor } of this.#sources)
      views.push(tensor === undefined ? constantView(shape) : broadcastView(tensor, shape));
    let direct: boolean | undefined;
    eachRun(shape, views, (offsets, steps, count) => {
      if (direct === undefined) {
        direct = this.#runsDirectly(steps, count);
        this.#prepare(direct);
      }
      if (direct) this.#compute(offsets, steps, count);
      else this.#gather(offsets, steps, count);
    });
    if (!direct) this.#flush();
    return this.#exact;
  }

  #runsDirectly(steps: readonly number[], count: number): boolean {
    if (!this.#isDirect || (count < SHORT_RUN && count < this.#out.numel)) return false;
    return count === 1 || steps.every((step, k) => step === 1 || (step === 0 && k > 0));
  }

  /** Constant lanes are filled once; direct runs want them in the array type of the others. */
  #prepare(direct: boolean): void {
    const make = direct && this.#out.dtype === "float32" ? Float32Array : Float64Array;
    this.#lanes = this.#sources.map(({ tensor, constant }) => {
      const lane = new make(this.#length);
      return tensor === undefined ? lane.fill(constant) : lane;
    });
    if (direct) return;
    this.#result = scratch(Float64Array, this.#length);
    this.#store = laneStorer(this.#out);
  }

  #compute(offsets: readonly number[], steps: readonly number[], count: number): void {
    const data = this.#out.data as Lane;
    let limit = count;
    this.#sources.forEach(({ tensor }, k) => {
      if (tensor !== undefined && steps[k + 1] !== 0) return;
      limit = this.#length;
      if (tensor !== undefined)
        this.#lanes[k]!.fill((tensor.data as Lane)[offsets[k + 1]!]!, 0, Math.min(count, this.#length));
    });
    for (let done = 0; done < count; done += limit) {
      const length = Math.min(limit, count - done);
      const inputs = this.#sources.map(({ tensor }, k) => {
        if (tensor === undefined || steps[k + 1] === 0) return this.#lanes[k]!;
        const from = offsets[k + 1]! + done;
        return (tensor.data as Lane).subarray(from, from + length);
      });
      const to = offsets[0]! + done;
      this.#loop(data.subarray(to, to + length), inputs, length);
    }
  }

  #gather(offsets: readonly number[], steps: readonly number[], count: number): void {
    const sources = this.#sources;
    for (let done = 0; done < count; ) {
      const take = Math.min(count - done, this.#length - this.#filled);
      for (let k = 0; k < sources.length; k++) {
        const { load } = sources[k]!;
        if (load === undefined) continue;
        const step = steps[k + 1]!;
        const lane = this.#lanes[k] as Float64Array;
        if (!load(offsets[k + 1]! + done * step, step, lane, this.#filled, take)) this.#exact = false;
      }
      done += take;
      this.#filled += take;
      if (this.#filled === this.#length) this.#flush();
    }
  }

  #flush(): void {
    const count = this.#filled;
    if (count === 0) return;
    this.#sources.forEach(({ tensor, round }, k) => {
      if (tensor !== undefined) round?.(this.#lanes[k] as Float64Array, count);
    });
    this.#loop(this.#result!, this.#lanes, count);
    if (!this.#store!(this.#result!, this.#to, count)) this.#exact = false;
    this.#to += count;
    this.#filled = 0;
  }
}

/** Represents a constant operand among views; never read. */
const constantView = (shape: readonly number[]): StridedView => ({
  strides: shape.map(() => 0),
  storageOffset: 0,
});

function runBig(big: (...values: bigint[]) => bigint, out: Tensor, operands: readonly Operand[]): void {
  const total = out.numel;
  const unsigned = out.dtype === "uint64";
  const inputs = operands.map((operand) =>
    isTensorOperand(operand)
      ? readBigInts(operand, out.shape)
      : scratch(BigInt64Array, total).fill(BigInt(typeof operand === "object" ? toNumber(operand) : operand)),
  );
  const results = unsigned ? scratch(BigUint64Array, total) : scratch(BigInt64Array, total);
  const values = inputs.map(() => 0n);
  for (let i = 0; i < total; i++) {
    for (let k = 0; k < inputs.length; k++) values[k] = inputs[k]![i]!;
    results[i] = big(...values);
  }
  writeBigInts(out, results);
}

function runComplex(operation: Elementwise, out: Tensor, operands: readonly Operand[], dtype: DType): Tensor {
  if (operation.complex === undefined) throw noComplexKernel(dtype);
  const total = out.numel;
  const narrow = dtype === "complex64" ? Math.fround : (x: number): number => x;
  const inputs = operands.map((operand) => {
    if (isTensorOperand(operand)) return readComplex(operand, out.shape);
    const { re, im } = complexOf(operand);
    const pairs = scratch(Float64Array, 2 * total);
    for (let i = 0; i < pairs.length; i += 2) {
      pairs[i] = narrow(re);
      pairs[i + 1] = narrow(im);
    }
    return pairs;
  });
  const real = dtypeInfo(out.dtype).kind !== "complex";
  const results = scratch(Float64Array, real ? total : 2 * total);
  operation.complex(results, inputs, total, dtype !== "complex128");
  if (real) writeNumbers(out, results);
  else writeComplex(out, results);
  return out;
}

/** Returns a Python number as a complex one. */
export function complexOf(operand: ScalarLiteral): Pick<ComplexLiteral, "re" | "im"> {
  if (typeof operand === "object" && operand.kind === "complex") return operand;
  return { re: toNumber(operand), im: 0 };
}

/**
 * Returns a loop that calls a function for each element. All such loops share one compiled body, so
 * the call is not inlined and costs about 7 ns; functions that are cheaper than that and frequent
 * have their own loops.
 */
export const map1 =
  (f: (x: number) => number): LaneLoop =>
  (out, [x], count) => {
    const a = x!;
    for (let i = 0; i < count; i++) out[i] = f(a[i]!);
  };

/** As {@link map1}, for two inputs. */
export const map2 =
  (f: (x: number, y: number) => number): LaneLoop =>
  (out, [x, y], count) => {
    const a = x!;
    const b = y!;
    for (let i = 0; i < count; i++) out[i] = f(a[i]!, b[i]!);
  };

/** As {@link map1}, for three inputs. */
export const map3 =
  (f: (x: number, y: number, z: number) => number): LaneLoop =>
  (out, [x, y, z], count) => {
    const a = x!;
    const b = y!;
    const c = z!;
    for (let i = 0; i < count; i++) out[i] = f(a[i]!, b[i]!, c[i]!);
  };
