/**
 * @file Indexing as Python writes it: `x[1:3, None, ..., mask]` is `x.at("1:3", null, "...",
 * mask)`. Records what PyTorch records (`torch/csrc/autograd/python_variable_indexing.cpp`,
 * `ATen/TensorIndexing.h`).
 */
import { type Argument, device, dtypeLiteral, kindOf, layout, unwrapFloat } from "@sconce/ir";
import { isIntegralDType, type NestedValues, Tensor } from "@sconce/tensor";
import { callOperator, currentTrace, type OperatorArgument } from "../trace/dispatch.js";
import { isItemValue } from "../trace/lane-items.js";
import { laneLevel } from "../trace/lane-levels.js";
import { isSym, type Size, SymInt } from "../trace/sym-int.js";
import { isScalar, specialized } from "./arguments.js";
import { lifted } from "./constants.js";
import { invalidArgument } from "./errors.js";
import { named } from "./python-function.js";
import { discard, guardSameSizes, knownAtMost, requireInside, sizesOf, sizeText } from "./sizes.js";

/** A slice of a dimension, as Python's `slice`. */
export interface Slice {
  readonly kind: "slice";
  /** The first index; null for the beginning. */
  readonly start: Bound;
  /** The index behind the last; null for the end. */
  readonly stop: Bound;
  /** The distance of indices; null for 1. */
  readonly step: Bound;
}

/** An end of a slice: a number, a size, or a tensor of one integer. */
export type Bound = Size | Tensor | null;

/**
 * Returns a slice: `slice(1, 3)` is `1:3`, `slice(null, null, 2)` is `::2`, `slice(3)` is `:3`. A
 * tensor without dimensions represents the integer in it.
 */
export function slice(start?: Bound, stop?: Bound, step?: Bound): Slice {
  const isEnd = stop === undefined && step === undefined;
  return Object.freeze({
    kind: "slice",
    start: isEnd ? null : (start ?? null),
    stop: isEnd ? (start ?? null) : (stop ?? null),
    step: step ?? null,
  });
}

/**
 * One index: a position, a slice (`slice(1, 3)` or `"1:3"`), null for a new dimension, `"..."`, a
 * boolean, a tensor of positions or a mask, or a list of positions.
 */
export type Index = Size | Slice | null | string | boolean | Tensor | readonly IndexList[];
/** Positions in lists. */
type IndexList = number | boolean | readonly IndexList[];

const LAST = 9223372036854775807n;
const SLICE_TEXT = /^(-?\d*):(-?\d*)(?::(-?\d*))?$/;

const isSlice = (value: unknown): value is Slice => (kindOf(value) as string) === "slice";

function parsed(index: Index): Exclude<Index, string> | "..." {
  if (typeof index !== "string" || index === "...") return index as "...";
  const found = SLICE_TEXT.exec(index);
  if (found === null)
    throw invalidArgument(
      "Tensor.at",
      `the index ${JSON.stringify(index)} is not a slice`,
      'write "1:3", ":" or "..."',
    );
  const [start, stop, step] = found.slice(1).map((text) => (text ? Number(text) : null));
  return slice(start ?? null, stop ?? null, step ?? null);
}

/** Returns whether a list represents several indices (`treatSequenceAsTuple`). */
const isTuple = (index: unknown): index is readonly Index[] =>
  Array.isArray(index) &&
  index.length < 32 &&
  index.some(
    (item) =>
      item === null || item === "..." || Array.isArray(item) || item instanceof Tensor || isSlice(item),
  );

const select = (x: Tensor, dim: number, position: Size): Tensor =>
  callOperator("aten.select.int", [x, dim, position]) as Tensor;

/** As {@link select}, for an index whose bounds `applySelect` checks. */
function selectChecked(x: Tensor, dim: number, position: Size): Tensor {
  const size = sizesOf(x)[dim]!;
  discard(["gt", "gt", "and_"], [size], [position]);
  if (!requireInside(size, position))
    throw invalidArgument(
      "Tensor.setAt",
      `index ${sizeText(position)} is out of bounds for dimension ${dim} with size ${sizeText(size)}`,
      "use an index from minus the size to the size minus 1",
    );
  return select(x, dim, position);
}
const unsqueeze = (x: Tensor, dim: number): Tensor =>
  callOperator("aten.unsqueeze.default", [x, dim]) as Tensor;

