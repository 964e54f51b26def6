import { FakeTensor, type MetaValue, type SymInt } from "@sconce/ir";
import { ADD_LANES, bindArgs, type EmitArg, emitFrom, REMOVE_LANES } from "@sconce/ops";
import type { Dispatcher } from "../functionalize/dispatcher.js";
import { unsupportedVmap } from "./errors.js";

/**
 * A tensor whose first dimension is hidden; its own sizes are those of one element of the batch.
 */
class BatchedTensor extends FakeTensor {
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

export function runVmapCall(dispatcher: Dispatcher, target: string, args: readonly EmitArg[]): EmitArg {
  switch (target) {
    case ADD_LANES:
      return new BatchedTensor(
        moveDim(dispatcher, args[0] as FakeTensor, Number(args[1]), 0),
        Number(args[2]),
      );
    case REMOVE_LANES:
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
  const expanded = dispatcher.functional("aten.expand.default", [
    unsqueezed,
    [size as number, ...tensor.shape],
  ]);
  return moveDim(dispatcher, expanded, 0, Number(outDim));
}

function moveDim(dispatcher: Dispatcher, tensor: FakeTensor, from: number, to: number): FakeTensor {
  const at = (dim: number): number => (dim < 0 ? dim + tensor.ndim : dim);
  if (at(from) === at(to)) return tensor;
  const order = tensor.shape.map((_, dim) => dim);
  order.splice(at(to), 0, ...order.splice(at(from), 1));
  return dispatcher.functional("aten.permute.default", [tensor, order]);
}

export const hasBatched = (args: readonly EmitArg[]): boolean => levelOf(args) > 0;

/** The innermost level among arguments and the items of lists; 0 for none. */
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
 * A call with batched arguments: the innermost level is taken off, the outer ones see the call that
 * is left.
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
  const composed = batchedInSteps(batch, target, args);
  if (composed !== undefined) return composed;
  const whole = wholeBatch(batch, target, args);
  if (whole !== undefined)
    return batchedResult(callBatched(dispatcher, whole.target, whole.args, kwargs), level);
  const row = dispatcher.operators.require(target);
  if (!row.tags.includes("composite") || row.decompose === undefined)
    return unroll(batch, target, args, kwargs);
  const inner = (name: string, given: readonly EmitArg[], named: Kwargs): MetaValue =>
    callBatched(dispatcher, name, given, named) as MetaValue;
  const emit = emitFrom(dispatcher.tracer.env, inner);
  return row.decompose(emit, bindArgs(row.schema, args, kwargs)) as EmitArg;
}

interface Batch {
  readonly dispatcher: Dispatcher;
  readonly level: number;
  /** Whether an argument is batched at this level. */
  readonly isHere: (arg: EmitArg) => arg is BatchedTensor;
}

interface Call {
  readonly target: string;
  readonly args: readonly EmitArg[];
}

/**
 * The call that does for the whole batch what the given one does for an element, where there is
 * one.
 */
function wholeBatch(
  { dispatcher, isHere }: Batch,
  target: string,
  args: readonly EmitArg[],
): Call | undefined {
  const [self, second, ...rest] = args;
  if (CONVERSIONS.test(target) && isHere(self)) return { target, args: [self.value, ...args.slice(1)] };
  if (VIEWS.test(target) && isHere(self))
    return { target, args: [self.value, [self.value.shape[0]!, ...(second as readonly SymInt[])]] };
  if (target === "aten.permute.default" && isHere(self)) {
    const dims = (second as readonly number[]).map((dim) => (dim < 0 ? dim + self.ndim : dim) + 1);
    return { target, args: [self.value, [0, ...dims]] };
  }
  // Products of matrices, one for each element, are a product of batches, as in functorch.
  if (target === "aten.mm.default" || target === "aten.bmm.default")
    return { target: "aten.matmul.default", args: args.map((arg) => (isHere(arg) ? arg.value : arg)) };
  if (FACTORIES.test(target) && isHere(self) && Array.isArray(second)) {
    return { target, args: [self.value, [self.value.shape[0]!, ...(second as readonly SymInt[])], ...rest] };
  }
  const shifted = isHere(self) && !args.slice(1).some(isHere) ? shiftDims(target, self, args) : undefined;
  if (shifted !== undefined) return shifted;
  if (target === "aten.index.Tensor" && !hasBatched([self])) {
    const indices = second as readonly (FakeTensor | null)[];
    // Indices of the first dimensions: those of the batch come in front of the result as they do of
    // the indices.
    if (!indices.includes(null)) return { target, args: [self, aligned(dispatcher, indices, isHere)] };
  }
  if (!dispatcher.operators.require(target).tags.includes("pointwise")) return undefined;
  return { target, args: aligned(dispatcher, args, isHere) };
}

/** A call as several ones that have rules for batches, as functorch divides it; else undefined. */
function batchedInSteps(
  { dispatcher, isHere }: Batch,
  target: string,
  [self, other]: readonly EmitArg[],
): EmitArg | undefined {
  if (target === "aten.expand.default" && isHere(self!)) {
    const sizes = other as readonly SymInt[];
    const value = viewed(dispatcher, self.value, paddedSizes(self, sizes.length));
    const whole = [value, [self.value.shape[0]!, ...sizes]];
    return batchedResult(callBatched(dispatcher, target, whole, {}), self.level);
  }
  if (target === "aten.t.default" && isHere(self!))
    return callBatched(dispatcher, "aten.permute.default", [self, self.ndim < 2 ? [0] : [1, 0]], {});
  const call = (name: string, ...given: readonly EmitArg[]): EmitArg =>
    callBatched(dispatcher, `aten.${name}`, given, {});
  const isDot = target === "aten.dot.default";
  if (!isDot && target !== "aten.mv.default") return undefined;
  const left = isDot ? call("unsqueeze.default", self!, -2) : self!;
  const column = call("mm.default", left, call("unsqueeze.default", other!, -1));
  const vector = call("squeeze.dim", column, -1);
  return isDot ? call("squeeze.dim", vector, -1) : vector;
}

/**
 * The arguments with whole batches in place, all of the rank that broadcasting gives an element.
 */
function aligned(
  dispatcher: Dispatcher,
  args: readonly EmitArg[],
  isHere: Batch["isHere"],
): readonly EmitArg[] {
  const rank = Math.max(...args.map((arg) => (arg instanceof FakeTensor ? arg.ndim : 0)));
  return args.map((arg) => (isHere(arg) ? withRank(dispatcher, arg, rank) : arg));
}

function batchedResult(result: EmitArg, level: number): EmitArg {
  if (result instanceof FakeTensor) return new BatchedTensor(result, level);
  return Array.isArray(result)
    ? (result as readonly EmitArg[]).map((item) => batchedResult(item, level))
    : result;
}

/**
 * Operators whose second argument names dimensions of the first: they act one dimension further
 * right.
 */
const OF_DIMENSIONS: ReadonlySet<string> = new Set(
  (
    "select.int slice.Tensor sum.dim_IntList mean.dim amax.default amin.default prod.dim_int argmax.default argmin.default " +
    "any.dim all.dim logsumexp.default unsqueeze.default squeeze.dim softmax.int log_softmax.int cumsum.default flip.default"
  ).split(" "),
);
/** Reductions of everything as reductions of the given dimensions. */
const OF_EVERYTHING: Readonly<Record<string, string>> = {
  "aten.sum.default": "aten.sum.dim_IntList",
  "aten.mean.default": "aten.mean.dim",
};

function shiftDims(target: string, self: BatchedTensor, args: readonly EmitArg[]): Call | undefined {
  const [, dims, ...rest] = args;
  const everything = OF_EVERYTHING[target];
  if (everything !== undefined) {
    return { target: everything, args: [self.value, self.shape.map((_, dim) => dim + 1), ...rest] };
  }
  if (!OF_DIMENSIONS.has(target.slice("aten.".length))) return undefined;
  // A new dimension may also stand behind the last.
  const rank = self.ndim + (target === "aten.unsqueeze.default" ? 1 : 0);
  const shift = (dim: EmitArg): number => (Number(dim) < 0 ? Number(dim) + rank : Number(dim)) + 1;
  if (typeof dims === "number") return { target, args: [self.value, shift(dims), ...rest] };
  if (!Array.isArray(dims)) return undefined;
  return { target, args: [self.value, (dims as readonly EmitArg[]).map(shift), ...rest] };
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
  const lanes = Array.from({ length: count }, (_, lane) => {
    const ofLane = (arg: EmitArg): EmitArg =>
      isHere(arg) ? callBatched(dispatcher, "aten.select.int", [arg.value, 0, lane], {}) : arg;
    const plain = args.map((arg) => mapNested(arg, ofLane));
    return callBatched(dispatcher, target, plain, kwargs);
  });
  if (!lanes.every((lane) => lane instanceof FakeTensor)) throw unsupportedVmap(target);
  return batchedResult(callBatched(dispatcher, "aten.stack.default", [lanes], {}), level);
}

/**
 * The batch with sizes of 1 after its first dimension, so that elements broadcast from the right.
 */
function withRank(dispatcher: Dispatcher, { value, ndim }: BatchedTensor, rank: number): FakeTensor {
  if (ndim >= rank) return value;
  return viewed(dispatcher, value, paddedSizes({ value, ndim }, rank));
}

/** The sizes of a batch whose elements have at least this rank. */
function paddedSizes({ value, ndim }: Pick<BatchedTensor, "value" | "ndim">, rank: number): SymInt[] {
  const [batch, ...sizes] = value.shape;
  return [batch!, ...new Array<number>(Math.max(0, rank - ndim)).fill(1), ...sizes];
}

function viewed(dispatcher: Dispatcher, tensor: FakeTensor, sizes: readonly SymInt[]): FakeTensor {
  if (!(tensor instanceof BatchedTensor)) return dispatcher.functional("aten.view.default", [tensor, sizes]);
  return new BatchedTensor(
    viewed(dispatcher, tensor.value, [tensor.value.shape[0]!, ...sizes]),
    tensor.level,
  );
}
