/**
 * @file `torch.vmap` as it is left in a training graph: calls between `_add_batch_dim` and `_remove_batch_dim` see
 * tensors without their batch dimension. Pointwise operators run on the whole batch at once.
 */
import { SconceError } from "@sconce/errors";
import { FakeTensor } from "@sconce/ir";
import type { EmitArg } from "@sconce/ops";
import type { Dispatcher } from "./dispatcher.js";

const PREFIX = "torch._functorch.predispatch.";

/** A tensor whose first dimension is hidden; its own sizes are those of one element of the batch. */
export class BatchedTensor extends FakeTensor {
  readonly value: FakeTensor;

  constructor(value: FakeTensor) {
    super({ ...value, shape: value.shape.slice(1), strides: value.strides.slice(1) });
    this.value = value;
  }
}

export const isVmapCall = (target: string): boolean => target.startsWith(PREFIX);

export function runVmapCall(dispatcher: Dispatcher, target: string, args: readonly EmitArg[]): EmitArg {
  switch (target.slice(PREFIX.length)) {
    case "_add_batch_dim":
      return new BatchedTensor(moveDim(dispatcher, args[0] as FakeTensor, Number(args[1]), 0));
    case "_remove_batch_dim":
      return removeBatchDim(dispatcher, args);
    default:
      return null;
  }
}

function removeBatchDim(dispatcher: Dispatcher, [input, , size, outDim]: readonly EmitArg[]): EmitArg {
  const tensor = input as FakeTensor;
  if (tensor instanceof BatchedTensor) return moveDim(dispatcher, tensor.value, 0, Number(outDim));
  const expanded = dispatcher.functional("aten.expand.default", [tensor, [size as number, ...tensor.shape]]);
  return moveDim(dispatcher, expanded, 0, Number(outDim));
}

function moveDim(dispatcher: Dispatcher, tensor: FakeTensor, from: number, to: number): FakeTensor {
  const at = (dim: number): number => (dim < 0 ? dim + tensor.ndim : dim);
  if (at(from) === at(to)) return tensor;
  const order = tensor.shape.map((_, dim) => dim);
  order.splice(at(to), 0, ...order.splice(at(from), 1));
  return dispatcher.functional("aten.permute.default", [tensor, order]);
}

export const hasBatched = (args: readonly EmitArg[]): boolean => args.some((arg) => arg instanceof BatchedTensor);

/** @throws SconceError `UNSUPPORTED_VMAP` for operators that are not pointwise */
export function callBatched(
  dispatcher: Dispatcher,
  target: string,
  args: readonly EmitArg[],
  kwargs: Readonly<Record<string, EmitArg>>,
): EmitArg {
  if (!dispatcher.operators.require(target).tags.includes("pointwise")) {
    throw new SconceError({
      code: "UNSUPPORTED_VMAP",
      message: `${target} inside of torch.vmap is not pointwise, which is all that can be batched here`,
      where: target,
      fix: "decompose the program in PyTorch, or write the batched form without vmap",
    });
  }
  const rank = Math.max(...args.map((arg) => (arg instanceof FakeTensor ? arg.ndim : 0)));
  const plain = args.map((arg) => (arg instanceof BatchedTensor ? withRank(dispatcher, arg, rank) : arg));
  const result = dispatcher.call(target, plain, kwargs);
  return result instanceof FakeTensor ? new BatchedTensor(result) : (result as EmitArg);
}

/** The batch with sizes of 1 after its first dimension, so that elements broadcast from the right. */
function withRank(dispatcher: Dispatcher, batched: BatchedTensor, rank: number): FakeTensor {
  let value = batched.value;
  for (let i = batched.ndim; i < rank; i++) value = dispatcher.functional("aten.unsqueeze.default", [value, 1]);
  return value;
}
