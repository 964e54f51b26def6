/**
 * @file Views of tensors with dynamic sizes, as PyTorch's reference of `view` computes them
 * (`torch._refs._reshape_view_helper`). Each question that it asks of a size is asked here, in the
 * same order: the guards of an export follow from them.
 */
import type { FakeTensor, IntLike } from "@sconce/ir";
import {
  and,
  type BoolLike,
  eq,
  floorDiv,
  freeSymbols,
  ge,
  isUnbacked,
  lt,
  mod,
  mul,
  ne,
  or,
  type SymEnv,
  SymExpr,
  symMin,
} from "@sconce/symbolic";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { check, pythonEq } from "./comparison.js";
import { describeSize, describeSizes } from "./describe.js";
import { askStrides, contiguousStridesOf, elementsOf, isContiguousFake, numelOf } from "./fake.js";

/** Sizes and strides while dimensions are merged and split. */
interface Layout {
  readonly shape: IntLike[];
  readonly strides: IntLike[];
}

/**
 * Returns whether the reference decides on these sizes: some are dynamic, and the example has them
 * all.
 */
export function hasReferenceView(base: FakeTensor, sizes: readonly IntLike[]): boolean {
  const dynamic = [...base.shape, ...base.strides, ...sizes].filter((size) => size instanceof SymExpr);
  return dynamic.length > 0 && !dynamic.some((size) => [...freeSymbols(size).values()].some(isUnbacked));
}

/**
 * Returns the sizes and strides of a view; undefined when the layout needs a copy.
 *
 * @throws SconceError `SHAPE_MISMATCH`, `INVALID_ARGUMENT`
 */
export function referenceView(base: FakeTensor, given: readonly IntLike[], env: SymEnv): Layout | undefined {
  const numel = elementsOf(base);
  const sizes = inferSize(given, numel, env);
  if (env.guard(eq(numel, 0))) return { shape: [...sizes], strides: [...contiguousStridesOf(sizes)] };
  const ones = base.ndim === 0 ? sizes : sizes.length === 0 ? base.shape : undefined;
  if (ones !== undefined) {
    for (const size of ones) check(env, eq(size, 1), () => misfit(given, numel));
    return { shape: [...sizes], strides: sizes.map(() => 1) };
  }
  if (isContiguousFake(base, env)) {
    if (sizes.length === 1 && base.ndim > 1) return { shape: [numel], strides: [1] };
    if (sizes.length === 2 && base.ndim === 1) return { shape: [...sizes], strides: [sizes[1]!, 1] };
  }
  check(env, eq(numel, numelOf(sizes)), () => misfit(given, numel));
  return regroup(base, sizes, env);
}

const misfit = (sizes: readonly IntLike[], numel: IntLike): Error =>
  shapeMismatch(`shape '${describeSizes(sizes)}' is invalid for input of size ${describeSize(numel)}`);

/** Replaces -1 (`torch._prims_common.infer_size`). */
function inferSize(given: readonly IntLike[], numel: IntLike, env: SymEnv): readonly IntLike[] {
  let inferred = -1;
  let known: IntLike = 1;
  for (const [d, size] of given.entries()) {
    if (env.orFalse(eq(size, -1))) {
      if (inferred >= 0) throw invalidArgument("only one dimension can be inferred");
      inferred = d;
      continue;
    }
    check(env, ge(size, 0), () => invalidArgument(`invalid shape dimension ${describeSize(size)}`));
    known = mul(known, size);
  }
  if (inferred < 0) {
    check(env, eq(numel, known), () => misfit(given, numel));
    return given;
  }
  check(env, ne(known, 0), () => misfit(given, numel));
  check(env, eq(mod(numel, known), 0), () => misfit(given, numel));
  const size = floorDiv(numel, known);
  check(env, ge(size, 0), () => misfit(given, numel));
  return given.with(inferred, size);
}

