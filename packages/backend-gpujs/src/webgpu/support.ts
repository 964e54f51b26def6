/** @file Decides which nests the WebGPU device can compute, with a reason for each other nest. */
import {
  forEachScalar,
  type Integers,
  type LoopNest,
  type LoopProgram,
  readsOf,
  type Scalar,
  type Target,
} from "@sconce/codegen";
import type { DType } from "@sconce/tensor";
import { whyNotMultiplied } from "../emit/refusals.js";
import { hasFunction } from "../wgsl/wgsl-functions.js";
import { wgslType } from "../wgsl/wgsl-text.js";

/** int64 lives in 32 bits; runs in which it may leave them go to the host. */
export const WGSL_INTEGERS: Integers = { low: -(2 ** 31), high: 2 ** 31 - 1, wraps: true };

/** Buffers that every WebGPU lets a kernel read. */
const LEAST_READS = 7;

/** Returns the capabilities of WebGPU on hardware, or of a processor that stands in for it. */
export const wgslTarget = (isHardware: boolean, maxReads = LEAST_READS): Target => ({
  name: "wgsl",
  threads: "workgroups",
  isHardware,
  maxSide: Number.POSITIVE_INFINITY,
  exactIndex: 2 ** 31,
  dividesInFloats: false,
  sumsIn: "float32",
  hasInfinity: true,
  unroll: 1,
  speculation: { operations: 3, loads: false },
  integers: WGSL_INTEGERS,
  maxReads,
});

/** Returns why device memory does not hold a dtype. */
export const whyNoLane = (dtype: DType): string | undefined =>
  wgslType(dtype) === undefined
    ? `${dtype} elements: the device has float32 (which also holds float16 and bfloat16), 32-bit integers and bools`
    : undefined;

/** Returns why a nest is not for this device; undefined when it is. */
export function whyNotWgsl(nest: LoopNest, program: LoopProgram, maxReads: number): string | undefined {
  const reads = readsOf(nest.value);
  if (reads.size > maxReads) return `it reads ${reads.size} buffers, the device allows ${maxReads}`;
  let reason: string | undefined;
  for (const id of [...reads, nest.output]) {
    const { dtype } = program.buffers[id]!;
    reason ??= whyNoLane(dtype);
  }
  forEachScalar(nest.value, (scalar) => {
    reason ??= whyNotScalar(scalar);
  });
  return reason ?? whyNotMultiplied(nest);
}

function whyNotScalar(scalar: Scalar): string | undefined {
  const noLane =
    whyNoLane(scalar.dtype) ?? (scalar.kind === "call" ? whyNoLane(scalar.args[0]!.dtype) : undefined);
  if (noLane !== undefined) return noLane;
  if (scalar.kind === "constant" && wgslType(scalar.dtype) === "i32") {
    const { low, high } = WGSL_INTEGERS;
    const value = Number(scalar.value);
    if (value < low || value > high) return `the integer ${scalar.value} takes more than 32 bits`;
  }
  if (scalar.kind !== "call") return undefined;
  const operand = scalar.args[0]!.dtype;
  return hasFunction(scalar.fn, wgslType(operand)!) ? undefined : `no function "${scalar.fn}" of ${operand}`;
}
