/**
 * @file Fourier transforms: the three that backends know, and the public functions made of them.
 */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { add, eq, floorDiv, ge, gt, lt, mul, sub } from "@sconce/symbolic";
import { isComplexDType, isFloatDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, requireWord, shapeMismatch } from "../rows/errors.js";
import { convert } from "../rules/decompose.js";
import { describeSize } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { scalarTypeName } from "../rules/dtype-names.js";
import { fake, rowMajorLike } from "../rules/fake.js";
import { toComplexDType, toFloatDType, toRealDType } from "../rules/promote.js";

interface TransformArgs {
  readonly self: FakeTensor;
  readonly dim: readonly IntLike[];
  readonly normalization: IntLike;
}

/**
 * Refuses what the kernels refuse: dimensions count from 0, each once. Returns the last of them,
 * which all but complex results have.
 */
function lastOf({ self, dim, normalization: kind }: TransformArgs): number {
  const dims = dim.map(Number);
  const last = dims.at(-1) ?? (isComplexDType(self.dtype) ? 0 : -1);
  const seen = new Set([...dims, last]);
  for (const d of seen) if (d < 0 || d >= self.ndim) throw invalidArgument("bad axis number");
  if (dims.length > seen.size) throw invalidArgument("axis specified repeatedly");
  if (kind !== 0 && kind !== 1 && kind !== 2)
    throw invalidArgument(`Unsupported normalization type${Number(kind)}`);
  return last;
}

const complexToComplex = defineOp({
  schema: "aten::_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor",
  meta: (args) => {
    const { self } = args;
    if (!isComplexDType(self.dtype)) throw dtypeMismatch("_fft_c2c expects a complex tensor");
    lastOf(args);
    return rowMajorLike(self);
  },
});

const realToComplex = defineOp({
  schema: "aten::_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor",
  tags: ["core"],
  meta: (args) => {
    const { self, onesided } = args;
    if (!isFloatDType(self.dtype)) throw dtypeMismatch("_fft_r2c expects a real tensor");
    const last = lastOf(args);
    const shape = self.shape.map((size, d) => (d === last && onesided ? add(floorDiv(size, 2), 1) : size));
    return fake({ dtype: toComplexDType(self.dtype), shape, like: self });
  },
});

const complexToReal = defineOp({
  schema: "aten::_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor",
  tags: ["core"],
  meta: (args) => {
    const { self, last_dim_size } = args;
    if (!isComplexDType(self.dtype)) throw dtypeMismatch("_fft_c2r expects a complex tensor");
    const last = lastOf(args);
    const shape = self.shape.map((size, d) => (d === last ? last_dim_size : size));
    return fake({ dtype: toRealDType(self.dtype), shape, like: self });
  },
});

/** Returns which direction is divided by the number of points: 0 none, 1 its root, 2 the number. */
export function normalization(norm: string | null, forward: boolean): number {
  if (norm === "ortho") return 1;
  if (norm === null || norm === "backward") return forward ? 0 : 2;
  requireWord(norm, ["forward", "backward", "ortho"], `Invalid normalization mode: "${norm}"`);
  return forward ? 2 : 0;
}

/** Integers become floating point, real numbers complex ones where that is needed. */
export function promote(emit: Emit, self: FakeTensor, complex: boolean): FakeTensor {
  const dtype = toFloatDType(self.dtype);
  return convert(emit, self, complex ? toComplexDType(dtype) : dtype);
}

/** Requires at least one point. A size that only the data decide is refused, as PyTorch does. */
export function checkPoints(emit: Emit, size: IntLike): void {
  const isEnough = typeof size === "number" ? size >= 1 : emit.env.guard(ge(size, 1));
  if (!isEnough) throw invalidArgument(`Invalid number of data points (${describeSize(size)}) specified`);
}

/** Returns whether a size represents that of the input. */
const isKept = (emit: Emit, size: IntLike): boolean =>
  typeof size === "number" ? size === -1 : emit.env.guard(eq(size, -1));

/**
 * Trims or pads dimensions to these sizes; null leaves a dimension as it is.
 *
 * @throws SconceError `DATA_DEPENDENT_GUARD` for a size of which only the data decide whether it is
 * larger: each answer has other calls
 */
