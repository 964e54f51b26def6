/** @file Buffers, parameters and constants that lie in one piece of memory: a write to one would change the others. */
import { SconceError } from "@sconce/errors";
import type { ExportedProgram, InputSpec } from "@sconce/ir";
import { dtypeInfo, type Tensor } from "@sconce/tensor";
import { mayOverlap } from "../analysis/overlap.js";

/**
 * A lowered program gives each written buffer a value of its own, so nobody else may look at its memory. PyTorch's
 * `run_decompositions` fails on such programs (with an assertion); a buffer that overlaps with itself it lowers wrongly.
 *
 * @throws SconceError `SHARED_STATE`, `INTERNAL_OVERLAP`
 */
export function refuseSharedState(program: ExportedProgram, written: readonly InputSpec[]): void {
  for (const spec of written) {
    const tensor = spec.target === null ? undefined : program.tensor(spec.target);
    if (tensor === undefined) continue;
    if (mayOverlap(tensor.shape, tensor.strides)) throw overlapping(spec);
    for (const other of program.graphSignature.inputSpecs) {
      if (other.arg.name === spec.arg.name || other.target === null) continue;
      const neighbor = program.tensor(other.target);
      if (neighbor !== undefined && sharePlaces(tensor, neighbor)) throw shared(spec, other);
    }
  }
}

/** By the first and last place that each looks at: interleaved views count too. */
function sharePlaces(a: Tensor, b: Tensor): boolean {
  if (a.storage !== b.storage || a.numel === 0 || b.numel === 0) return false;
  const [first, last] = placesOf(a);
  const [start, end] = placesOf(b);
  return first < end && start < last;
}

function placesOf(tensor: Tensor): readonly [first: number, end: number] {
  const { shape, strides, storageOffset } = tensor;
  const size = dtypeInfo(tensor.dtype).itemSize;
  const reach = shape.reduce((sum, length, d) => sum + (length - 1) * strides[d]!, 0);
  return [storageOffset * size, (storageOffset + reach + 1) * size];
}

const shared = (spec: InputSpec, other: InputSpec): SconceError =>
  new SconceError({
    code: "SHARED_STATE",
    message: `"${spec.target}" is written to and shares memory with "${other.target}", which would change with it`,
    where: spec.arg.name,
    fix: "register one of them, and take the other as a view of it in forward; or register a clone",
  });

const overlapping = (spec: InputSpec): SconceError =>
  new SconceError({
    code: "INTERNAL_OVERLAP",
    message: `"${spec.target}" is written to and several of its elements are one place in memory`,
    where: spec.arg.name,
    fix: "register a contiguous clone of it",
  });
