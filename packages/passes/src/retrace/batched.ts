import { CPU, dtypeLiteral, FakeTensor, type IntLike, type MetaValue, memoryFormat } from "@sconce/ir";
import { ADD_LANES, bindArgs, type EmitArg, emitFrom, metaOf, REMOVE_LANES } from "@sconce/ops";
import { mul } from "@sconce/symbolic";
import { wrapDimension } from "@sconce/tensor";
import type { Dispatcher } from "../functionalize/dispatcher.js";
import { batchRuleOf, isOfImages, withShiftedDims, withShiftedKeyword } from "./batch-rules.js";
import { type BatchCalls, isOfRows, selected } from "./batched-indexing.js";
import { logitsEntropy, reducedLoss } from "./batched-losses.js";
import { addedProduct, linearOfVectors } from "./batched-products.js";
import { inRows, type ReducedBatch, reducedElements } from "./batched-reductions.js";
import { alongNoDimension, type ScalarCalls } from "./batched-scalars.js";
import {
  BatchedTensor,
  batchedResult,
  moveDim,
  paddedSizes,
  unmoved,
  viewed,
  withoutLanes,
  withRank,
} from "./batched-tensor.js";
import { unsupportedVmap } from "./errors.js";

type Kwargs = Readonly<Record<string, EmitArg>>;

export function runVmapCall(dispatcher: Dispatcher, target: string, args: readonly EmitArg[]): EmitArg {
  if (target === REMOVE_LANES) return removeBatchDim(dispatcher, args);
  if (target !== ADD_LANES) return null;
  const [tensor, inDim, level] = args;
  return new BatchedTensor(moveDim(dispatcher, tensor as FakeTensor, Number(inDim), 0), Number(level));
}

function removeBatchDim(dispatcher: Dispatcher, [input, level, size, outDim]: readonly EmitArg[]): EmitArg {
  const tensor = input as FakeTensor;
  if (tensor instanceof BatchedTensor && tensor.level === Number(level)) {
    return moveDim(dispatcher, tensor.value, 0, Number(outDim));
  }
  const unsqueezed = dispatcher.functional("aten.unsqueeze.default", [tensor, 0]);
  const expanded = dispatcher.functional("aten.expand.default", [
    unsqueezed,
    [size as number, ...tensor.shape],
  ]);
  return moveDim(dispatcher, expanded, 0, Number(outDim));
}

export const hasBatched = (args: readonly EmitArg[]): boolean => levelOf(args) > 0;

/** Returns the innermost level among arguments and the items of lists; 0 for none. */
function levelOf(args: readonly EmitArg[]): number {
  let level = 0;
  for (const arg of args) {
    if (arg instanceof BatchedTensor) level = Math.max(level, arg.level);
    else if (Array.isArray(arg)) level = Math.max(level, levelOf(arg as readonly EmitArg[]));
  }
  return level;
}

const mapNested = (arg: EmitArg, map: (item: EmitArg) => EmitArg): EmitArg =>
  Array.isArray(arg) ? (arg as readonly EmitArg[]).map((item) => mapNested(item, map)) : map(arg);

const CONVERSIONS = /^aten\.(clone|detach|alias|_to_copy)\./;
const VIEWS = /^aten\.(view|_unsafe_view)\.default$/;
const FACTORIES = /^aten\.new_(ones|zeros|full|empty)\./;

/**
 * Returns a call with batched arguments: the innermost level is taken off, the outer ones see the
 * call that is left.
 *
 * @throws SconceError `UNSUPPORTED_VMAP` for a dynamic batch and an operator that has no rule
 */