export function resize(
  emit: Emit,
  self: FakeTensor,
  dims: readonly number[],
  sizes: readonly (IntLike | null)[],
): FakeTensor {
  let input = self;
  const padding = new Array<IntLike>(2 * self.ndim).fill(0);
  dims.forEach((dim, i) => {
    const size = sizes[i];
    if (size === null || size === undefined) return;
    const own = self.shape[dim]!;
    if (own === size) return;
    if (emit.env.guard(lt(own, size))) padding[padding.length - 2 * dim - 1] = sub(size, own);
    else if (emit.env.guard(gt(own, size))) input = emit("aten.slice.Tensor", [input, dim, 0, size]);
  });
  return padding.every((amount) => amount === 0)
    ? input
    : emit("aten.constant_pad_nd.default", [input, padding]);
}

interface LineArgs {
  readonly self: FakeTensor;
  readonly n: IntLike | null;
  readonly dim: IntLike;
  readonly norm: string | null;
}

const lineDim = ({ self, dim }: LineArgs): number => {
  if (self.ndim === 0) throw shapeMismatch("Dimension specified as -1 but tensor has no dimensions");
  return wrapDim(dim, self.ndim);
};

function lineToComplex(emit: Emit, args: LineArgs, forward: boolean, onesided: boolean): FakeTensor {
  const { dtype } = args.self;
  if (isComplexDType(dtype)) {
    const name = forward ? "rfft" : "ihfft";
    throw dtypeMismatch(`${name} expects a real input tensor, but got ${scalarTypeName(dtype)}`);
  }
  const dim = lineDim(args);
  checkPoints(emit, args.n ?? args.self.shape[dim]!);
  const input = resize(emit, promote(emit, args.self, false), [dim], [args.n]);
  const result = emit("aten._fft_r2c.default", [input, [dim], normalization(args.norm, forward), onesided]);
  return forward ? result : emit("aten.conj.default", [result]);
}

const line =
  (forward: boolean) =>
  (emit: Emit, args: LineArgs): FakeTensor => {
    if (!isComplexDType(args.self.dtype)) return lineToComplex(emit, args, forward, false);
    const dim = lineDim(args);
    checkPoints(emit, args.n ?? args.self.shape[dim]!);
    const input = resize(emit, args.self, [dim], [args.n]);
    return emit("aten._fft_c2c.default", [input, [dim], normalization(args.norm, forward), forward]);
  };

/** The input is the first half of a Hermitian signal. */
const lineToReal =
  (forward: boolean) =>
  (emit: Emit, args: LineArgs): FakeTensor => {
    const dim = lineDim(args);
    const promoted = promote(emit, args.self, true);
    const size = args.n ?? mul(2, sub(promoted.shape[dim]!, 1));
    checkPoints(emit, size);
    const half = args.n === null ? null : add(floorDiv(size, 2), 1);
    let input = resize(emit, promoted, [dim], [half]);
    if (forward) input = emit("aten.conj.default", [input]);
    return emit("aten._fft_c2r.default", [input, [dim], normalization(args.norm, forward), size]);
  };

export interface SpaceArgs {
  readonly self: FakeTensor;
  readonly s: readonly IntLike[] | null;
  readonly dim: readonly IntLike[] | null;
  readonly norm: string | null;
}

/** Returns the dimensions to transform, and the sizes asked for; null for those of the input. */
export function space(
  emit: Emit,
  { self, s, dim }: SpaceArgs,
): {
  dims: readonly number[];
  sizes: readonly (IntLike | null)[];
} {
  if (dim === null && s !== null && s.length > self.ndim) {
    throw shapeMismatch(
      `Got shape with ${s.length} values but input tensor only has ${self.ndim} dimensions.`,
    );
  }
  const given = dim ?? (s === null ? self.shape.map((_, d) => d) : s.map((_, i) => self.ndim - s.length + i));
  if (s !== null && s.length !== given.length) {
    throw shapeMismatch("When given, dim and shape arguments must have the same length");
  }
  if (self.ndim === 0 && given.length > 0) {
    throw shapeMismatch(`Dimension specified as ${describeSize(given[0]!)} but tensor has no dimensions`);
  }
  const dims = given.map((d) => wrapDim(d, self.ndim));
  if (new Set(dims).size !== dims.length) throw invalidArgument("FFT dims must be unique");
  const sizes = dims.map((d, i) => {
    const asked = s?.[i];
    const size = asked === undefined || isKept(emit, asked) ? null : asked;
    checkPoints(emit, size ?? self.shape[d]!);
    return size;
  });
  return { dims, sizes };
}

