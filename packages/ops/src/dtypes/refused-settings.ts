/**
 * @file Settings and sizes that PyTorch's CPU kernels refuse though its shape rules, which serve
 * all devices, accept them. Each was asked of PyTorch. Sizes that are not known yet are accepted.
 */
import type { BoundArgs } from "../rows/define-op.js";
import { describeSizes, placesMismatch } from "../rules/describe.js";
import type { AnyTensor } from "./operands.js";
import { isTensor } from "./operands.js";

/** Returns why a call is refused, if it is. */
type Check = (bound: BoundArgs) => string | undefined;
type Numbers = readonly number[];

const isNumber = (value: unknown): value is number => typeof value === "number";
const tensor = (bound: BoundArgs, name: string): AnyTensor => bound[name] as AnyTensor;
/** Returns the sizes of an argument; undefined where one is not known. */
function sizesOf(value: unknown): Numbers | undefined {
  if (!isTensor(value)) return undefined;
  const sizes = value.shape as readonly unknown[];
  return sizes.every(isNumber) ? sizes : undefined;
}
const sizesText = (value: AnyTensor): string => describeSizes(value.shape as never);
const count = (sizes: Numbers): number => sizes.reduce((a, b) => a * b, 1);
/** Returns a scalar as a number; undefined for symbolic and complex ones. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  const literal = value as { readonly kind?: string; readonly value?: number } | null;
  return literal !== null && typeof literal === "object" && literal.kind === "float"
    ? literal.value
    : undefined;
}

/** A 0-d tensor has one element to take. */
const selectsFromScalar: Check = (bound) => {
  const index = sizesOf(bound["index"]);
  if (tensor(bound, "self").shape.length > 0 || index === undefined || count(index) === 1) return undefined;
  return `index_select(): Index to scalar can have only 1 value, got ${count(index)} value(s)`;
};

const addsToScalar: Check = (bound) => {
  const [self, source] = [tensor(bound, "self"), tensor(bound, "source")];
  if (self.shape.length > 0 || source.shape.length === 0) return undefined;
  return (
    "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = [] " +
    `source.shape = ${sizesText(source)}`
  );
};

/** Values have at most the dimensions of the places, unless one fills what a mask selects. */
const putsFewer: Check = (bound) => {
  const [self, values] = [tensor(bound, "self"), tensor(bound, "values")];
  const indices = bound["indices"] as readonly (AnyTensor | null)[];
  const given = indices.filter((index) => index !== null);
  const isMask = (index: AnyTensor): boolean => index.dtype === "bool" || index.dtype === "uint8";
  const size = sizesOf(values);
  const fills = given.length === 1 && given[0]!.dtype === "bool" && bound["accumulate"] !== true;
  if (fills && (size === undefined || count(size) === 1)) return undefined;
  let taken = 0;
  let rank = 0;
  for (const index of given) {
    taken += isMask(index) ? index.shape.length : 1;
    rank = Math.max(rank, isMask(index) ? 1 : index.shape.length);
  }
  const places = rank + self.shape.length - taken;
  if (values.shape.length <= places) return undefined;
  return placesMismatch(sizesText(values), `${places} dimensions`);
};

const positiveOrder: Check = ({ p }) =>
  isNumber(p) && p < 1 ? "p has to be greater than or equal to 1" : undefined;
const naturalOrder: Check = ({ n }) =>
  isNumber(n) && n < 0 ? "polygamma(n, x) does not support negative n." : undefined;

/** Values of the steps of each dimension. */
const perDim = (value: unknown, rank: number): Numbers => {
  const items = value as Numbers;
  return items.length === 1 ? new Array<number>(rank).fill(items[0]!) : items;
};
const STEPS = ["output_padding", "stride", "dilation"] as const;

