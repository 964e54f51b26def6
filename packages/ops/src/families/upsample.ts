/** @file Resizing by nearest neighbors and by linear interpolation, in one to three dimensions. */

import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { eq, lt, sub as minus } from "@sconce/symbolic";
import { isFloatDType } from "@sconce/tensor";
import { defineOp, type OpDefinition, type OpTag } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { convert } from "../rules/decompose.js";
import { askChannelsLast } from "../rules/elementwise.js";
import { suggestMemoryFormat } from "../rules/memory-format.js";
import { castForMath } from "../rules/opmath.js";
import { toFloatDType } from "../rules/promote.js";
import {
  type Factor,
  interpolationScale,
  nearestScale,
  resizedBy,
  resizedSize,
  resizedTo,
} from "../rules/upsample.js";
import { type ScaleArgs, upsampleScales } from "../rules/upsample-scales.js";

type Sizes = readonly IntLike[];
type Scales = readonly (number | null)[];

/** Returns a factor as a Python float. */
const pythonFloat = (value: Factor): EmitArg => (typeof value === "number" ? float(value) : value);

const inFormatOf = (emit: Emit, input: FakeTensor, result: FakeTensor): FakeTensor =>
  emit("aten.contiguous.default", [result], { memory_format: suggestMemoryFormat(input, emit.env) });

function resizeNearest(
  emit: Emit,
  image: FakeTensor,
  size: Sizes,
  scales: Scales,
  exact: boolean,
): FakeTensor {
  const {
    operands: [input],
    result,
  } = castForMath(emit, [image]);
  const indices = size.map((length, d) => {
    const factor = nearestScale(input.shape[d + 2]!, length, scales[d] ?? null);
    const outputs = emit("aten.arange.default", [length], { dtype: "float32", device: input.device });
    const centered = emit("aten.add.Tensor", [outputs, float(exact ? 0.5 : 0)]);
    let index = convert(emit, emit("aten.mul.Tensor", [centered, pythonFloat(factor)]), "int64");
    for (let i = d + 1; i < size.length; i++) index = emit("aten.unsqueeze.default", [index, -1]);
    return index;
  });
  let picked = emit("aten._unsafe_index.Tensor", [input, [null, null, ...indices]]);
  if (picked.ndim >= 4) picked = inFormatOf(emit, input, picked);
  return convert(emit, picked, result);
}

/** Positions along one dimension: exact, the index before, the index after. */
type Positions = readonly [exact: FakeTensor, before: FakeTensor, after: FakeTensor];

function resizeLinear(
  emit: Emit,
  image: FakeTensor,
  size: Sizes,
  align: boolean,
  scales: Scales,
): FakeTensor {
  const {
    operands: [input],
    result,
  } = castForMath(emit, [image]);
  const dtype = toFloatDType(input.dtype);
  const rank = size.length;
  const positions = size.map((length, d): Positions => {
    const inputLength = input.shape[d + 2]!;
    const factor = interpolationScale(inputLength, length, align, scales[d] ?? null);
    const outputs = convert(emit, emit("aten.arange.default", [length], { device: input.device }), dtype);
    const source = emit("aten.clamp.default", [sourceIndex(emit, outputs, factor, align), float(0)]);
    const shape = [length, ...new Array<IntLike>(rank - 1 - d).fill(1)];
    const exact = emit("aten.reshape.default", [source, shape]);
    const before = convert(emit, exact, "int64");
    const next = emit("aten.add.Tensor", [before, 1]);
    return [exact, before, emit("aten.clamp.default", [next, null, minus(inputLength, 1)])];
  });
  const corners = Array.from({ length: 2 ** rank }, (_, corner) => {
    const at = positions.map(([, before, after], d) => ((corner >> (rank - 1 - d)) & 1 ? after : before));
    return convert(emit, emit("aten._unsafe_index.Tensor", [input, [null, null, ...at]]), dtype);
  });
  let output = inFormatOf(emit, input, blend(emit, corners, positions, dtype));
  if (!isFloatDType(input.dtype)) output = emit("aten.round.default", [output]);
  return convert(emit, output, result);
}

/** Where an output position lies in the input. Without a factor it is the integer 0. */
export function sourceIndex(
  emit: Emit,
  outputs: FakeTensor,
  factor: Factor | undefined,
  align: boolean,
): FakeTensor {
  if (align || factor === undefined)
    return emit("aten.mul.Tensor", [outputs, factor === undefined ? 0 : pythonFloat(factor)]);
  const centers = emit("aten.add.Tensor", [outputs, float(0.5)]);
  return emit("aten.sub.Tensor", [emit("aten.mul.Tensor", [centers, pythonFloat(factor)]), float(0.5)]);
}

/** Interpolates between corners, one dimension after the other from the last. */
function blend(
  emit: Emit,
  corners: readonly FakeTensor[],
  positions: readonly Positions[],
  dtype: FakeTensor["dtype"],
): FakeTensor {
  let values = corners;
  for (const [exact, before] of [...positions].reverse()) {
    const distance = emit("aten.sub.Tensor", [exact, before]);
    const weight = convert(emit, emit("aten.clamp.default", [distance, float(0), float(1)]), dtype);
    const next: FakeTensor[] = [];
    for (let i = 0; i < values.length; i += 2) {
      const step = emit("aten.sub.Tensor", [values[i + 1]!, values[i]!]);
      next.push(emit("aten.add.Tensor", [values[i]!, emit("aten.mul.Tensor", [step, weight])]));
    }
    values = next;
  }
  return values[0]!;
}

