import { castTensor } from "./cast.js";
import { dtypeInfo, type TypedArray } from "./dtype.js";
import { broadcastMismatch } from "./errors.js";
import { numel } from "./shape.js";
import { broadcastsTo, broadcastView, eachRun } from "./strided.js";
import { Tensor } from "./tensor.js";

/**
 * Writes `source`, broadcast and converted to the target's dtype, into `target`'s elements. The two
 * may share storage.
 * @throws SconceError `SHAPE_MISMATCH` when the shapes do not broadcast to the target's.
 */
export function copyInto(target: Tensor, source: Tensor): void {
  if (!broadcastsTo(source.shape, target.shape)) throw broadcastMismatch(source.shape, target.shape);
  if (numel(target.shape) === 0) return;
  const from = source.storage === target.storage && source !== target ? detached(source) : source;
  copySame(target, castTensor(from, target.dtype));
}

/** Returns a row-major copy in its own storage. */
export function detached(source: Tensor): Tensor {
  const copy = Tensor.empty(source.shape, source.dtype);
  copySame(copy, source);
  return copy;
}

/** Returns the elements in row-major order, in memory that nothing else holds. */
export function copiedBytes(tensor: Tensor): Uint8Array<ArrayBuffer> {
  const { dtype, storage, storageOffset, numel: count } = tensor.contiguous();
  const { itemSize } = dtypeInfo(dtype);
  const bytes = new Uint8Array(count * itemSize);
  const start = storageOffset * itemSize;
  bytes.set(storage.bytes.subarray(start, start + bytes.length));
  return bytes;
}

function copySame(target: Tensor, source: Tensor): void {
  if (target === source) return;
  const { lanes } = dtypeInfo(target.dtype);
  const to = target.data;
  const from = source.data;
  eachRun(target.shape, [target, broadcastView(source, target.shape)], ([a, b], [stepA, stepB], count) => {
    if (lanes === 1 && stepA === 1 && stepB === 1) {
      to.set(from.subarray(b!, b! + count) as never, a!);
    } else copyLanes(to, a! * lanes, stepA! * lanes, from, b! * lanes, stepB! * lanes, count, lanes);
  });
}

function copyLanes(
  to: TypedArray,
  a: number,
  stepA: number,
  from: TypedArray,
  b: number,
  stepB: number,
  count: number,
  lanes: number,
): void {
  for (let i = 0; i < count; i++, a += stepA, b += stepB) {
    for (let lane = 0; lane < lanes; lane++) to[a + lane] = from[b + lane]!;
  }
}