export function callBatched(
  dispatcher: Dispatcher,
  target: string,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): EmitArg {
  const level = levelOf(args);
  if (level === 0) return dispatcher.call(target, args, kwargs) as EmitArg;
  if (target === "aten._assert_tensor_metadata.default") return null;
  const isHere = (arg: EmitArg): arg is BatchedTensor => arg instanceof BatchedTensor && arg.level === level;
  const batch: Batch = { dispatcher, level, isHere };
  const scalars: ScalarCalls = {
    call: (name, given, named) => callBatched(dispatcher, name, given, named),
    ofElement: () => metaOf(dispatcher.operators, target, args, kwargs, dispatcher.tracer.env),
  };
  const ofScalars = alongNoDimension(scalars, target, args, kwargs);
  if (ofScalars !== undefined) return ofScalars;
  const composed = batchedInSteps(batch, target, args, kwargs);
  if (composed !== undefined) return composed;
  const whole = wholeBatch(batch, target, args) ?? byRule(batch, target, args, kwargs);
  if (whole !== undefined)
    return batchedResult(callBatched(dispatcher, whole.target, whole.args, whole.kwargs ?? kwargs), level);
  const row = dispatcher.operators.require(target);
  if (row.decompose === undefined || !(row.tags.includes("composite") || DECOMPOSED.has(target)))
    return unroll(batch, target, args, kwargs);
  const inner = (name: string, given: readonly EmitArg[], named: Kwargs): MetaValue =>
    callBatched(dispatcher, name, given, named) as MetaValue;
  const emit = emitFrom(dispatcher.tracer.env, inner);
  return row.decompose(emit, bindArgs(row.schema, args, kwargs)) as EmitArg;
}

/** Operators that functorch decomposes, although PyTorch's dispatcher does not. */
const DECOMPOSED: ReadonlySet<string> = new Set(["aten.nll_loss_forward.default"]);

interface Batch {
  readonly dispatcher: Dispatcher;
  readonly level: number;
  /** Whether an argument is batched at this level. */
  readonly isHere: (arg: EmitArg) => arg is BatchedTensor;
}

interface Call {
  readonly target: string;
  readonly args: readonly EmitArg[];
  /** Those of the given call when left out. */
  readonly kwargs?: Kwargs;
}

/**
 * Returns the call that does for the whole batch what the given one does for an element, where
 * there is one.
 */
function wholeBatch(batch: Batch, target: string, args: readonly EmitArg[]): Call | undefined {
  const { dispatcher, isHere } = batch;
  const [self, second, ...rest] = args;
  if (CONVERSIONS.test(target) && isHere(self)) return { target, args: [self.value, ...args.slice(1)] };
  if (VIEWS.test(target) && isHere(self))
    return { target, args: [self.value, [self.value.shape[0]!, ...(second as readonly IntLike[])]] };
  if (target === "aten.permute.default" && isHere(self)) {
    const dims = (second as readonly number[]).map((dim) => wrapDimension(dim, self.ndim) + 1);
    return { target, args: [self.value, [0, ...dims]] };
  }
  // Products of matrices, one for each element, are a product of batches, as in functorch.
  if (target === "aten.mm.default" || target === "aten.bmm.default")
    return { target: "aten.matmul.default", args: args.map((arg) => (isHere(arg) ? arg.value : arg)) };
  if (FACTORIES.test(target) && isHere(self) && Array.isArray(second)) {
    return { target, args: [self.value, [self.value.shape[0]!, ...(second as readonly IntLike[])], ...rest] };
  }
  if ((target === "aten.cat.default" || target === "aten.stack.default") && hasBatched([self!]))
    return joined(batch, target, args);
  if (target === "aten._linalg_check_errors.default" && isHere(self))
    return { target, args: [self.value, second!], kwargs: { is_matrix: false } };
  if (target === "aten.repeat.default" && isHere(self)) {
    const repeats = second as readonly IntLike[];
    let { value } = self;
    while (value.ndim <= repeats.length)
      value = callBatched(dispatcher, "aten.unsqueeze.default", [value, 1], {}) as FakeTensor;
    return { target, args: [value, [1, ...repeats]] };
  }
  if (target === "aten.index.Tensor" && !hasBatched([self])) {
    const indices = second as readonly (FakeTensor | null)[];
    // Indices of the first dimensions: those of the batch come in front of the result as they do of
    // the indices.
    if (!indices.includes(null)) return { target, args: [self, aligned(dispatcher, indices, isHere)] };
  }
  if (target === "aten.index.Tensor" && isHere(self)) {
    const places = placesOfEach(batch, self, second as readonly (FakeTensor | null)[]);
    if (places !== undefined) return { target, args: [self.value, places] };
  }
  if (target === "aten.embedding.default" && !isHere(self!) && isHere(second!))
    return { target, args: [self!, second.value, ...rest] };
  if (/^aten\.index_put_?\.default$/.test(target) && isHere(self)) return putAtPlaces(batch, target, args);
  if (!dispatcher.operators.require(target).tags.includes("pointwise")) return undefined;
  return { target, args: aligned(dispatcher, args, isHere) };
}

