/**
 * @file Several calls as one: rows behind each other on the way in, and separated on the way out.
 */
import type { Value } from "@sconce/ir";
import { Storage, Tensor } from "@sconce/tensor";

/** Returns the rows of a call: the first size of its tensors. */
export const rowsIn = (inputs: readonly Value[]): number =>
  inputs.find((one) => one instanceof Tensor)?.shape[0] ?? 0;

/**
 * Returns a key that calls have in common which can be merged: their sizes without the rows, and
 * their values that are not tensors.
 */
export const groupOf = (inputs: readonly Value[]): string =>
  inputs
    .map((one) => (one instanceof Tensor ? one.shape.slice(1).join("x") : `${typeof one} ${String(one)}`))
    .join(";");

/** Returns the inputs of several calls of a group behind each other, in new memory. */
export function merged(calls: readonly (readonly Value[])[]): Value[] {
  return calls[0]!.map((first, i) =>
    first instanceof Tensor ? joined(calls.map((call) => call[i] as Tensor)) : first,
  );
}

function joined(tensors: readonly Tensor[]): Tensor {
  const [first] = tensors;
  const rows = tensors.reduce((sum, { shape }) => sum + shape[0]!, 0);
  const bytes = new Uint8Array(tensors.reduce((sum, { storage }) => sum + storage.byteLength, 0));
  let at = 0;
  for (const { storage } of tensors) {
    bytes.set(storage.bytes, at);
    at += storage.byteLength;
  }
  return new Tensor({
    dtype: first!.dtype,
    shape: [rows, ...first!.shape.slice(1)],
    storage: new Storage(bytes),
  });
}

/** Returns the results of each of several calls that were merged. */
export function separated(outputs: readonly Value[], rows: readonly number[]): Value[][] {
  const total = rows.reduce((sum, count) => sum + count, 0);
  let before = 0;
  return rows.map((count) => {
    const start = before;
    before += count;
    return outputs.map((value) => (value instanceof Tensor ? part(value, start, count, total) : value));
  });
}

/** Returns some rows in new memory: those of other calls are not kept alive. */
function part(tensor: Tensor, start: number, count: number, total: number): Tensor {
  const { dtype, shape, storage } = tensor;
  const size = total === 0 ? 0 : storage.byteLength / total;
  const bytes = storage.bytes.slice(start * size, (start + count) * size);
  return new Tensor({ dtype, shape: [count, ...shape.slice(1)], storage: new Storage(bytes) });
}
