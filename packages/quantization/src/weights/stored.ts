/** @file One weight as it is stored, and the calls that expand it. */
import { dtypeLiteral, type NodeRef } from "@sconce/ir";
import { castTensor, type DType, dtypeInfo, Tensor } from "@sconce/tensor";
import { weightNotFinite } from "../errors.js";
import type { CallMaker } from "../graphs/expansion.js";
import { type Distortion, DistortionMeter } from "../numbers/distortion.js";
import { type QuantizedMatrix, quantizeMatrix } from "../numbers/matrix.js";
import { numberOf } from "../numbers/parameters.js";
import { quantizeGptq } from "./gptq.js";
import type { LayerWeight } from "./layers.js";
import { expandPacked, packCodes } from "./packed.js";
import { codeRange, groupLength, type WeightScheme } from "./scheme.js";

/** A weight in its stored form. */
export interface StoredWeight {
  /** The tensors that take the place of the weight, by the suffix of its name. */
  readonly tensors: ReadonlyMap<string, Tensor>;
  /** Elements that share a scale; 1 for half-precision floats. */
  readonly group: number;
  /** How far the expanded weight is from the weight. */
  readonly distortion: Distortion;
  /** Adds the calls that give the weight; `parts` are the placeholders of `tensors`. */
  expand(calls: CallMaker, parts: ReadonlyMap<string, NodeRef>): NodeRef;
}

/**
 * Returns the stored form of a weight.
 * @throws SconceError `WEIGHT_NOT_FINITE`
 */
export function storedWeight(
  weight: LayerWeight,
  scheme: Required<WeightScheme>,
  hessian?: Float64Array,
): StoredWeight {
  const { dtype } = scheme;
  const values = rowsOf(weight);
  const index = values.findIndex((value) => !Number.isFinite(value));
  if (index >= 0) throw weightNotFinite(weight.target, values[index]!, index);
  return dtype === "int" ? storedCodes(weight, scheme, values, hessian) : storedHalf(weight, dtype, values);
}

/** Returns the elements of a weight as float32, with the channels in the first dimension. */
function rowsOf({ tensor, channelAxis }: LayerWeight): Float32Array {
  const first = channelAxis === 0 ? tensor : channelsFirst(tensor);
  const dense = castTensor(first, "float32").contiguous();
  return (dense.data as Float32Array).subarray(dense.storageOffset, dense.storageOffset + dense.numel);
}

const swap = <T>([first, second, ...rest]: readonly T[]): T[] => [second!, first!, ...rest];

const channelsFirst = (tensor: Tensor): Tensor => tensor.asStrided(swap(tensor.shape), swap(tensor.strides));

function storedHalf(
  { tensor, channelAxis }: LayerWeight,
  dtype: "float16" | "bfloat16",
  values: Float32Array,
): StoredWeight {
  const half = castTensor(tensor.contiguous(), dtype);
  const meter = new DistortionMeter();
  meter.add(values, rowsOf({ tensor: half, channelAxis } as LayerWeight));
  return {
    tensors: new Map([["half", half]]),
    group: 1,
    distortion: meter.distortion,
    expand: (calls, parts) =>
      calls.call("aten._to_copy.default", [parts.get("half")!], { dtype: dtypeLiteral(tensor.dtype) }),
  };
}

function storedCodes(
  weight: LayerWeight,
  { bits, group, symmetric, scheme, eps }: Required<WeightScheme>,
  values: Float32Array,
  hessian: Float64Array | undefined,
): StoredWeight {
  const { tensor, channelAxis } = weight;
  const rows = tensor.shape[channelAxis]!;
  const length = groupLength(group, bits, values.length / rows);
  const range = codeRange(bits, symmetric);
  // Weights of convolutions and embeddings, and those that no sample reached, have no inputs to go
  // by.
  const isSearched = scheme === "mse";
  const form = {
    range,
    group: length,
    isSymmetric: symmetric,
    scheme: isSearched ? "mse" : "absmax",
    eps,
  } as const;
  const matrix =
    hessian === undefined
      ? quantizeMatrix(values, form)
      : quantizeGptq(values, values.length / rows, hessian, form);
  const distortion = distortionOf(values, matrix, length, tensor.dtype);
  const parts: StoredParts = { weight, matrix, rows, length, symmetric, bits };
  const stored = bits === 8 ? storedBytes(parts) : storedPacked(parts);
  return { ...stored, group: length, distortion };
}

interface StoredParts {
  readonly weight: LayerWeight;
  readonly matrix: QuantizedMatrix;
  readonly rows: number;
  readonly length: number;
  readonly symmetric: boolean;
  readonly bits: 8 | 4 | 2;
}

