/** @file What the WebGPU device can compute, and why not the rest. */
import {
  forEachScalar,
  type LoopNest,
  type LoopProgram,
  ProgramRanges,
  type RangeOptions,
  type Scalar,
} from "@sconce/codegen";
import type { DType } from "@sconce/tensor";
import { readsOf } from "./shader.js";
import { hasFunction } from "./wgsl-functions.js";
import { wgslType } from "./wgsl-text.js";

/** int64 lives in 32 bits. Inputs have half of the range, so that sums of two still fit. */
export const INT64_INPUT = { min: -(2 ** 30), max: 2 ** 30 - 1 };
const RANGES: RangeOptions = {
  input: INT64_INPUT,
  compute: { min: -(2 ** 31), max: 2 ** 31 - 1 },
  size: 2 ** 30,
};

const KNOWN = new WeakMap<LoopProgram, ProgramRanges>();
function rangesOf(program: LoopProgram): ProgramRanges {
  let ranges = KNOWN.get(program);
  if (ranges === undefined) {
    ranges = new ProgramRanges(program, RANGES);
    KNOWN.set(program, ranges);
  }
  return ranges;
}

const NO_LANE = (dtype: DType): string =>
  `${dtype} cells: the device has float32 (which also holds float16 and bfloat16), 32-bit integers and bools`;

/** Why a nest is not for this device; undefined when it is. */
export function whyNotWgsl(nest: LoopNest, program: LoopProgram, maxReads: number): string | undefined {
  const reads = readsOf(nest.value);
  if (reads.length > maxReads) return `it reads ${reads.length} buffers, the device allows ${maxReads}`;
  let reason: string | undefined;
  for (const id of [...reads, nest.output]) {
    const { dtype } = program.buffers[id]!;
    if (wgslType(dtype) === undefined) reason ??= NO_LANE(dtype);
  }
  forEachScalar(nest.value, (scalar) => {
    reason ??= whyNotScalar(scalar);
  });
  return reason ?? rangesOf(program).problem(nest);
}

function whyNotScalar(scalar: Scalar): string | undefined {
  if (wgslType(scalar.dtype) === undefined) return NO_LANE(scalar.dtype);
  if (scalar.kind === "constant" && wgslType(scalar.dtype) === "i32") {
    const { min, max } = RANGES.compute;
    const value = Number(scalar.value);
    if (value < min || value > max) return `the integer ${scalar.value} takes more than 32 bits`;
  }
  if (scalar.kind !== "call") return undefined;
  const operand = scalar.args[0]!.dtype;
  const type = wgslType(operand);
  if (type === undefined) return NO_LANE(operand);
  return hasFunction(scalar.fn, type) ? undefined : `no function "${scalar.fn}" of ${operand}`;
}
