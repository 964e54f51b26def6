/**
 * @file The affine operators of torchao: one scale for each block of a tensor, as their published
 * definitions say it (pytorch/ao, `torchao/quantization/quant_primitives.py`). They are composite:
 * PyTorch's exports keep them, and the default table lowers them.
 */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { floorDiv, mod } from "@sconce/symbolic";
import { type DType, isFloatDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isEqual, mayDiffer } from "../rules/comparison.js";
import { convert, numberOf } from "../rules/decompose.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import type { ScalarArg } from "../schema/schema-types.js";

const BOUNDS: Partial<Record<DType, readonly [number, number]>> = {
  uint8: [0, 255],
  int8: [-128, 127],
  int16: [-32768, 32767],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  float8_e4m3fn: [-448, 448],
  float8_e5m2: [-57344, 57344],
  float8_e4m3fnuz: [-240, 240],
  float8_e5m2fnuz: [-57344, 57344],
};

interface Limits {
  readonly quant_min: ScalarArg | null;
  readonly quant_max: ScalarArg | null;
}

interface Range {
  readonly low: number;
  readonly high: number;
}

function limitsOf({ quant_min: min, quant_max: max }: Limits, dtype: DType): Range {
  const bounds = BOUNDS[dtype];
  if (bounds === undefined) throw dtypeMismatch(`Unsupported dtype: ${dtype}`);
  const [low, high] = [min === null ? bounds[0] : numberOf(min), max === null ? bounds[1] : numberOf(max)];
  if (low < bounds[0])
    throw invalidArgument(
      `quant_min out of bound for dtype, quant_min_lower_bound: ${bounds[0]} quant_min: ${low}`,
    );
  if (high > bounds[1])
    throw invalidArgument(
      `quant_max out of bound for dtype, quant_max_upper_bound: ${bounds[1]} quant_max: ${high}`,
    );
  return { low, high };
}

interface Blocks {
  /** The sizes where each block has separate dimensions. */
  readonly shape: readonly IntLike[];
  /** The dimensions inside of blocks. */
  readonly inner: readonly number[];
}

function blocksOf(emit: Emit, size: readonly IntLike[], block: readonly IntLike[]): Blocks {
  if (block.length !== size.length)
    throw shapeMismatch(`Got input dim:${size.length}, block_size: ${describeSizes(block)}`);
  const shape: IntLike[] = [];
  const inner: number[] = [];
  for (const [d, part] of block.entries()) {
    const total = size[d]!;
    const isOne = part === 1;
    if (!isOne && !isEqual(emit.env, part, total)) {
      if (mayDiffer(emit.env, mod(total, part), 0))
        throw shapeMismatch(
          `Expecting input size at ${d} dimension: ${describeSize(total)} to be divisible by block_size at ${d} dimension: ${describeSize(part)}`,
        );
      shape.push(floorDiv(total, part));
    }
    if (!isOne) inner.push(shape.length);
    shape.push(isOne ? total : part);
  }
  return { shape, inner };
}

const view = (emit: Emit, tensor: FakeTensor, shape: readonly IntLike[]): FakeTensor =>
  emit("aten.view.default", [tensor, shape]);

/** One value for each block. */
const outer = ({ shape, inner }: Blocks): readonly IntLike[] =>
  shape.map((size, d) => (inner.includes(d) ? 1 : size));

const HALVES: ReadonlySet<DType> = new Set(["float32", "float16", "bfloat16"]);

const quantize = defineOp({
  schema:
    "torchao::quantize_affine(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType output_dtype, Scalar? quant_min=None, Scalar? quant_max=None) -> Tensor",
  doc: "Levels of the blocks of a tensor.",
  tags: ["composite"],
  decompose: (emit, args) => {
    const { input, output_dtype: dtype, zero_point: zeros } = args;
    const { low, high } = limitsOf(args, dtype);
    if (!HALVES.has(input.dtype)) throw dtypeMismatch(`Unsupported input dtype: ${input.dtype}`);
    const blocks = blocksOf(emit, input.shape, args.block_size);
    const parts = view(emit, input, blocks.shape);
    const scale = view(emit, args.scale, outer(blocks));
    if (zeros === null || zeros.shape.includes(0))
      throw invalidArgument("quantize_affine: there is no zero point, which torchao adds");
    const zero = view(emit, zeros, outer(blocks));
    const inverse = emit("aten.mul.Tensor", [emit("aten.reciprocal.default", [scale]), float(1)]);
    const rounded = emit("aten.round.default", [emit("aten.mul.Tensor", [parts, inverse])]);
    const level = emit("aten.add.Tensor", [rounded, zero]);
    const ends = [low, high].map((end) => (isFloatDType(dtype) ? float(end) : end));
    const limited = emit("aten.clamp.default", [level, ...ends]);
    return convert(emit, view(emit, limited, input.shape), dtype);
  },
});