/** What is added behind the result has to be less than a step. */
const padsOutput: Check = (bound) => {
  if (bound["transposed"] === false) return undefined;
  const input = tensor(bound, "input");
  const rank = tensor(bound, "weight").shape.length - 2;
  const steps = STEPS.map((name) => perDim(bound[name], rank));
  const [padding, stride, dilation] = steps as [Numbers, Numbers, Numbers];
  const isWide = padding.some((pad, d) => pad >= stride[d]! && pad >= dilation[d]!);
  if (!isWide || (input.shape as readonly unknown[]).includes(0)) return undefined;
  const names = ["depth", "height", "width"].slice(rank === 3 ? 0 : 1);
  // A sequence is an image of one row.
  const all =
    rank === 1
      ? [
          [0, ...padding],
          [1, ...stride],
          [1, ...dilation],
        ]
      : steps;
  const text = STEPS.flatMap((step, s) => names.map((name, d) => `${step}_${name}: ${all[s]![d]}`)).join(" ");
  return `output padding must be smaller than either stride or dilation, but got ${text}`;
};

const leaks: Check = ({ negative_slope, self_is_result }) =>
  self_is_result === true && (numberOf(negative_slope) ?? 0) < 0
    ? "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. This is caused " +
      "by calling in-place forward function with a negative slope, please call out-of-place version instead. File an issue " +
      "at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward calculation with " +
      "negative slope"
    : undefined;
const bends: Check = ({ alpha, is_result }) =>
  is_result === true && (numberOf(alpha) ?? 0) < 0
    ? "In-place elu backward calculation is triggered with a negative slope which is not supported. This is caused by " +
      "calling in-place forward function with a negative slope, please call out-of-place version instead."
    : undefined;

const quantizes: Check = ({ zero_point, quant_min, quant_max }) => {
  if (![zero_point, quant_min, quant_max].every(isNumber)) return undefined;
  const [zero, low, high] = [zero_point, quant_min, quant_max] as [number, number, number];
  if (low > high) return "`quant_min` should be less than or         equal to `quant_max`.";
  return zero < low || zero > high ? "`zero_point` must be between `quant_min` and `quant_max`." : undefined;
};
/** A scale and a zero point are single numbers, in whatever shape. */
const quantizesBy: Check = (bound) => {
  for (const name of ["scale", "zero_point"]) {
    const sizes = sizesOf(bound[name]);
    if (sizes !== undefined && count(sizes) !== 1)
      return `a Tensor with ${count(sizes)} elements cannot be converted to Scalar`;
  }
  return undefined;
};

const unrolls: Check = ({ i1, expand1, unroll_dim }) => {
  const rank = (i1 as AnyTensor).shape.length + (expand1 as readonly unknown[]).length;
  return isNumber(unroll_dim) && (unroll_dim < 0 || unroll_dim >= rank)
    ? `unroll_dim must be in [0,${rank - 1}]`
    : undefined;
};

/** Returns a check that all dimensions but the batch have elements. */
const unpools =
  (rank: number): Check =>
  (bound) => {
    const self = tensor(bound, "self");
    const sizes = self.shape as readonly unknown[];
    const dim = sizes.findIndex((size, d) => d > 0 && size === 0);
    return dim < 0
      ? undefined
      : `max_unpooling${rank}d_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but got ` +
          `${sizesText(self)} with dimension ${dim} being empty.`;
  };

/** One dimension may be empty, if its slices are compared. */
const comparesSlices: Check = (bound) => {
  const { dim } = bound;
  const sizes = tensor(bound, "self").shape as readonly unknown[];
  if (!isNumber(dim)) return undefined;
  const empty = sizes.filter((size) => size === 0).length;
  if (empty > 1) return "Number of zero sized dimensions is more than one, so unique cannot be applied ";
  return empty === 1 && sizes.at(dim) !== 0
    ? "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied "
    : undefined;
};

/** Steps of 0 write several elements into one place; others that overlap are let through. */
const scattersStrided: Check = ({ size, stride }) => {
  const [sizes, steps] = [size as readonly unknown[], stride as readonly unknown[]];
  if (sizes.includes(0)) return undefined;
  return sizes.some((one, d) => isNumber(one) && one > 1 && steps[d] === 0)
    ? "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please " +
        "clone() the tensor before performing the operation."
    : undefined;
};