/** Returns whether a slice takes all of a dimension, for every size that it may have. */
function takesAll(x: Tensor, dim: number, start: Size, stop: OperatorArgument, step: Size): boolean {
  if (start !== 0) return false;
  const size = sizesOf(x)[dim]!;
  discard(["le"], [size], isSym(stop) ? [stop as Size] : []);
  if (step !== 1) return false;
  if (stop === LAST) return typeof size === "number" || knownAtMost(size, Number.MAX_SAFE_INTEGER);
  return knownAtMost(size, stop as Size);
}

function applySlice(x: Tensor, dim: number, given: Slice, isAlways: boolean): Tensor {
  const [start, stop, step] = [boundOf(given.start), boundOf(given.stop), boundOf(given.step)];
  const stride = step ?? 1;
  if (typeof stride === "number" && stride <= 0)
    throw invalidArgument(
      "Tensor.at",
      `the step ${stride} of a slice is not positive`,
      "use a step from 1 on, or `flip`",
    );
  const [first, last] = [start ?? 0, (stop ?? LAST) as OperatorArgument];
  if (!isAlways && takesAll(x, dim, first, last, stride)) return x;
  return callOperator("aten.slice.Tensor", [x, dim, first, last, stride]) as Tensor;
}

/** Returns the integer of a tensor that represents it. */
const boundOf = (bound: Bound): Size | null =>
  bound instanceof Tensor ? (numberOf(requireInteger(bound)) as Size) : bound;

function requireInteger(bound: Tensor): Tensor {
  const isInteger: boolean = isNumberTensor(bound);
  if (isInteger) return bound;
  throw invalidArgument(
    "Tensor.at",
    `an end of a slice is a tensor of ${bound.dtype}[${sizesOf(bound).map(sizeText).join(", ")}], not one integer`,
    "use a tensor of integers without dimensions",
  );
}

/** Returns the positions of a list: a constant of the program. */
function listTensor(list: readonly IndexList[]): Tensor {
  const isBoolean = (value: unknown): boolean =>
    Array.isArray(value) ? value.some(isBoolean) : typeof value === "boolean";
  const values = Tensor.from(list as NestedValues, { dtype: isBoolean(list) ? "bool" : "int64" });
  return lifted(values);
}

/** Positions that take a dimension of size 1, or nothing (`boolToIndexingTensor`). */
function booleanPositions(value: boolean): Tensor {
  const empty = callOperator("aten.empty.memory_format", [[value ? 1 : 0]], {
    dtype: dtypeLiteral("int64"),
    layout: layout("strided"),
    device: device("cpu"),
  }) as Tensor;
  if (!value) return empty;
  return callOperator("aten.fill_.Scalar", [empty, { kind: "float", value: 0 }]) as Tensor;
}

/** Dimensions that an index takes up. */
function takenBy(index: Index): number {
  if (index instanceof Tensor) return /^(bool|uint8)$/.test(index.dtype) ? index.ndim : 1;
  return index === null || index === "..." || typeof index === "boolean" ? 0 : 1;
}

/** Applies indices one by one; positions in tensors are collected for one `index` at the end. */
class Indexing {
  readonly tensors: (Tensor | null)[] = [];
  #dim = 0;
  #result: Tensor;
  readonly #skipped: number;

  constructor(x: Tensor, indices: readonly Index[]) {
    this.#result = x;
    const taken = indices.reduce((sum: number, index) => sum + takenBy(index), 0);
    if (taken > x.ndim)
      throw invalidArgument(
        "Tensor.at",
        `${taken} indices are given for a tensor of ${x.ndim} dimensions`,
        "give an index for each dimension at most",
      );
    this.#skipped = x.ndim - taken;
    for (const index of indices) this.#apply(index);
  }