interface VectorArgs {
  readonly input: FakeTensor;
  readonly output_size: Sizes | null;
  readonly scale_factors: readonly number[] | null;
}

type Env = Pick<Emit, "env">;

const vectorMeta = ({ input, output_size, scale_factors }: VectorArgs, { env }: Env): FakeTensor =>
  resizedBy(env, input, output_size, scale_factors);

/**
 * Asks of computed lengths what PyTorch's index arithmetic asks, and of the images that it reads
 * and blends whether they are channels-last.
 */
const askingMeta =
  (isLinear: boolean) =>
  (args: VectorArgs, context: Env): FakeTensor => {
    const { env } = context;
    const result = vectorMeta(args, context);
    for (const length of result.shape.slice(2)) {
      const [first, second] = isLinear ? [lt(length, 2), eq(length, 1)] : [eq(length, 1), lt(length, 2)];
      if (!env.orFalse(first)) env.orFalse(second);
    }
    for (const image of isLinear ? [args.input, result] : [args.input])
      askChannelsLast(env, result.shape, [image]);
    return result;
  };
const nearestMeta = askingMeta(false);
const linearMeta = askingMeta(true);

const vectorNearest =
  (exact: boolean) =>
  (emit: Emit, { input, output_size, scale_factors }: VectorArgs) => {
    const size = resizedSize(emit, input, output_size, scale_factors);
    return resizeNearest(emit, input, size, scale_factors ?? [], exact);
  };

const vectorLinear = (emit: Emit, args: VectorArgs & { readonly align_corners: boolean }): FakeTensor => {
  const { input, output_size, scale_factors, align_corners } = args;
  const size = resizedSize(emit, input, output_size, scale_factors);
  return resizeLinear(emit, input, size, align_corners, scale_factors ?? []);
};

interface SizeArgs extends ScaleArgs {
  readonly self: FakeTensor;
  readonly output_size: Sizes;
}

/** Scales of the plain overloads. */
const scalesOf = (args: SizeArgs): Scales => upsampleScales(args, args.output_size.length);

const sizeMeta = ({ self, output_size }: SizeArgs, { env }: Pick<Emit, "env">): FakeTensor =>
  resizedTo(env, self, output_size);
const sizeNearest =
  (exact: boolean) =>
  (emit: Emit, args: SizeArgs): FakeTensor =>
    resizeNearest(emit, args.self, args.output_size, scalesOf(args), exact);
const sizeLinear = (emit: Emit, args: SizeArgs & { readonly align_corners: boolean }): FakeTensor =>
  resizeLinear(emit, args.self, args.output_size, args.align_corners, scalesOf(args));

const composite: readonly OpTag[] = ["composite"];
/** Composite, but PyTorch's default table leaves it as it is. */
const kept: readonly OpTag[] = ["core", "composite", "not_in_default_table"];
const optional: readonly OpTag[] = ["not_in_default_table"];

const nearest = { tags: optional, meta: sizeMeta, decompose: sizeNearest(false) };
const exact = { tags: optional, meta: sizeMeta, decompose: sizeNearest(true) };
const linear = { meta: sizeMeta, decompose: sizeLinear };

/** Resizing by nearest neighbors and by linear interpolation. */
export const upsampleOps: readonly OpDefinition[] = [
  defineOp({
    schema:
      "aten::upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
    tags: composite,
    meta: nearestMeta,
    decompose: vectorNearest(false),
  }),
  defineOp({
    schema:
      "aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
    tags: kept,
    meta: nearestMeta,
    decompose: vectorNearest(false),
  }),
  defineOp({
    schema:
      "aten::upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
    tags: composite,
    meta: nearestMeta,
    decompose: vectorNearest(false),
  }),
  defineOp({
    schema:
      "aten::_upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
    tags: composite,
    meta: nearestMeta,
    decompose: vectorNearest(true),
  }),
  defineOp({
    schema:
      "aten::_upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
    tags: composite,
    meta: nearestMeta,
    decompose: vectorNearest(true),
  }),
  defineOp({
    schema:
      "aten::_upsample_nearest_exact3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
    tags: composite,
    meta: nearestMeta,
    decompose: vectorNearest(true),
  }),
  defineOp({
    schema:
      "aten::upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
    tags: composite,
    meta: linearMeta,
    decompose: vectorLinear,
  }),
  defineOp({
    schema:
      "aten::upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
    tags: kept,
    meta: linearMeta,
    decompose: vectorLinear,
  }),
  defineOp({
    schema:
      "aten::upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
    tags: composite,
    meta: linearMeta,
    decompose: vectorLinear,
  }),
  defineOp({
    schema: "aten::upsample_nearest1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
    ...nearest,
  }),
  defineOp({
    schema:
      "aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
    ...nearest,
  }),
  defineOp({
    schema:
      "aten::upsample_nearest3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
    ...nearest,
  }),
  defineOp({
    schema:
      "aten::_upsample_nearest_exact1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
    ...exact,
  }),
  defineOp({
    schema:
      "aten::_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
    ...exact,
  }),
  defineOp({
    schema:
      "aten::_upsample_nearest_exact3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
    ...exact,
  }),
  defineOp({
    schema:
      "aten::upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor",
    ...linear,
  }),
  defineOp({
    schema:
      "aten::upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
    tags: ["composite", "always_decomposed"],
    ...linear,
  }),
  defineOp({
    schema:
      "aten::upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
    tags: optional,
    ...linear,
  }),
];
