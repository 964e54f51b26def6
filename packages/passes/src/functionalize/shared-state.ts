import { type ExportedProgram, type InputSpec, mayOverlap } from "@sconce/ir";
import { dtypeInfo, type Tensor } from "@sconce/tensor";
import { overlappingState, sharedState } from "./errors.js";

/**
 * A lowered program gives each written buffer a separate value, so nothing else may look at its
 * memory. PyTorch's `run_decompositions` fails on such programs (with an assertion); a buffer that
 * overlaps with itself it lowers wrongly.
 *
 * @throws SconceError `SHARED_STATE`, `INTERNAL_OVERLAP`
 */
export function refuseSharedState(program: ExportedProgram, written: readonly InputSpec[]): void {
  for (const spec of written) {
    const tensor = spec.target === null ? undefined : program.tensor(spec.target);
    if (tensor === undefined) continue;
    if (mayOverlap(tensor.shape, tensor.strides)) throw overlappingState(spec);
    for (const other of program.graphSignature.inputSpecs) {
      if (other.arg.name === spec.arg.name || other.target === null) continue;
      const neighbor = program.tensor(other.target);
      if (neighbor !== undefined && sharePlaces(tensor, neighbor)) throw sharedState(spec, other);
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