  /** The tensor with positions, slices and new dimensions applied. */
  get sliced(): Tensor {
    return this.#result;
  }

  #apply(index: Index): void {
    if (typeof index === "number" || index instanceof SymInt)
      this.#result = selectChecked(this.#result, this.#dim, index);
    else if (index === null) this.#result = unsqueeze(this.#result, this.#dim++);
    else if (index === "...") this.#dim += this.#skipped;
    else if (typeof index === "boolean") this.#boolean(index);
    else if (isSlice(index)) this.#result = applySlice(this.#result, this.#dim++, index, false);
    else if (index instanceof Tensor) this.#tensor(index);
    else if (Array.isArray(index)) this.#collect(listTensor(index as readonly IndexList[]));
    else throw unknownIndex(index);
  }

  #boolean(value: boolean): void {
    this.#result = unsqueeze(this.#result, this.#dim);
    this.#collect(booleanPositions(value));
  }

  #tensor(index: Tensor): void {
    const isMapped = laneLevel(currentTrace()) > 0 || isItemValue(index);
    if (isMapped || index.ndim > 0 || !(isIntegralDType(index.dtype) || index.dtype === "bool"))
      this.#collect(index);
    else if (index.dtype === "bool") this.#boolean(callOperator("aten.item.default", [index]) as boolean);
    else
      this.#result = selectChecked(
        this.#result,
        this.#dim,
        callOperator("aten.item.default", [index]) as Size,
      );
  }

  #collect(positions: Tensor): void {
    while (this.tensors.length < this.#dim) this.tensors.push(null);
    this.tensors.push(positions);
    this.#dim += 1;
  }
}

const unknownIndex = (index: unknown): Error =>
  invalidArgument(
    "Tensor.at",
    `${typeof index} is not an index`,
    'use whole numbers, `slice(1, 3)`, "1:3", null, "...", booleans, tensors or lists',
  );

const tupleOf = (indices: readonly Index[]): readonly Index[] => {
  const first = indices[0];
  return (indices.length === 1 && isTuple(first) ? first : indices).map(parsed);
};

const isNumberTensor = (value: unknown): value is Tensor =>
  value instanceof Tensor && value.ndim === 0 && isIntegralDType(value.dtype) && value.dtype !== "bool";
const isDynamic = (value: unknown): boolean => value instanceof SymInt || isNumberTensor(value);

/** Dynamic positions: export applies such indices one by one (`_NonStrictTorchFunctionHandler`). */
const hasDynamic = (indices: readonly Index[]): boolean =>
  indices.some((index) =>
    isSlice(index) ? [index.start, index.stop, index.step].some(isDynamic) : isDynamic(index),
  );

function numberOf(value: unknown): OperatorArgument {
  if (isNumberTensor(value)) return callOperator("aten.item.default", [value]) as OperatorArgument;
  return value instanceof SymInt ? specialized(value) : (value as OperatorArgument);
}

/** One step for each index; undefined when positions in tensors or lists are among them. */
function dynamicItem(x: Tensor, given: readonly Index[]): Tensor | undefined {
  const left = x.ndim + 1 - given.filter((index) => index !== null).length;
  const indices = given.flatMap((index) =>
    index === "..." ? new Array<Index>(left).fill(slice()) : [index],
  );
  const isStep = (index: Index): boolean =>
    index === null || typeof index === "number" || isSlice(index) || isDynamic(index);
  if (!indices.every(isStep)) return undefined;
  let result = x;
  let dim = 0;
  for (const index of indices) {
    if (index === null) result = unsqueeze(result, dim++);
    else if (!isSlice(index)) result = select(result, dim, numberOf(index) as Size);
    else result = plainSlice(result, dim++, index);
  }
  return result;
}

/** Returns a slice, or the tensor itself for all of the dimension; omitted ends stay null. */
function plainSlice(x: Tensor, dim: number, { start, stop, step }: Slice): Tensor {
  if (start === null && stop === null && (step ?? 1) === 1) return x;
  return callOperator("aten.slice.Tensor", [
    x,
    dim,
    numberOf(start),
    numberOf(stop),
    numberOf(step ?? 1),
  ]) as Tensor;
}

