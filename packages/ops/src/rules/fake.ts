/** @file Making fake tensors, and the layouts that sizes and strides spell. */
import { type DeviceLiteral, FakeTensor, type IntLike, type LayoutName, type MemoryFormat } from "@sconce/ir";
import { type BoolLike, eq, le, lt, mul, ne, type SymEnv, symMax } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { invalidArgument } from "../rows/errors.js";

export interface FakeSpec {
  readonly dtype: DType;
  readonly shape: readonly IntLike[];
  /** Row-major when left out. */
  readonly strides?: readonly IntLike[] | undefined;
  readonly storageOffset?: IntLike | undefined;
  /** Device and layout come from here unless given. */
  readonly like?: FakeTensor | undefined;
  readonly device?: DeviceLiteral | null | undefined;
  readonly layout?: LayoutName | null | undefined;
}

/** Returns a new fake tensor, row-major unless strides are given. */
export function fake(spec: FakeSpec): FakeTensor {
  const { dtype, shape, like } = spec;
  return new FakeTensor({
    dtype,
    shape,
    strides: spec.strides ?? contiguousStridesOf(shape),
    storageOffset: spec.storageOffset,
    device: spec.device ?? like?.device,
    layout: spec.layout ?? like?.layout,
  });
}

/** Returns a view of the same elements: a new object, because its uses are recorded separately. */
export const aliasOf = (self: FakeTensor): FakeTensor =>
  fake({
    dtype: self.dtype,
    shape: self.shape,
    strides: self.strides,
    storageOffset: self.storageOffset,
    like: self,
  });

const AT_LEAST_ONE = new WeakMap<object, IntLike>();

/** `Max(1, size)`, which strides are products of. */
function atLeastOne(size: IntLike): IntLike {
  if (typeof size === "number") return Math.max(size, 1);
  const known = AT_LEAST_ONE.get(size);
  if (known !== undefined) return known;
  const result = symMax(1, size);
  AT_LEAST_ONE.set(size, result);
  return result;
}

/** Row-major strides; sizes of 0 count as 1. */
export function contiguousStridesOf(shape: readonly IntLike[]): readonly IntLike[] {
  const strides = new Array<IntLike>(shape.length);
  let step: IntLike = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = step;
    if (d > 0) step = mul(step, atLeastOne(shape[d]!));
  }
  return strides;
}

/** Dimensions of a channels-last tensor from outermost to innermost: `[0, 2, 3, 1]`. */
export const channelsLastOrder = (ndim: number): number[] => [
  0,
  ...Array.from({ length: ndim - 2 }, (_, i) => i + 2),
  1,
];

/** Strides of a fresh tensor whose dimensions lie in memory in this order, outermost first. */
export function stridesInOrder(shape: readonly IntLike[], order: readonly number[]): readonly IntLike[] {
  const strides = new Array<IntLike>(shape.length);
  let step: IntLike = 1;
  for (let i = order.length - 1; i >= 0; i--) {
    const dim = order[i]!;
    strides[dim] = step;
    step = mul(step, atLeastOne(shape[dim]!));
  }
  return strides;
}

/** Strides of a fresh tensor in a memory format other than `preserve_format`. */
export function memoryFormatStrides(shape: readonly IntLike[], format: MemoryFormat): readonly IntLike[] {
  if (format === "contiguous_format") return contiguousStridesOf(shape);
  const rank = format === "channels_last" ? 4 : 5;
  if (shape.length !== rank) throw invalidArgument(`required rank ${rank} tensor to use ${format} format`);
  return stridesInOrder(shape, channelsLastOrder(rank));
}

/** Product of the sizes; of one size, the size itself. */
export function numelOf(shape: readonly IntLike[]): IntLike {
  let n: IntLike = 1;
  for (const size of shape) n = n === 1 ? size : mul(n, size);
  return n;
}

const ELEMENTS = new WeakMap<FakeTensor, IntLike>();

/** Returns the number of elements of a tensor; the same object each time where it is symbolic. */
export function elementsOf(tensor: FakeTensor): IntLike {
  const known = ELEMENTS.get(tensor) ?? numelOf(tensor.shape);
  if (typeof known === "object") ELEMENTS.set(tensor, known);
  return known;
}

/** Decides whether a tensor has no elements, as C++ does where its calls differ by it. */
export const hasNoElements = (env: SymEnv, tensor: FakeTensor): boolean =>
  env.guard(eq(elementsOf(tensor), 0));

/** Equal as written, which costs nothing to see. */
export const sameAs = (a: IntLike, b: IntLike): boolean =>
  a === b || (typeof a === "object" && typeof b === "object" && a.key === b.key);

/** Returns whether two sizes are equal; false when that cannot be decided. */
export const equalSizes = (env: SymEnv, a: IntLike, b: IntLike): boolean =>
  typeof a === "number" && typeof b === "number" ? a === b : sameAs(a, b) || env.orFalse(eq(a, b));

/**
 * Row-major in every stride as written, those of dimensions of size 1 included; a symbolic size
 * counts itself or as at least 1.
 */
export function isRowMajor({ shape, strides }: FakeTensor): boolean {
  let step: IntLike = 1;
  let product: IntLike = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    if (!sameAs(strides[d]!, step) && (step === product || !sameAs(strides[d]!, product))) return false;
    if (d === 0) break;
    const size = shape[d]!;
    const next = mul(step, atLeastOne(size));
    product = step === product && atLeastOne(size) === size ? next : mul(product, size);
    step = next;
  }
  return true;
}

