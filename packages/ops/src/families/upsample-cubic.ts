/** @file Bicubic resizing, and the antialiased forms, which have their own kernels. */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { floatConstant, mul, toFloat, truncToInt } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";
import { convert } from "../rules/decompose.js";
import { suggestMemoryFormat } from "../rules/memory-format.js";
import { castForMath } from "../rules/opmath.js";
import { toFloatDType } from "../rules/promote.js";
import { sizeMath } from "../rules/size-math.js";
import { type Factor, interpolationScale, resizedBy, resizedSize, resizedTo } from "../rules/upsample.js";
import { sourceIndex } from "./upsample.js";

/** The coefficient that PyTorch and OpenCV use. */
const A = -0.75;

function resizeCubic(
  emit: Emit,
  image: FakeTensor,
  size: readonly IntLike[],
  align: boolean,
  scales: readonly (number | null)[],
): FakeTensor {
  const {
    operands: [input],
    result,
  } = castForMath(emit, [image]);
  const [height, width] = input.shape.slice(2) as [IntLike, IntLike];
  const dtype = toFloatDType(input.dtype);
  const positions = (length: IntLike): FakeTensor =>
    convert(emit, emit("aten.arange.default", [length], { device: input.device }), dtype);
  const factor = (length: IntLike, dim: number): Factor | undefined => {
    const made = interpolationScale(length, size[dim]!, align, scales[dim] ?? null);
    // A factor is computed before anything reads it.
    if (typeof made === "object" && !align)
      emit.arithmetic?.("operator.truediv", [length, size[dim]!], made.expr);
    return made;
  };
  const down = factor(height, 0);
  const across = factor(width, 1);
  const rows = positions(size[0]!);
  const columns = positions(size[1]!);
  const exactX = sourceIndex(emit, columns, across, align);
  const exactY = emit("aten.unsqueeze.default", [sourceIndex(emit, rows, down, align), -1]);
  const floorX = emit("aten.floor.default", [exactX]);
  const floorY = emit("aten.floor.default", [exactY]);
  const fraction = (exact: FakeTensor, floor: FakeTensor): FakeTensor =>
    emit("aten.clamp.default", [emit("aten.sub.Tensor", [exact, floor]), float(0), float(1)]);
  const fractionY = fraction(exactY, floorY);
  const fractionX = fraction(exactX, floorX);
  const x = convert(emit, floorX, "int64");
  const y = convert(emit, floorY, "int64");
  const aroundY = neighbors(emit, y);
  const aroundX = neighbors(emit, x);
  const floatX = cubicWeights(emit, fractionX);
  const floatY = cubicWeights(emit, fractionY);
  const [sumX, sumY] =
    input.dtype === "uint8"
      ? byteSums(emit, floatX, floatY)
      : [floatX, floatY].map((weights) => (values: readonly FakeTensor[]) => weighted(emit, values, weights));
  const load = (row: FakeTensor, column: FakeTensor): FakeTensor => {
    const r = emit("aten.clamp.default", [row, 0, sizeMath(emit, "sub", height, 1)]);
    const c = emit("aten.clamp.default", [column, 0, sizeMath(emit, "sub", width, 1)]);
    return emit("aten._unsafe_index.Tensor", [input, [null, null, r, c]]);
  };
  const lines = aroundY.map((row) => sumX!(aroundX.map((column) => load(row, column))));
  const memory_format = suggestMemoryFormat(input, emit.env);
  const output = emit("aten.contiguous.default", [sumY!(lines)], { memory_format });
  return convert(emit, output, result);
}

/** Returns the position before, the position itself, and the two after. */
const neighbors = (emit: Emit, at: FakeTensor): readonly FakeTensor[] => {
  const before = emit("aten.sub.Tensor", [at, 1]);
  const after = emit("aten.add.Tensor", [at, 1]);
  return [before, at, after, emit("aten.add.Tensor", [at, 2])];
};

