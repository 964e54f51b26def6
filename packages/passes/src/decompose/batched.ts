/**
 * @file `torch.vmap` as it is left in a training graph: calls between `_add_batch_dim` and `_remove_batch_dim` see
 * tensors without their batch dimension. Pointwise operators run on the whole batch at once, level by level from the
 * innermost.
 */
import { SconceError } from "@sconce/errors";
import { FakeTensor, type MetaValue, type SymInt } from "@sconce/ir";
import { bindArgs, type EmitArg, emitFrom } from "@sconce/ops";
import type { Dispatcher } from "./dispatcher.js";

const PREFIX = "torch._functorch.predispatch.";

/** A tensor whose first dimension is hidden; its own sizes are those of one element of the batch. */
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

type Kwargs = Readonly<Record<string, EmitArg>>;

export const isVmapCall = (target: string): boolean => target.startsWith(PREFIX);

export function runVmapCall(dispatcher: Dispatcher, target: string, args: readonly EmitArg[]): EmitArg {
  switch (target.slice(PREFIX.length)) {
    case "_add_batch_dim":
      return new BatchedTensor(moveDim(dispatcher, args[0] as FakeTensor, Number(args[1]), 0), Number(args[2]));
    case "_remove_batch_dim":
      return removeBatchDim(dispatcher, args);
    default:
      return null;
  }
}

function removeBatchDim(dispatcher: Dispatcher, [input, level, size, outDim]: readonly EmitArg[]): EmitArg {
  const tensor = input as FakeTensor;
  if (tensor instanceof BatchedTensor && tensor.level === Number(level)) {
    return moveDim(dispatcher, tensor.value, 0, Number(outDim));
  }
  const unsqueezed = dispatcher.functional("aten.unsqueeze.default", [tensor, 0]);
  const expanded = dispatcher.functional("aten.expand.default", [unsqueezed, [size as number, ...tensor.shape]]);
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

const CONVERSIONS = /^aten\.(clone|detach|alias|_to_copy)\./;
const FACTORIES = /^aten\.new_(ones|zeros|full|empty)\./;

/** @throws SconceError `UNSUPPORTED_VMAP` for operators that are not pointwise */
export function callBatched(dispatcher: Dispatcher, target: string, args: readonly EmitArg[], kwargs: Kwargs): EmitArg {
  if (target === "aten._assert_tensor_metadata.default") return null;
  if (!hasBatched(args)) return dispatcher.call(target, args, kwargs) as EmitArg;
  const row = dispatcher.operators.require(target);
  if (row.tags.includes("composite") && row.decompose !== undefined) {
    const emit = emitFrom(dispatcher.tracer.env, (inner, innerArgs, innerKwargs) =>
      callBatched(dispatcher, inner, innerArgs, innerKwargs) as MetaValue);
    return row.decompose(emit, bindArgs(row.schema, args, kwargs)) as EmitArg;
  }
  const level = Math.max(...args.map((arg) => (arg instanceof BatchedTensor ? arg.level : 0)));
  const result = callBatched(dispatcher, target, peeled(dispatcher, target, args, level), kwargs);
  return result instanceof FakeTensor ? new BatchedTensor(result, level) : result;
}

/** The arguments with the batch dimension of the level in sight. */
function peeled(dispatcher: Dispatcher, target: string, args: readonly EmitArg[], level: number): readonly EmitArg[] {
  const isOfLevel = (arg: EmitArg): arg is BatchedTensor => arg instanceof BatchedTensor && arg.level === level;
  if (FACTORIES.test(target)) {
    const batch = (args[0] as BatchedTensor).value;
    return [batch, [batch.shape[0]!, ...(args[1] as readonly SymInt[])], ...args.slice(2)];
  }
  if (!CONVERSIONS.test(target) && !dispatcher.operators.require(target).tags.includes("pointwise")) {
    throw new SconceError({
      code: "UNSUPPORTED_VMAP",
      message: `${target} inside of torch.vmap is not pointwise, which is all that can be batched here`,
      where: target,
      fix: "decompose the program in PyTorch, or write the batched form without vmap",
    });
  }
  const rank = Math.max(...args.map((arg) => (arg instanceof FakeTensor ? arg.ndim : 0)));
  return args.map((arg) => (isOfLevel(arg) ? withRank(dispatcher, arg, rank) : arg));
}

/** The batch with sizes of 1 after its first dimension, so that elements broadcast from the right. */
function withRank(dispatcher: Dispatcher, { value, ndim }: BatchedTensor, rank: number): FakeTensor {
  if (ndim >= rank) return value;
  const [batch, ...sizes] = value.shape;
  return viewed(dispatcher, value, [batch!, ...new Array<number>(rank - ndim).fill(1), ...sizes]);
}

function viewed(dispatcher: Dispatcher, tensor: FakeTensor, sizes: readonly SymInt[]): FakeTensor {
  if (!(tensor instanceof BatchedTensor)) return dispatcher.functional("aten.view.default", [tensor, sizes]);
  return new BatchedTensor(viewed(dispatcher, tensor.value, [tensor.value.shape[0]!, ...sizes]), tensor.level);
}
