/** @file Calls whose results have sizes or values that a tensor knows once they were read. */

const READS: ReadonlySet<string> = new Set([
  "aten.nonzero.default",
  "aten.nonzero_numpy.default",
  "aten.item.default",
  "aten._local_scalar_dense.default",
  "aten._unique2.default",
  "aten.unique_consecutive.default",
]);

/** Returns the tensor whose numbers a call reads, or its mask; undefined for other calls. */
export function readTensor(target: string, [tensor, indices]: readonly unknown[]): unknown {
  if (target !== "aten.index.Tensor") return READS.has(target) ? tensor : undefined;
  return Array.isArray(indices) ? indices.find((index) => index !== null) : undefined;
}
