/** @file Tensors of which calls see one element of a batch (`BatchedTensorImpl`). */
import { dtypeLiteral, FakeTensor, type IntLike, type MetaValue } from "@sconce/ir";
import type { EmitArg } from "@sconce/ops";
import { wrapDimension } from "@sconce/tensor";
import type { Dispatcher } from "../functionalize/dispatcher.js";

/**
 * A tensor whose first dimension is hidden; its own sizes are those of one element of the batch.
 */
export class BatchedTensor extends FakeTensor {
  /** The whole batch, which an outer level may hide a dimension of again. */
  readonly value: FakeTensor;
  readonly level: number;

  constructor(value: FakeTensor, level: number) {
    super({ ...value, shape: value.shape.slice(1), strides: value.strides.slice(1) });
    this.value = value;
    this.level = level;
  }
}

/** Returns a batch with a dimension at another place. */
export function moveDim(dispatcher: Dispatcher, tensor: FakeTensor, from: number, to: number): FakeTensor {
  const [first, last] = [wrapDimension(from, tensor.ndim), wrapDimension(to, tensor.ndim)];
  if (first === last) return tensor;
  const order = tensor.shape.map((_, dim) => dim);
  order.splice(last, 0, ...order.splice(first, 1));
  return dispatcher.functional("aten.permute.default", [tensor, order]);
}

/**
 * Returns the batch with sizes of 1 after its first dimension, so that elements broadcast from the
 * right.
 */
export function withRank(dispatcher: Dispatcher, { value, ndim }: BatchedTensor, rank: number): FakeTensor {
  if (ndim >= rank) return value;
  return viewed(dispatcher, value, paddedSizes({ value, ndim }, rank));
}

/** Returns the sizes of a batch whose elements have at least this rank. */
export function paddedSizes({ value, ndim }: Pick<BatchedTensor, "value" | "ndim">, rank: number): IntLike[] {
  const [batch, ...sizes] = value.shape;
  return [batch!, ...new Array<number>(Math.max(0, rank - ndim)).fill(1), ...sizes];
}

/** Returns a view of a batch; one of an outer batch keeps that. */
export function viewed(dispatcher: Dispatcher, tensor: FakeTensor, sizes: readonly IntLike[]): FakeTensor {
  if (!(tensor instanceof BatchedTensor)) return dispatcher.functional("aten.view.default", [tensor, sizes]);
  return new BatchedTensor(
    viewed(dispatcher, tensor.value, [tensor.value.shape[0]!, ...sizes]),
    tensor.level,
  );
}

/** Returns a permutation that functorch records although it moves nothing. */
export const unmoved = (dispatcher: Dispatcher, value: FakeTensor): FakeTensor =>
  dispatcher.functional("aten.permute.default", [value, value.shape.map((_, dim) => dim)]);

/** Results of a call on whole batches, as tensors of one element. */
export function batchedResult(result: EmitArg, level: number): EmitArg {
  if (result instanceof FakeTensor) return new BatchedTensor(result, level);
  return Array.isArray(result)
    ? (result as readonly EmitArg[]).map((item) => batchedResult(item, level))
    : result;
}

/** Returns the results of a call for no element. */
export function withoutLanes(dispatcher: Dispatcher, level: number, element: MetaValue): EmitArg {
  if (Array.isArray(element))
    return (element as readonly MetaValue[]).map((item) => withoutLanes(dispatcher, level, item));
  if (!(element instanceof FakeTensor)) return element as EmitArg;
  const { shape, dtype, device } = element;
  const empty = dispatcher.call("aten.full.default", [[0, ...shape], 0], {
    dtype: dtypeLiteral(dtype),
    device,
  });
  return batchedResult(empty as EmitArg, level);
}