/** Row-major contiguity, as `is_contiguous()`. */
export const isContiguousFake = (tensor: FakeTensor, env: SymEnv): boolean =>
  env.orFalse(lt(elementsOf(tensor), 2)) || askNesting(tensor, env, { countsEmpty: true });

/** Row-major contiguity, as C++ finds it out. */
export const isContiguousNatively = (tensor: FakeTensor, env: SymEnv): boolean =>
  equalSizes(env, elementsOf(tensor), 0) ||
  askNesting(tensor, env, { countsEmpty: true }) ||
  askPlainly(env)(eq(elementsOf(tensor), 0)) ||
  askNatively(tensor, env);

/** {@link isChannelsLast}, as C++ finds it out. */
export const isChannelsLastNatively = (tensor: FakeTensor, env: SymEnv): boolean =>
  isChannelsLast(tensor, env) || askNatively(tensor, env, channelsLastOrder(tensor.ndim));

const askPlainly =
  (env: SymEnv) =>
  (condition: BoolLike): boolean =>
    env.guardNatively?.(condition) ?? condition === true;

/** Asks again of each dimension; the answer is known. */
function askNatively(tensor: FakeTensor, env: SymEnv, order?: readonly number[]): false {
  askStrides(tensor, { is: askPlainly(env), differs: askPlainly(env), order });
  return false;
}

/** How {@link askStrides} asks. */
export interface StrideQuestions {
  /** Decides that a size is 1. */
  is(condition: BoolLike): boolean;
  /** Decides that a stride differs from a product of sizes. */
  differs(condition: BoolLike): boolean;
  /** Whether a stride may also be a product in which sizes of 0 count as 1. */
  readonly countsEmpty?: boolean;
  /** The dimensions, outermost first; their own order when left out. */
  readonly order?: readonly number[] | undefined;
}

/**
 * Asks of each dimension, innermost first, whether it is 1, else whether its stride differs from
 * the product of the sizes. Returns whether the dimensions are densely nested.
 */
export function askStrides(
  { shape, strides }: Pick<FakeTensor, "shape" | "strides">,
  { is, differs, countsEmpty = false, order }: StrideQuestions,
): boolean {
  const isOther = (stride: IntLike, step: IntLike): boolean =>
    typeof stride === "number" && typeof step === "number" ? stride !== step : differs(ne(stride, step));
  let step: IntLike = 1;
  let longest: IntLike = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    const dim = order?.[i] ?? i;
    const size = shape[dim]!;
    if (typeof size === "number" ? size === 1 : is(eq(size, 1))) continue;
    if (isOther(strides[dim]!, step) && !(countsEmpty && !isOther(strides[dim]!, longest))) return false;
    longest = mul(longest, atLeastOne(size));
    step = mul(step, size);
  }
  return true;
}

/** Asks {@link askStrides} with guards, where the example values decide. */
export const askNesting = (
  layout: Pick<FakeTensor, "shape" | "strides">,
  env: SymEnv,
  options: Pick<StrideQuestions, "countsEmpty" | "order"> = {},
): boolean =>
  askStrides(layout, {
    is: (condition) => env.orFalse(condition),
    differs: (condition) => env.orTrue(condition),
    ...options,
  });

/**
 * `is_contiguous(memory_format=channels_last)` for rank 4, `channels_last_3d` for rank 5; false for
 * other ranks.
 */
export function isChannelsLast(tensor: FakeTensor, env: SymEnv): boolean {
  const { ndim } = tensor;
  return (ndim === 4 || ndim === 5) && askNesting(tensor, env, { order: channelsLastOrder(ndim) });
}

/** Returns whether the elements fill a block of memory, each once, in some order of dimensions. */
export function isNonOverlappingAndDense(tensor: FakeTensor, env: SymEnv): boolean {
  const { shape } = tensor;
  const plain = shape.map((_, d) => d).filter((d) => shape[d] !== 1);
  if (isStrideChain(tensor, plain, sameAs) || isContiguousFake(tensor, env)) return true;
  const dims = plain.filter((d) => !equalSizes(env, shape[d]!, 1));
  return isStrideChain(
    tensor,
    dims,
    (a, b) => equalSizes(env, a, b),
    (a, b) => env.knownTrue(le(a, b)),
  );
}

/**
 * Returns whether strides are 1, size, size * size, ... in some order; nothing has to be sorted for
 * that.
 *
 * @param isAtMost whether a stride is known to be at most another: only the least one is compared
 *   where it is known
 */
function isStrideChain(
  { shape, strides }: FakeTensor,
  dims: readonly number[],
  equals: (a: IntLike, b: IntLike) => boolean,
  isAtMost?: (a: IntLike, b: IntLike) => boolean,
): boolean {
  const left = [...dims];
  let step: IntLike = 1;
  while (left.length > 0) {
    const least = isAtMost && left.find((d) => left.every((o) => isAtMost(strides[d]!, strides[o]!)));
    const next = left.findIndex((d) => d === (least ?? d) && equals(strides[d]!, step));
    if (next < 0) return false;
    step = mul(step, shape[left[next]!]!);
    left.splice(next, 1);
  }
  return true;
}

/** PyTorch counts the bytes of a new tensor, which asks for a size of 0. */
export function askEmpty(env: SymEnv, shape: readonly IntLike[]): void {
  for (const size of shape) if (equalSizes(env, size, 0)) return;
}

/** Returns a new row-major tensor with the dtype and sizes of another. */
export const rowMajorLike = (self: FakeTensor): FakeTensor =>
  fake({ dtype: self.dtype, shape: self.shape, like: self });