/** Returns the places of a batch for places of its elements; undefined where some are left out. */
function placesOfEach(
  { dispatcher, isHere }: Batch,
  { value }: BatchedTensor,
  indices: readonly (FakeTensor | null)[],
): readonly EmitArg[] | undefined {
  const [count] = value.shape;
  if (indices.includes(null) || typeof count !== "number") return undefined;
  if (!indices.some((index) => isHere(index))) return [null, ...indices];
  const rank = Math.max(...indices.map((index) => index!.ndim));
  return [elementNumbers(dispatcher, count, rank), ...aligned(dispatcher, indices, isHere)];
}

/** Returns the numbers of elements, with dimensions of 1 for those of their places. */
function elementNumbers(dispatcher: Dispatcher, count: number, rank: number): FakeTensor {
  const kwargs = { dtype: "int64", layout: "strided", device: CPU, pin_memory: false };
  let own = dispatcher.functional("aten.arange.start_step", [0, count], kwargs);
  for (let i = 0; i < rank; i++) own = dispatcher.functional("aten.unsqueeze.default", [own, -1]);
  return own;
}

/** Returns a write at places: of each element at its own, which a further index counts. */
function putAtPlaces(
  { dispatcher, isHere }: Batch,
  target: string,
  [self, given, values, ...rest]: readonly EmitArg[],
): Call | undefined {
  const indices = given as readonly (FakeTensor | null)[];
  const { value, ndim } = self as BatchedTensor;
  const [count] = value.shape;
  if (indices.includes(null) || typeof count !== "number") return undefined;
  const rank = Math.max(...indices.map((index) => index!.ndim));
  const own = elementNumbers(dispatcher, count, rank);
  const put = isHere(values!) ? withRank(dispatcher, values, rank + ndim - indices.length) : values;
  return { target, args: [value, [own, ...aligned(dispatcher, indices, isHere)], put, ...rest] };
}

/**
 * Returns a call as several ones that have rules for batches, as functorch divides it; else
 * undefined.
 */
function batchedInSteps(
  batch: Batch,
  target: string,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): EmitArg | undefined {
  const { dispatcher, level, isHere } = batch;
  const [self, other, third] = args;
  if (target === "aten.mv.default") return matrixTimesVector(batch, self!, other!);
  if (target === "aten.dot.default") return dotOfEach(batch, self!, other!);
  if (target === "aten.linear.default" && (self as FakeTensor).ndim === 1)
    return linearOfVectors(callsOf(batch), args);
  if (target === "aten.addmm.default" || target === "aten.baddbmm.default")
    return addedProduct(
      (name, given, named) => callBatched(dispatcher, name, given, named),
      target,
      args,
      kwargs,
    );
  if (LOSSES.test(target)) return meanLoss(batch, target, args, kwargs);
  if (target === "aten.binary_cross_entropy_with_logits.default") return entropyOfLogits(batch, args);
  if (target === "aten.binary_cross_entropy.default") return entropyOfEach(batch, args);
  if (target === "aten.index_select.default" && (self as FakeTensor).ndim > 0 && isOfRows(third!))
    return selected(callsOf(batch), self as FakeTensor, Number(other), third as FakeTensor);
  if (target === "aten.one_hot.default" && Number(other) > 0)
    return oneHot(batch, self as FakeTensor, other as IntLike);
  if (!isHere(self!)) return undefined;
  const reduced = reducedElements(reducedBatch(batch, self), target, args, kwargs);
  if (reduced !== undefined) return batchedResult(reduced, level);
  if (target === "aten.expand.default") {
    const sizes = other as readonly IntLike[];
    const value = viewed(dispatcher, self.value, paddedSizes(self, sizes.length));
    const whole = [value, [self.value.shape[0]!, ...sizes]];
    return batchedResult(callBatched(dispatcher, target, whole, {}), self.level);
  }
  if (target === "aten.t.default")
    return self.ndim === 0
      ? self
      : callBatched(dispatcher, "aten.permute.default", [self, self.ndim < 2 ? [0] : [1, 0]], {});
  if (COPIED.test(target)) return copied(batch, target, [self, ...args.slice(1)], kwargs);
  if (!args.slice(1).some(isHere) && isOfImages(target, args, self.ndim))
    return ofImages(batch, target, self, args, kwargs);
  return undefined;
}