/** Builds the sizes from the outermost one on, merging and splitting dimensions. */
function regroup(base: FakeTensor, sizes: readonly IntLike[], env: SymEnv): Layout | undefined {
  const at: Layout = { shape: [...base.shape], strides: [...base.strides] };
  const { shape, strides } = at;
  for (const [d, size] of sizes.entries()) {
    if (d >= shape.length) {
      if (!env.guard(eq(size, 1))) return undefined;
      split(at, shape.length - 1, shape.at(-1)!, env);
      continue;
    }
    if (env.guard(pythonEq(size, shape[d]!))) continue;
    let end = d;
    let merged = shape[d]!;
    while (env.guard(ne(mod(merged, size), 0))) {
      end++;
      if (end === shape.length) return undefined;
      merged = mul(merged, shape[end]!);
    }
    if (end > d && !merge(at, d, end, env)) return undefined;
    if (env.guard(ne(merged, size))) {
      split(at, d, size, env);
      askLayout(at, env);
    }
  }
  for (let d = shape.length - 1; d >= sizes.length; d--) {
    if (!env.guard(eq(shape[d]!, 1))) return undefined;
    shape.splice(d, 1);
    strides.splice(d, 1);
  }
  return at;
}

/** PyTorch finds out about the layout of each view, without guards. */
export function askLayout(layout: Pick<FakeTensor, "shape" | "strides">, env: SymEnv): void {
  const ask = (condition: BoolLike): boolean => env.askQuietly?.(condition) ?? false;
  askStrides(layout, { is: ask, differs: ask, countsEmpty: true });
}

/** Splits a dimension in two (`prims.split_dim`). */
function split({ shape, strides }: Layout, dim: number, outer: IntLike, env: SymEnv): void {
  const [size, stride] = [shape[dim]!, strides[dim]!];
  const inner = floorDiv(size, outer);
  check(env, eq(mod(size, outer), 0), () => misfit([outer, inner], size));
  shape.splice(dim, 1, outer, inner);
  strides.splice(dim, 1, mul(stride, inner), stride);
}

/** Makes one dimension of several; false when they do not lie evenly (`_collapse_view_helper`). */
function merge({ shape, strides }: Layout, start: number, end: number, env: SymEnv): boolean {
  const numel = numelOf(shape);
  let even: BoolLike = true;
  if (env.orFalse(ne(numel, 0))) {
    for (let d = end - 1; d >= start; d--) {
      const step = mul(strides[d + 1]!, shape[d + 1]!);
      even = and(even, or(or(eq(shape[d]!, 1), eq(shape[d + 1]!, 1)), eq(strides[d]!, step)));
    }
  }
  const isEven = or(even, eq(numel, 0));
  if (!env.orFalse(isEven)) return false;
  let stride = strides[end]!;
  for (let d = end - 1; d >= start; d--) {
    if (env.guard(ne(shape[d]!, 1))) stride = least(env, stride, strides[d]!);
  }
  const length = mergedLength(shape, start, end, env);
  const isEmpty = env.orFalse(eq(numel, 0));
  // It is required once more where the dimensions are merged.
  env.guardNatively?.(isEven);
  shape.splice(start, end - start + 1, length);
  if (isEmpty) strides.splice(0, strides.length, ...contiguousStridesOf(shape));
  else strides.splice(start, end - start + 1, stride);
  return true;
}

/** Returns the product of merged sizes; PyTorch asks of each whether it is 0. */
function mergedLength(shape: readonly IntLike[], start: number, end: number, env: SymEnv): IntLike {
  let length = shape[end]!;
  if (!env.orTrue(ne(length, 0))) return 0;
  for (let d = end - 1; d >= start; d--) {
    if (env.orFalse(eq(shape[d]!, 0))) return 0;
    length = mul(length, shape[d]!);
  }
  return length;
}

/** Python's `min` of two sizes. */
function least(env: SymEnv, a: IntLike, b: IntLike): IntLike {
  if ((typeof a === "number" && typeof b === "number") || env.keepsMin === true) return symMin(a, b);
  return env.guard(lt(b, a)) ? b : a;
}