const pools1d =
  (name: string): Check =>
  ({ output_size }) => {
    const given = (output_size as readonly unknown[]).length;
    return given === 1 ? undefined : `${name}() argument 'output_size' should contain one int (got ${given})`;
  };

/** Windows fit into the image without its padding. */
const windows: Check = (bound) => {
  const image = (tensor(bound, "self").shape as readonly unknown[]).slice(-3);
  const kernel = perDim(bound["kernel_size"], 3);
  if (!image.every(isNumber) || image.includes(0) || image.every((size, d) => size >= kernel[d]!))
    return undefined;
  const text = (names: string, sizes: Numbers): string =>
    names
      .split(" ")
      .map((name, d) => `${name}: ${sizes[d]}`)
      .join(" ");
  return `input image (${text("T H W", image)}) smaller than kernel size (${text("kT kH kW", kernel)})`;
};

/** Hidden states have a row for each of the input's. */
const hasRows =
  (hidden: string): Check =>
  (bound) => {
    const value = bound[hidden];
    const first = (Array.isArray(value) ? (value as readonly unknown[])[0] : value) as AnyTensor;
    const [rows, states] = [tensor(bound, "input").shape, first.shape] as readonly (readonly unknown[])[];
    if (rows!.length < 2) return "Dimension out of range (expected to be in range of [-1, 0], but got 1)";
    const [batch, other] = [rows![0], states![0]];
    if (isNumber(batch) && isNumber(other) && batch !== other)
      return `Input batch size ${batch} doesn't match hidden0 batch size ${other}`;
    return states!.length < 2
      ? "Dimension out of range (expected to be in range of [-1, 0], but got 1)"
      : undefined;
  };

/**
 * The gradient is laid out as the input, densely, and its kernel takes row-major memory only.
 * Inputs whose elements share places have gradients in row-major memory.
 */
const isRowMajor: Check = (bound) => {
  const self = tensor(bound, "self");
  const sizes = sizesOf(self);
  if (sizes === undefined || sizes.includes(0)) return undefined;
  const steps = (self.strides as readonly unknown[]).filter((_, d) => sizes[d] !== 1);
  if (!steps.every(isNumber) || steps.includes(0)) return undefined;
  return steps.some((step, d) => d > 0 && step > steps[d - 1]!) ? "grad_input must be contiguous" : undefined;
};

/** Lengths of transforms are at least 1. */
const transforms =
  (lengthOf: (size: number) => number): Check =>
  (bound) => {
    const { n, dim } = bound;
    const sizes = tensor(bound, "self").shape as readonly unknown[];
    const size = isNumber(dim) ? sizes.at(dim) : undefined;
    const length = n === null || n === undefined ? (isNumber(size) ? lengthOf(size) : undefined) : n;
    return isNumber(length) && length < 1 ? `Invalid number of data points (${length}) specified` : undefined;
  };
const transformsAll: Check = (bound) => {
  const sizes = tensor(bound, "self").shape as readonly unknown[];
  const [s, dim] = [bound["s"], bound["dim"]] as (readonly unknown[] | null)[];
  const dims = dim ?? sizes.map((_, d) => d).slice(s === null || s === undefined ? 0 : -s.length);
  const isEmpty = dims.some((d, i) => {
    const length = s?.[i] ?? -1;
    return (isNumber(length) && length !== -1 ? length : isNumber(d) ? sizes.at(d) : undefined) === 0;
  });
  return isEmpty ? "Invalid number of data points (0) specified" : undefined;
};

const on = (names: string, check: Check): readonly [string, Check][] =>
  names.split(" ").map((name) => [`aten.${name.includes(".") ? name : `${name}.default`}`, check]);