/** Calls that functorch writes into a copy. */
const COPIED = /^aten\.(index_add\.default|index_fill\.int_Scalar)$/;

function copied(
  batch: Batch,
  target: string,
  [self, ...rest]: readonly EmitArg[],
  kwargs: Kwargs,
): EmitArg | undefined {
  const { dispatcher, level } = batch;
  const format = { memory_format: memoryFormat("preserve_format") };
  const copy = callBatched(dispatcher, "aten.clone.default", [self!], format);
  const whole = byRule(batch, target, [copy, ...rest], kwargs);
  return whole && batchedResult(callBatched(dispatcher, whole.target, whole.args, kwargs), level);
}

/** Returns calls of operators of ATen. */
const callsOf =
  ({ dispatcher }: Batch): BatchCalls =>
  (name, ...args) =>
    callBatched(dispatcher, `aten.${name}`, args, {}) as FakeTensor;

/** `binary_cross_entropy_plumbing` in `BatchRulesLoss.cpp`. */
function entropyOfEach(batch: Batch, [input, target, weight, reduction = 1]: readonly EmitArg[]): EmitArg {
  const { dispatcher, level, isHere } = batch;
  const given = [input!, target!];
  const call = callsOf(batch);
  const losses = (pair: readonly EmitArg[]): EmitArg =>
    call("binary_cross_entropy.default", ...pair, null, 0);
  const ofBatch = (): EmitArg => {
    const count = batchSize(given, isHere);
    return batchedResult(losses(given.map((arg) => wholeOf(dispatcher, arg, isHere, count))), level);
  };
  return reducedLoss(call, given.some(isHere) ? ofBatch() : losses(given), weight ?? null, reduction);
}

function entropyOfLogits(batch: Batch, args: readonly EmitArg[]): EmitArg {
  const { level, isHere } = batch;
  const call = callsOf(batch);
  const onesLike = (target: FakeTensor): FakeTensor => {
    const whole = isHere(target) ? target.value : target;
    const ones = call("fill.Scalar", call("empty_like.default", whole), 1);
    return (isHere(target) ? batchedResult(ones, level) : ones) as FakeTensor;
  };
  return logitsEntropy(call, onesLike, args);
}

/** Returns a call on images, of which each element has some: all images of the batch at once. */
function ofImages(
  { dispatcher, level }: Batch,
  target: string,
  { value }: BatchedTensor,
  [, second, third, fourth, ...rest]: readonly EmitArg[],
  kwargs: Kwargs,
): EmitArg {
  const [count, images, ...sizes] = value.shape as readonly [IntLike, IntLike, ...IntLike[]];
  const all = mul(count, images);
  const flat = viewed(dispatcher, unmoved(dispatcher, value), [all, ...sizes]);
  const isNorm = target === "aten.native_group_norm.default";
  const others = [second, third, isNorm ? all : fourth, ...rest].filter((arg) => arg !== undefined);
  const divided = (result: EmitArg): EmitArg =>
    Array.isArray(result)
      ? (result as readonly EmitArg[]).map(divided)
      : batchedResult(
          viewed(dispatcher, result as FakeTensor, [count, images, ...(result as FakeTensor).shape.slice(1)]),
          level,
        );
  return divided(callBatched(dispatcher, target, [flat, ...others], kwargs));
}