/** Weights of the four neighbors; near ones and far ones are computed in pairs. */
function cubicWeights(emit: Emit, t: FakeTensor): readonly FakeTensor[] {
  const pair = (a: FakeTensor, from: number): FakeTensor =>
    emit("aten.stack.default", [[a, emit("aten.rsub.Scalar", [t, float(from)])]]);
  const near = pair(t, 1);
  const far = pair(emit("aten.add.Tensor", [t, float(1)]), 2);
  const times = (a: FakeTensor, b: FakeTensor | number): FakeTensor =>
    emit("aten.mul.Tensor", [a, typeof b === "number" ? float(b) : b]);
  const plus = (a: FakeTensor, b: number): FakeTensor => emit("aten.add.Tensor", [a, float(b)]);
  const less = (a: FakeTensor, b: number): FakeTensor => emit("aten.sub.Tensor", [a, float(b)]);
  const outer = less(times(plus(times(less(times(far, A), 5 * A), far), 8 * A), far), 4 * A);
  const inner = emit("aten.add.Tensor", [times(times(less(times(near, A + 2), A + 3), near), near), 1]);
  const [first, last] = emit.many("aten.unbind.int", [outer]);
  const [second, third] = emit.many("aten.unbind.int", [inner]);
  return [first!, second!, third!, last!];
}

function weighted(
  emit: Emit,
  values: readonly FakeTensor[],
  weights: readonly FakeTensor[],
  dtype?: DType,
): FakeTensor {
  const wide = (tensor: FakeTensor): FakeTensor => (dtype ? convert(emit, tensor, dtype) : tensor);
  let sum: FakeTensor | undefined;
  values.forEach((value, i) => {
    const left = wide(value);
    const term = emit("aten.mul.Tensor", [left, wide(weights[i]!)]);
    sum = sum === undefined ? term : emit("aten.add.Tensor", [sum, term]);
  });
  return sum!;
}

/** Adds up four neighbors by their weights. */
type Sum = (values: readonly FakeTensor[]) => FakeTensor;

/**
 * Bytes are added up in integers, by weights of 16 bits with as many digits after the point as fit
 * (`_upsample_bicubic2d` of PyTorch's decompositions).
 */
function byteSums(
  emit: Emit,
  across: readonly FakeTensor[],
  down: readonly FakeTensor[],
): readonly [Sum, Sum] {
  const shift = (by: FakeTensor): FakeTensor => emit("aten.bitwise_left_shift.Scalar_Tensor", [1, by]);
  const [precisionX, precisionY] = [across, down].map((weights) => weightPrecision(emit, weights, shift));
  const scaled = (weights: readonly FakeTensor[], precision: FakeTensor): readonly FakeTensor[] =>
    weights.map((weight) => {
      const whole = emit("aten.mul.Tensor", [weight, shift(precision)]);
      const half = emit("aten.mul.Tensor", [emit("aten.sign.default", [weight]), float(0.5)]);
      return convert(emit, emit("aten.add.Tensor", [whole, half]), "int16");
    });
  const sum =
    (weights: readonly FakeTensor[], precision: FakeTensor): Sum =>
    (values) => {
      const total = weighted(emit, values, weights, "int32");
      const half = shift(emit("aten.sub.Tensor", [precision, 1]));
      const cut = emit("aten.__rshift__.Tensor", [emit("aten.add.Tensor", [total, half]), precision]);
      return convert(emit, emit("aten.clamp.default", [cut, 0, 255]), "uint8");
    };
  const weightsX = scaled(across, precisionX!);
  return [sum(weightsX, precisionX!), sum(scaled(down, precisionY!), precisionY!)];
}

const MOST_DIGITS = 22;

/** Returns how far the weights can be shifted to the left within 16 bits. */
function weightPrecision(
  emit: Emit,
  weights: readonly FakeTensor[],
  shift: (by: FakeTensor) => FakeTensor,
): FakeTensor {
  const most = emit("aten.max.default", [emit("aten.stack.default", [weights])]);
  const digits = emit("aten.arange.default", [MOST_DIGITS], { device: most.device });
  const next = emit("aten.mul.Tensor", [most, shift(emit("aten.add.Tensor", [digits, 1]))]);
  const tooMany = emit("aten.ge.Scalar", [emit("aten.add.Tensor", [next, float(0.5)]), 2 ** 15]);
  return emit("aten.rsub.Scalar", [emit("aten.sum.default", [tooMany]), MOST_DIGITS]);
}