function getItem(x: Tensor, given: readonly Index[]): Tensor {
  const indices = tupleOf(given);
  const trace = currentTrace();
  const isMapped = laneLevel(trace) > 0 && indices.some((index) => index instanceof Tensor);
  const isPlain = trace !== undefined && trace.isNested !== true && trace.isStrict !== true && !isMapped;
  if (isPlain && hasDynamic(indices)) {
    const item = dynamicItem(x, indices);
    if (item !== undefined) return item;
  }
  const [first] = indices;
  if (indices.length === 1 && isSlice(first)) return applySlice(x, 0, first, true);
  const { sliced, tensors } = new Indexing(x, indices);
  if (tensors.length > 0) return callOperator("aten.index.Tensor", [sliced, tensors]) as Tensor;
  return sliced === x ? (callOperator("aten.alias.default", [x]) as Tensor) : sliced;
}

/** Returns the sizes of a value without leading ones. */
function withoutOnes(sizes: readonly Size[]): readonly Size[] {
  const first = sizes.findIndex((size) => size !== 1);
  return first < 0 ? [] : sizes.slice(first);
}

function copyTo(target: Tensor, value: Tensor): void {
  if (guardSameSizes(sizesOf(target), sizesOf(value))) {
    callOperator("aten.copy_.default", [target, value]);
    return;
  }
  if (value.ndim === 0) {
    callOperator("aten.fill_.Tensor", [target, value]);
    return;
  }
  const view = callOperator("aten.view.default", [value, withoutOnes(sizesOf(value))]) as Tensor;
  const isSame = guardSameSizes(sizesOf(target), sizesOf(view));
  const source = isSame ? view : callOperator("aten.expand.default", [view, sizesOf(target)]);
  callOperator("aten.copy_.default", [target, source as Tensor]);
}

/** Returns a number as a tensor of the dtype that it is written into. */
function valueTensor(x: Tensor, value: unknown): Tensor {
  if (value instanceof Tensor) return value;
  if (isSym(value))
    return callOperator("aten.scalar_tensor.default", [value], { dtype: dtypeLiteral(x.dtype) }) as Tensor;
  if (!isScalar(value))
    throw invalidArgument("Tensor.setAt", "the value is not a number or a tensor", "give one of them");
  const plain = unwrapFloat(value as Argument);
  return lifted(Tensor.from(plain as NestedValues, { dtype: x.dtype }));
}

function setItem(x: Tensor, given: readonly Index[], value: unknown): void {
  const indices = tupleOf(given);
  const [first] = indices;
  if (indices.length === 1 && first === false) return;
  const source = valueTensor(x, value);
  if (indices.length === 1 && (first === true || first === null)) {
    copyTo(unsqueeze(x, 0), source);
    return;
  }
  const { sliced, tensors } = new Indexing(x, indices);
  if (tensors.length === 0) {
    copyTo(sliced, source);
    return;
  }
  const sizes = sizesOf(source);
  const kept = withoutOnes(sizes);
  // PyTorch looks for leading ones among the sizes.
  discard([], kept.slice(0, 1));
  const view = kept.length === sizes.length ? source : callOperator("aten.view.default", [source, kept]);
  callOperator("aten.index_put_.default", [sliced, tensors, view as Tensor]);
}

/** Reads by index, as Python's `x[...]`. */
export const at = (x: Tensor, indices: readonly Index[]): Tensor =>
  named("__getitem__", "wrapper_descriptor", () => getItem(x, indices));

/** Writes by index, as Python's `x[...] = value`. */
export const setAt = (x: Tensor, indices: Index | readonly Index[], value: unknown): void =>
  named("__setitem__", "wrapper_descriptor", () =>
    setItem(x, Array.isArray(indices) ? (indices as readonly Index[]) : [indices as Index], value),
  );