/** Returns the products of whole batches; their last dimensions are those of the elements. */
function dotOfEach({ dispatcher, level, isHere }: Batch, left: EmitArg, right: EmitArg): EmitArg {
  const call = (name: string, ...given: readonly EmitArg[]): EmitArg =>
    callBatched(dispatcher, `aten.${name}`, given, {});
  const whole = (arg: EmitArg): EmitArg => (isHere(arg) ? arg.value : arg);
  if (!isHere(left) || !isHere(right))
    return batchedResult(call("matmul.default", whole(left), call("t.default", whole(right))), level);
  const column = call("unsqueeze.default", whole(right), -1);
  const product = call("matmul.default", call("unsqueeze.default", whole(left), -2), column);
  return batchedResult(call("squeeze.dim", call("squeeze.dim", product, -1), -1), level);
}

const reducedBatch = ({ dispatcher }: Batch, { value, ndim }: BatchedTensor): ReducedBatch => ({
  call: (target, args, kwargs = {}) => callBatched(dispatcher, target, args, kwargs),
  value,
  ndim,
});

/** Losses of pairs of numbers, whose third argument says how they are reduced. */
const LOSSES = /^aten\.(mse_loss|smooth_l1_loss|huber_loss)\.default$/;
const REDUCTIONS = ["", "aten.mean.dim", "aten.sum.dim_IntList"];

/** Returns a loss of each pair, and then what it is reduced to for each element. */
function meanLoss(
  batch: Batch,
  target: string,
  [self, other, reduction = 1, ...rest]: readonly EmitArg[],
  kwargs: Kwargs,
): EmitArg {
  const { dispatcher, level, isHere } = batch;
  const reduce = REDUCTIONS[Number(reduction)]!;
  const operands = [self!, other!];
  const pairs =
    reduce !== "" && operands.every((one) => isHere(one) && one.ndim > 0)
      ? operands.map((one) => inRows(reducedBatch(batch, one as BatchedTensor)))
      : aligned(dispatcher, operands, isHere);
  const losses = callBatched(dispatcher, target, [...pairs, 0, ...rest], kwargs) as FakeTensor;
  const each = new BatchedTensor(losses, level);
  if (reduce === "" || each.ndim === 0) return each;
  const rows = inRows(reducedBatch(batch, each));
  return batchedResult(callBatched(dispatcher, reduce, [rows, [-1]], {}), level);
}

/** Comparisons with all classes: what the classes are is not looked at. */
function oneHot({ dispatcher }: Batch, self: FakeTensor, classes: IntLike): EmitArg {
  const kwargs = { dtype: self.dtype, layout: "strided", device: CPU, pin_memory: false };
  const all = dispatcher.functional("aten.arange.start_step", [0, classes], kwargs);
  const column = callBatched(dispatcher, "aten.unsqueeze.default", [self, -1], {});
  const isOf = callBatched(dispatcher, "aten.eq.Tensor", [column, all], {});
  return callBatched(dispatcher, "aten._to_copy.default", [isOf], { dtype: dtypeLiteral("int64") });
}

/** Matrices by vectors, of which either may be the same for all elements (`mv_batch_rule`). */
function matrixTimesVector({ dispatcher, level, isHere }: Batch, matrix: EmitArg, vector: EmitArg): EmitArg {
  const emit = (name: string, ...given: readonly EmitArg[]): EmitArg =>
    callBatched(dispatcher, `aten.${name}`, given, {});
  if (!isHere(vector))
    return batchedResult(emit("matmul.default", (matrix as BatchedTensor).value, vector), level);
  if (!isHere(matrix)) {
    const columns = emit("permute.default", vector.value, [1, 0]);
    return batchedResult(emit("permute.default", emit("mm.default", matrix, columns), [1, 0]), level);
  }
  const matrices = unmoved(dispatcher, matrix.value);
  const product = emit("matmul.default", matrices, emit("unsqueeze.default", vector.value, -1));
  return batchedResult(emit("squeeze.dim", product, -1), level);
}

/**
 * Returns the arguments with whole batches in place, all of the rank that broadcasting gives an
 * element.
 */
function aligned(
  dispatcher: Dispatcher,
  args: readonly EmitArg[],
  isHere: Batch["isHere"],
): readonly EmitArg[] {
  const rank = Math.max(...args.map((arg) => (arg instanceof FakeTensor ? arg.ndim : 0)));
  return args.map((arg) => (isHere(arg) ? withRank(dispatcher, arg, rank) : arg));
}