const bicubic = defineOp({
  schema:
    "aten::upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
  tags: ["composite", "always_decomposed"],
  meta: ({ self, output_size }, { env }) => resizedTo(env, self, output_size),
  decompose: (emit, { self, output_size, align_corners, scales_h, scales_w }) =>
    resizeCubic(emit, self, output_size, align_corners, [scales_h, scales_w]),
});

/** `sym_int(sym_float(length) * scale)`, as PyTorch records it. */
function scaledSize(emit: Emit, length: IntLike, scale: number): IntLike {
  if (typeof length === "number") return Math.trunc(length * scale);
  const real = toFloat(length);
  const product = mul(real, floatConstant(scale));
  const size = truncToInt(product);
  emit.arithmetic?.("operator.mul", [real, floatConstant(scale)], product);
  emit.arithmetic?.("math.trunc", [product], size);
  return size;
}

const bicubicVector = defineOp({
  schema:
    "aten::upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
  tags: ["composite"],
  meta: ({ input, output_size, scale_factors }, { env }) => resizedBy(env, input, output_size, scale_factors),
  decompose: (emit, { input, output_size, align_corners, scale_factors }) => {
    if ((output_size === null) === (scale_factors === null)) {
      throw invalidArgument("Must specify exactly one of output_size and scale_factors.");
    }
    const size =
      output_size ?? scale_factors!.map((scale, i) => scaledSize(emit, input.shape[i + 2]!, scale));
    return resizeCubic(emit, input, size, align_corners, scale_factors ?? []);
  },
});

const bilinearAntialiased = defineOp({
  schema:
    "aten::_upsample_bilinear2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
  meta: ({ self, output_size }, { env }) => resizedTo(env, self, output_size),
});

const bicubicAntialiased = defineOp({
  schema:
    "aten::_upsample_bicubic2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
  meta: ({ self, output_size }, { env }) => resizedTo(env, self, output_size),
});

interface AntialiasedArgs {
  readonly input: FakeTensor;
  readonly output_size: readonly IntLike[] | null;
  readonly align_corners: boolean;
  readonly scale_factors: readonly number[] | null;
}

const antialiased =
  (target: string) =>
  (emit: Emit, args: AntialiasedArgs): FakeTensor => {
    const { input, align_corners, scale_factors } = args;
    const size = resizedSize(emit, input, args.output_size, scale_factors);
    return emit(target, [input, size, align_corners, scale_factors?.[0] ?? null, scale_factors?.[1] ?? null]);
  };

const bilinearAntialiasedVector = defineOp({
  schema:
    "aten::_upsample_bilinear2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
  tags: ["composite"],
  decompose: antialiased("aten._upsample_bilinear2d_aa.default"),
});

const bicubicAntialiasedVector = defineOp({
  schema:
    "aten::_upsample_bicubic2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
  tags: ["composite"],
  decompose: antialiased("aten._upsample_bicubic2d_aa.default"),
});

const lanczosAntialiased = defineOp({
  schema:
    "aten::_upsample_lanczos2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
  meta: ({ self, output_size }, { env }) => resizedTo(env, self, output_size),
});

const lanczosAntialiasedVector = defineOp({
  schema:
    "aten::_upsample_lanczos2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
  tags: ["composite"],
  decompose: antialiased("aten._upsample_lanczos2d_aa.default"),
});

/** Bicubic and antialiased resizing. */
export const upsampleCubicOps: readonly OpDefinition[] = [
  bicubic,
  bicubicVector,
  bilinearAntialiased,
  bicubicAntialiased,
  bilinearAntialiasedVector,
  bicubicAntialiasedVector,
  lanczosAntialiased,
  lanczosAntialiasedVector,
];