/** `q`, `scale` and `zero` for `quantized_decomposed.dequantize_per_channel` and its groups. */
function storedBytes({ weight, matrix, rows, length, symmetric }: StoredParts) {
  const { tensor, channelAxis } = weight;
  const columns = tensor.numel / rows;
  const isChannel = length === columns;
  const shape = channelAxis === 0 ? tensor.shape : swap(tensor.shape);
  const codes = Tensor.fromData(Int8Array.from(matrix.codes), "int8", [...shape]);
  const scaleShape = isChannel ? [rows] : [rows, columns / length];
  // Whole channels stay where they are in the weight; groups are rows of a matrix.
  const placed = channelAxis === 0 ? codes : channelsFirst(codes).contiguous();
  const q = isChannel ? placed : codes.asStrided([rows, columns], [columns, 1]);
  const tensors = new Map([
    ["q", q],
    ["scale", Tensor.fromData(matrix.scales, "float32", scaleShape)],
  ]);
  if (!symmetric) tensors.set("zero", Tensor.fromData(matrix.zeros, "int32", scaleShape));
  const { min, max } = codeRange(8, symmetric);
  const expand: StoredWeight["expand"] = (calls, parts) => {
    const given = [parts.get("q")!, parts.get("scale")!, parts.get("zero") ?? null];
    const [int8, output] = [dtypeLiteral("int8"), dtypeLiteral(tensor.dtype)];
    const isPlain = tensor.dtype === "float32";
    if (isChannel) {
      const args = [...given, channelAxis, min, max, int8];
      return calls.call(
        "quantized_decomposed.dequantize_per_channel.default",
        args,
        isPlain ? {} : { out_dtype: output },
      );
    }
    const args = [...given, min, max, int8, length, output];
    const expanded = calls.call("quantized_decomposed.dequantize_per_channel_group.default", args);
    return placedAs(calls, expanded, weight);
  };
  return { tensors, expand };
}

/** `q` with several codes a byte, `scale` and `zero`, expanded by calls of ATen. */
function storedPacked({ weight, matrix, rows, length, symmetric, bits }: StoredParts) {
  const { tensor } = weight;
  const columns = tensor.numel / rows;
  const scaleShape = [rows, columns / length, 1];
  const half = 2 ** (bits - 1);
  const tensors = new Map([
    ["q", packCodes(matrix.codes, bits, rows)],
    ["scale", Tensor.fromData(matrix.scales, "float32", scaleShape)],
  ]);
  if (!symmetric) {
    const zeros = Uint8Array.from(matrix.zeros, (zero) => zero + half);
    tensors.set("zero", Tensor.fromData(zeros, "uint8", scaleShape));
  }
  const expand: StoredWeight["expand"] = (calls, parts) => {
    const codes = expandPacked(calls, parts.get("q")!, {
      bits,
      count: tensor.numel,
      isEven: (columns * bits) % 8 === 0,
      shape: [rows, columns / length, length],
    });
    const shifted = calls.call("aten.sub.Tensor", [codes, parts.get("zero") ?? half]);
    const scaled = calls.call("aten.mul.Tensor", [shifted, parts.get("scale")!]);
    const placed = placedAs(calls, scaled, weight);
    return tensor.dtype === "float32"
      ? placed
      : calls.call("aten._to_copy.default", [placed], { dtype: dtypeLiteral(tensor.dtype) });
  };
  return { tensors, expand };
}

/** Returns rows of channels in the shape of the weight. */
function placedAs(calls: CallMaker, rows: NodeRef, { tensor, channelAxis }: LayerWeight): NodeRef {
  if (channelAxis === 0) return calls.call("aten.view.default", [rows, [...tensor.shape]]);
  const viewed = calls.call("aten.view.default", [rows, swap(tensor.shape)]);
  return calls.call("aten.permute.default", [viewed, swap(tensor.shape.map((_, d) => d))]);
}

function distortionOf(
  values: Float32Array,
  { codes, scales, zeros }: QuantizedMatrix,
  length: number,
  dtype: DType,
): Distortion {
  const expanded = Float32Array.from(codes, (code, i) => {
    const g = Math.floor(i / length);
    return numberOf(code, { scale: scales[g]!, zero: zeros[g]! });
  });
  const stored =
    dtype === "float32"
      ? expanded
      : castTensor(castTensor(Tensor.fromData(expanded, "float32"), dtype), "float32").data;
  const meter = new DistortionMeter();
  meter.add(values, stored as Float32Array);
  return meter.distortion;
}

/** Returns the bytes of tensors. */
export const bytesOf = (tensors: Iterable<Tensor>): number =>
  [...tensors].reduce((sum, { numel, dtype }) => sum + numel * dtypeInfo(dtype).itemSize, 0);