/** Those that look at sizes, by target. */
const SIZED: ReadonlyMap<string, Check> = new Map([
  ...on("index_select", selectsFromScalar),
  ...on("index_add", addsToScalar),
  ...on("unique_dim unique_dim_consecutive unique_consecutive", comparesSlices),
  ...on("max_unpool2d", unpools(2)),
  ...on("max_unpool3d", unpools(3)),
  ...on("as_strided_scatter", scattersStrided),
  ...on("avg_pool3d avg_pool3d_backward", windows),
  ...on("fake_quantize_per_tensor_affine.tensor_qparams", quantizesBy),
  ...on("_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", quantizesBy),
  ...on("rnn_tanh_cell rnn_relu_cell gru_cell lstm_cell", hasRows("hx")),
  ...on("nll_loss2d_backward", isRowMajor),
  ...on(
    "fft_fft fft_ifft fft_rfft fft_ihfft",
    transforms((size) => size),
  ),
  ...on(
    "fft_irfft fft_hfft",
    transforms((size) => 2 * (size - 1)),
  ),
  ...on("fft_fftn fft_ifftn fft_rfftn fft_ihfftn fft_fft2 fft_ifft2 fft_rfft2 fft_ihfft2", transformsAll),
]);

/** By target. */
const SETTINGS: ReadonlyMap<string, Check> = new Map([
  ...SIZED,
  ...on("index_put _unsafe_index_put", putsFewer),
  ...on("mvlgamma special_multigammaln", positiveOrder),
  ...on("polygamma special_polygamma", naturalOrder),
  ...on("convolution conv_transpose1d conv_transpose2d.input conv_transpose3d.input", padsOutput),
  ...on("leaky_relu_backward", leaks),
  ...on("elu_backward", bends),
  ...on("fake_quantize_per_tensor_affine fake_quantize_per_tensor_affine_cachemask", quantizes),
  ...on("_trilinear", unrolls),
  ...on("adaptive_avg_pool1d", pools1d("adaptive_avg_pool1d")),
  ...on("adaptive_max_pool1d", pools1d("adaptive_max_pool1d")),
]);

/** Returns whether the settings of an operator are checked. */
export const checksSettings = (target: string): boolean => SETTINGS.has(target);
/** Returns whether a size decides what a check says of a call: known sizes decide nothing. */
type Question = (bound: BoundArgs) => boolean;

/** Returns whether hidden states may have other rows than the input. */
const mayDifferInRows: Question = (bound) => {
  const value = bound["hx"];
  const first = (Array.isArray(value) ? (value as readonly unknown[])[0] : value) as AnyTensor;
  return String(tensor(bound, "input").shape[0]) !== String(first.shape[0]);
};
/** Returns whether the size along the dimension of a transform is not known. */
const transformsAnyLength: Question = (bound) => {
  const { n, dim } = bound;
  const sizes = tensor(bound, "self").shape as readonly unknown[];
  return (n === null || n === undefined) && !(isNumber(dim) && isNumber(sizes.at(dim)));
};

/** Checks that look at sizes in some calls only. */
const QUESTIONS: ReadonlyMap<string, Question> = new Map([
  ["aten.index_select.default", (bound) => tensor(bound, "self").shape.length === 0],
  ["aten.index_add.default", () => false],
  ...["rnn_tanh_cell", "rnn_relu_cell", "gru_cell", "lstm_cell"].map((name): [string, Question] => [
    `aten.${name}.default`,
    mayDifferInRows,
  ]),
  ...["fft", "ifft", "rfft", "ihfft", "irfft", "hfft"].map((name): [string, Question] => [
    `aten.fft_${name}.default`,
    transformsAnyLength,
  ]),
]);

/** Returns whether sizes of a call are checked with them. */
export const checksSizes = (target: string, bound: BoundArgs): boolean =>
  SIZED.has(target) && QUESTIONS.get(target)?.(bound) !== false;

/** Returns why PyTorch's CPU kernels refuse the settings or sizes of a call, if they do. */
export const refusedSetting = (target: string, bound: BoundArgs): string | undefined =>
  SETTINGS.get(target)?.(bound);