const dequantize = defineOp({
  schema:
    "torchao::dequantize_affine(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType input_dtype, Scalar? quant_min=None, Scalar? quant_max=None, ScalarType output_dtype=6) -> Tensor",
  doc: "Values of the levels of blocks.",
  tags: ["composite"],
  decompose: (emit, args) => {
    const { input, input_dtype: stored, output_dtype: dtype, zero_point: zeros } = args;
    if (input.dtype !== stored) throw dtypeMismatch(`Expected: ${stored}, got: ${input.dtype}`);
    if (!HALVES.has(dtype)) throw dtypeMismatch(`Unsupported output dtype: ${dtype}`);
    limitsOf(args, stored);
    const blocks = blocksOf(emit, input.shape, args.block_size);
    const parts = view(emit, input, blocks.shape);
    const scale = view(emit, args.scale, outer(blocks));
    const zero = zeros === null ? null : view(emit, zeros, outer(blocks));
    let values = convert(emit, parts, dtype);
    if (zero !== null) values = emit("aten.sub.Tensor", [values, convert(emit, zero, dtype)]);
    const scaled = emit("aten.mul.Tensor", [values, scale]);
    return convert(emit, view(emit, scaled, input.shape), dtype);
  },
});

const MAPPINGS: ReadonlySet<string> = new Set(["SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR", "ASYMMETRIC"]);
/** `torch.finfo(dtype).smallest_normal`. */
const SMALLEST: Partial<Record<DType, number>> = {
  float64: 2 ** -1022,
  float32: 2 ** -126,
  bfloat16: 2 ** -126,
  float16: 2 ** -14,
};

const quotient = (emit: Emit, value: FakeTensor, divisor: number): FakeTensor =>
  emit("aten.div.Tensor", [value, float(divisor)]);

/** Scales and zero points of the ends of blocks. */
function parametersOf(
  emit: Emit,
  mapping: string,
  { low, high }: Range,
  eps: number,
  [least, most]: readonly [FakeTensor, FakeTensor],
): readonly [FakeTensor, FakeTensor] {
  const atLeast = (scale: FakeTensor): FakeTensor => emit("aten.clamp.default", [scale, float(eps)]);
  if (mapping === "ASYMMETRIC") {
    const scale = atLeast(quotient(emit, emit("aten.sub.Tensor", [most, least]), high - low));
    const place = emit("aten.round.default", [emit("aten.div.Tensor", [least, scale])]);
    return [scale, emit("aten.clamp.default", [emit("aten.rsub.Scalar", [place, low]), low, high])];
  }
  const scale = mapping === "SYMMETRIC" ? symmetric() : withoutClipping();
  const middle = Math.trunc((high + low + 1) / 2);
  const zero = emit("aten.full_like.default", [scale, middle], { pin_memory: false });
  return [atLeast(scale), zero];

  function symmetric(): FakeTensor {
    const greatest = emit("aten.maximum.default", [emit("aten.neg.default", [least]), most]);
    return quotient(emit, greatest, (high - low) / 2);
  }

  function withoutClipping(): FakeTensor {
    const [below, above] = [quotient(emit, least, low), quotient(emit, most, high)];
    return emit("aten.where.self", [emit("aten.gt.Tensor", [below, above]), below, above]);
  }
}

const choose = defineOp({
  schema:
    "torchao::choose_qparams_affine(Tensor? input, str mapping_type, SymInt[] block_size, ScalarType target_dtype, Scalar? quant_min=None, Scalar? quant_max=None, float? eps=None, ScalarType? scale_dtype=None, ScalarType? zero_point_dtype=None, bool keepdim=False) -> (Tensor, Tensor)",
  doc: "Scale and zero point of each block.",
  tags: ["composite"],
  decompose: (emit, args) => {
    const { input, mapping_type: mapping, keepdim } = args;
    const range = limitsOf(args, args.target_dtype);
    if (!MAPPINGS.has(mapping)) throw invalidArgument(`Unsupported mapping type: ${mapping}`);
    if (input === null) throw invalidArgument("choose_qparams_affine: there is no input");
    const smallest = SMALLEST[input.dtype];
    if (smallest === undefined)
      throw dtypeMismatch(
        `torch.finfo() requires a floating point input type, and the input is ${input.dtype}`,
      );
    const blocks = blocksOf(emit, input.shape, args.block_size);
    const parts = view(emit, input, blocks.shape);
    const [least, most] = ["aten.amin.default", "aten.amax.default"].map((op) =>
      emit(op, [parts, blocks.inner, ...(keepdim ? [true] : [])]),
    );
    const zeroed = (op: string, end: FakeTensor): FakeTensor =>
      emit(op, [end, emit("aten.zeros_like.default", [end])]);
    const ends = [zeroed("aten.minimum.default", least!), zeroed("aten.maximum.default", most!)] as const;
    let [scale, zero] = parametersOf(emit, mapping, range, args.eps ?? smallest, ends);
    if (keepdim) {
      const count = input.shape.map((size, d) => floorDiv(size, args.block_size[d]!));
      [scale, zero] = [scale, zero].map((one) => emit("aten.reshape.default", [one, count])) as [
        FakeTensor,
        FakeTensor,
      ];
    }
    const kind = args.zero_point_dtype ?? (mapping === "ASYMMETRIC" ? "int32" : zero.dtype);
    return [convert(emit, scale, args.scale_dtype ?? input.dtype), convert(emit, zero, kind)];
  },
});

export const quantizedAffineOps = [quantize, dequantize, choose] as const satisfies readonly OpDefinition[];