const spaceToSpace =
  (forward: boolean) =>
  (emit: Emit, args: SpaceArgs): FakeTensor => {
    const { dims, sizes } = space(emit, args);
    const input = resize(emit, promote(emit, args.self, true), dims, sizes);
    return emit("aten._fft_c2c.default", [input, dims, normalization(args.norm, forward), forward]);
  };

const spaceToComplex = (emit: Emit, args: SpaceArgs): FakeTensor => {
  if (isComplexDType(args.self.dtype)) {
    throw dtypeMismatch(
      `rfftn expects a real-valued input tensor, but got ${scalarTypeName(args.self.dtype)}`,
    );
  }
  const { dims, sizes } = space(emit, args);
  if (dims.length === 0) throw invalidArgument("rfftn must transform at least one axis");
  const input = resize(emit, promote(emit, args.self, false), dims, sizes);
  return emit("aten._fft_r2c.default", [input, dims, normalization(args.norm, true), true]);
};

const spaceToReal = (emit: Emit, args: SpaceArgs): FakeTensor => {
  const { dims, sizes } = space(emit, args);
  if (dims.length === 0) throw invalidArgument("irfftn must transform at least one axis");
  const promoted = promote(emit, args.self, true);
  const asked = sizes.at(-1) ?? null;
  const last = asked ?? mul(2, sub(promoted.shape[dims.at(-1)!]!, 1));
  checkPoints(emit, last);
  const halves = sizes.map((size, i) =>
    i === sizes.length - 1 && size !== null ? add(floorDiv(last, 2), 1) : size,
  );
  const input = resize(emit, promoted, dims, halves);
  return emit("aten._fft_c2r.default", [input, dims, normalization(args.norm, false), last]);
};

/** Moves the zero frequency to the middle, or back. */
const shift =
  (back: boolean) =>
  (
    emit: Emit,
    { self, dim }: { readonly self: FakeTensor; readonly dim: readonly IntLike[] | null },
  ): FakeTensor => {
    const dims = (dim ?? self.shape.map((_, d) => d)).map((d) => wrapDim(d, self.ndim));
    const by = dims.map((d) => floorDiv(add(self.shape[d]!, back ? 1 : 0), 2));
    return emit("aten.roll.default", [self, by, dims]);
  };

const tags = ["composite"] as const;

/** Fourier transforms. */
export const fftOps: readonly OpDefinition[] = [
  complexToComplex,
  realToComplex,
  complexToReal,
  defineOp({
    schema: "aten::fft_fft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
    tags,
    decompose: line(true),
  }),
  defineOp({
    schema: "aten::fft_ifft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
    tags,
    decompose: line(false),
  }),
  defineOp({
    schema: "aten::fft_rfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
    tags,
    decompose: (emit, args) => lineToComplex(emit, args, true, true),
  }),
  defineOp({
    schema: "aten::fft_ihfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
    tags,
    decompose: (emit, args) => lineToComplex(emit, args, false, true),
  }),
  defineOp({
    schema: "aten::fft_irfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
    tags,
    decompose: lineToReal(false),
  }),
  defineOp({
    schema: "aten::fft_hfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
    tags,
    decompose: lineToReal(true),
  }),
  defineOp({
    schema: "aten::fft_fftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
    tags,
    decompose: spaceToSpace(true),
  }),
  defineOp({
    schema: "aten::fft_ifftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
    tags,
    decompose: spaceToSpace(false),
  }),
  defineOp({
    schema: "aten::fft_rfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
    tags,
    decompose: spaceToComplex,
  }),
  defineOp({
    schema: "aten::fft_irfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
    tags,
    decompose: spaceToReal,
  }),
  defineOp({
    schema: "aten::fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor",
    tags,
    decompose: spaceToSpace(true),
  }),
  defineOp({
    schema: "aten::fft_ifft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor",
    tags,
    decompose: spaceToSpace(false),
  }),
  defineOp({
    schema: "aten::fft_rfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor",
    tags,
    decompose: spaceToComplex,
  }),
  defineOp({
    schema: "aten::fft_irfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor",
    tags,
    decompose: spaceToReal,
  }),
  defineOp({
    schema: "aten::fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor",
    tags,
    decompose: shift(false),
  }),
  defineOp({
    schema: "aten::fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor",
    tags,
    decompose: shift(true),
  }),
];