/** Returns a call whose operands are whole batches; undefined where others are batched. */
function byRule(
  { dispatcher, isHere }: Batch,
  target: string,
  args: readonly EmitArg[],
  given: Kwargs,
): Call | undefined {
  const self = args[0]!;
  const rule = batchRuleOf(target);
  if (rule === undefined || !(self instanceof FakeTensor)) return undefined;
  const { whole } = rule;
  if (!whole.some((at) => isHere(args[at]!)) || args.some((arg, at) => !whole.includes(at) && isHere(arg)))
    return undefined;
  const { schema } = dispatcher.operators.require(target);
  const shifted = withShiftedDims(rule, schema, args, self.ndim);
  const kwargs = withShiftedKeyword(rule, given, self.ndim, schema);
  if (shifted === undefined || kwargs === undefined) return undefined;
  const count = batchSize(args, isHere);
  return {
    target,
    args: shifted.map((arg, at) => (whole.includes(at) ? wholeOf(dispatcher, arg, isHere, count) : arg)),
    kwargs,
  };
}

/** Returns how many elements the batched ones among arguments have. */
function batchSize(args: readonly EmitArg[], isHere: Batch["isHere"]): IntLike {
  for (const arg of args) if (isHere(arg)) return arg.value.shape[0]!;
  return 1;
}

/** Returns the batch of an operand, which is the same for all elements where it has none. */
function wholeOf(dispatcher: Dispatcher, arg: EmitArg, isHere: Batch["isHere"], count: IntLike): EmitArg {
  if (isHere(arg)) return arg.value;
  if (!(arg instanceof FakeTensor)) return arg;
  return dispatcher.functional("aten.expand.default", [arg, [count, ...arg.shape]]);
}

/** Tensors joined along a dimension of an element. */
function joined({ dispatcher, isHere }: Batch, target: string, args: readonly EmitArg[]): Call {
  const parts = args[0] as readonly FakeTensor[];
  const rank = Math.max(...parts.map((part) => part.ndim)) + (target === "aten.stack.default" ? 1 : 0);
  const count = batchSize(parts, isHere);
  const whole = parts.map((part) => {
    const value = wholeOf(dispatcher, part, isHere, count) as FakeTensor;
    // functorch moves the batch of each to the front, where it is.
    return target === "aten.stack.default" && isHere(part) ? unmoved(dispatcher, value) : value;
  });
  return { target, args: [whole, wrapDimension(Number(args[1] ?? 0), rank) + 1] };
}

/**
 * One call for each lane, stacked: the right numbers where no rule for the whole batch is known.
 */
function unroll(
  { dispatcher, level, isHere }: Batch,
  target: string,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): EmitArg {
  const batched: BatchedTensor[] = [];
  for (const arg of args) {
    mapNested(arg, (item) => {
      if (isHere(item)) batched.push(item);
      return item;
    });
  }
  const count = batched[0]!.value.shape[0];
  if (typeof count !== "number") throw unsupportedVmap(target);
  if (count === 0)
    return withoutLanes(
      dispatcher,
      level,
      metaOf(dispatcher.operators, target, args, kwargs, dispatcher.tracer.env),
    );
  // functorch moves the batch of each operand to the front, where it is.
  const front = new Map(batched.map((one) => [one as EmitArg, unmoved(dispatcher, one.value)]));
  const lanes = Array.from({ length: count }, (_, lane) => {
    const ofLane = (arg: EmitArg): EmitArg =>
      isHere(arg) ? callBatched(dispatcher, "aten.select.int", [front.get(arg)!, 0, lane], {}) : arg;
    const plain = args.map((arg) => mapNested(arg, ofLane));
    return callBatched(dispatcher, target, plain, kwargs);
  });
  const stacked = (items: readonly EmitArg[]): EmitArg => {
    if (!items.every((item) => item instanceof FakeTensor)) throw unsupportedVmap(target);
    const all = callBatched(dispatcher, "aten.stack.default", [items], {}) as FakeTensor;
    return batchedResult(viewed(dispatcher, all, all.shape), level);
  };
  const [first] = lanes;
  return Array.isArray(first)
    ? first.map((_, at) => stacked(lanes.map((lane) => (lane as readonly EmitArg[])[at]!)))
    : stacked(lanes);
}
