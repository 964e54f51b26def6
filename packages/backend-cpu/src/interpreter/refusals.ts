/**
 * @file Calls that PyTorch's CPU kernels refuse though its shape rules, which serve all devices,
 * accept them. Each was asked of PyTorch, with the exceptions for empty tensors.
 */
import { dtypeMismatch, scalarTypeName, shapeMismatch } from "@sconce/ops";
import { type DType, numel, resultType, Tensor } from "@sconce/tensor";
import { readNumbers } from "../kernel/dense.js";
import { indexOutOfRange, invalidArgument } from "../kernel/errors.js";

/** Throws when a call is refused; arguments are bound by schema name. */
export type Refusal = (args: Readonly<Record<string, unknown>>) => void;
type Args = Parameters<Refusal>[0];

const HALVES: readonly DType[] = ["float16", "bfloat16"];
const PRECISE: readonly DType[] = ["float32", "float64"];
const FLOATS: readonly DType[] = [...HALVES, ...PRECISE];
const IMAGES: readonly DType[] = [...FLOATS, "uint8"];
const COMPLEX: readonly DType[] = ["complex32", "complex64", "complex128"];
const LARGE_UNSIGNED: readonly DType[] = ["uint16", "uint32", "uint64"];
const INTEGERS: readonly DType[] = ["int64", "int32", "int16", "int8", "uint8", ...LARGE_UNSIGNED];

/** When a call computes nothing, so that no kernel sees the dtype. */
type Idle = (args: Args, tensor: Tensor) => boolean;
const never: Idle = () => false;
const whenEmpty: Idle = (_, tensor) => tensor.numel === 0;
const tensorsOf = (args: Args): readonly Tensor[] =>
  Object.values(args).filter((value): value is Tensor => value instanceof Tensor);
const whenAnyEmpty: Idle = (args) => tensorsOf(args).some((tensor) => tensor.numel === 0);

const notImplemented = (kernel: string, dtype: DType): Error =>
  dtypeMismatch(`"${kernel}" not implemented for '${scalarTypeName(dtype)}'`);

/** The first tensor's dtype must be one of these. */
const only =
  (kernel: string, dtypes: readonly DType[], idle: Idle = never): Refusal =>
  (args) => {
    const tensor = tensorsOf(args)[0];
    if (tensor !== undefined && !dtypes.includes(tensor.dtype) && !idle(args, tensor))
      throw notImplemented(kernel, tensor.dtype);
  };

/** The first tensor's dtype must be none of these. */
const none =
  (kernel: string, dtypes: readonly DType[], idle: Idle = never): Refusal =>
  (args) => {
    const tensor = tensorsOf(args)[0];
    if (tensor !== undefined && dtypes.includes(tensor.dtype) && !idle(args, tensor))
      throw notImplemented(kernel, tensor.dtype);
  };

/** The common dtype of both operands must be one of these. */
const onlyTogether =
  (kernel: string, dtypes: readonly DType[]): Refusal =>
  (args) => {
    const operands = tensorsOf(args);
    const dtype = resultType(
      operands.map((tensor) => ({ dtype: tensor.dtype, rank: tensor.ndim > 0 ? "dimensioned" : "zeroDim" })),
    );
    if (operands.length === 2 && !dtypes.includes(dtype)) throw notImplemented(kernel, dtype);
  };

/** No kernel scans in these dtypes; a 0-d tensor is only converted. */
const scan =
  (kernel: string): Refusal =>
  ({ self, dtype }) => {
    const { dtype: own, ndim, numel } = self as Tensor;
    const wanted = (dtype ?? own) as DType;
    const without = wanted === "bool" || LARGE_UNSIGNED.includes(wanted);
    if (dtype !== null && without && ndim > 0 && numel > 0) throw notImplemented(kernel, wanted);
  };

const boolPower: Refusal = ({ self, exponent }) => {
  const isBool = (operand: unknown): boolean =>
    typeof operand === "boolean" || (operand instanceof Tensor && operand.dtype === "bool");
  if (isBool(self) && isBool(exponent)) throw notImplemented("pow", "bool");
};

const groupOffsets: Refusal = ({ offs }) => {
  if (offs instanceof Tensor && offs.dtype !== "int32") throw dtypeMismatch("Offsets have to be int32");
};

/**
 * The inverse divides by the sum of the squared windows of all frames. PyTorch refuses it where
 * that sum is 0.
 */
const emptyEnvelope: Refusal = (args) => {
  const { self, window, n_fft: size } = args as { self: Tensor; window: Tensor | null; n_fft: number };
  const hop = Number(args["hop_length"] ?? Math.floor(size / 4));
  const width = Number(args["win_length"] ?? size);
  if (
    window === null ||
    window.dtype.startsWith("complex") ||
    window.ndim !== 1 ||
    window.numel !== width ||
    !(hop > 0 && width <= size)
  )
    return;
  const count = self.shape.at(-1)!;
  const total = size + hop * (count - 1);
  const squares = [...readNumbers(window)].map((value) => value ** 2);
  const envelope = new Float64Array(total);
  const left = Math.floor((size - width) / 2);
  for (let frame = 0; frame < count; frame++)
    for (const [i, square] of squares.entries()) envelope[frame * hop + left + i]! += square;
  const start = args["center"] === false ? 0 : Math.floor(size / 2);
  const length = args["length"] as number | null;
  const end = Math.min(total, length === null ? total - start : start + length);
  if (envelope.subarray(start, end).some((value) => value < 1e-11))
    throw invalidArgument(
      "istft: window overlap add min: 1: the squares of the window, added up over the frames, are 0 at some element",
    );
};

/** Sizes that stay are copied. */
const unresized: Idle = ({ output_size }, { shape }) =>
  (output_size as readonly number[]).every((size, d) => size === shape[d + 2]);

const poolsNothing: Idle = ({ output_size }, { numel }) =>
  numel === 0 || (output_size as readonly number[]).includes(0);

const fewRows: Idle = (_, { numel, shape }) => numel === 0 || shape[0]! < 2;

const halfToFloat: Refusal = ({ half_to_float }) => {
  if (half_to_float === true)
    throw invalidArgument("softmax with half to float conversion is not supported on CPU");
};

const UNSAFE_INDICES: readonly DType[] = ["int64", "int32"];
const unsafeIndex: Refusal = ({ indices }) => {
  for (const index of indices as readonly (Tensor | null)[]) {
    if (index !== null && !UNSAFE_INDICES.includes(index.dtype))
      throw dtypeMismatch(`_unsafe_index found unexpected index type ${scalarTypeName(index.dtype)}`);
  }
};

const emptyBatch: Refusal = ({ input, training = true }) => {
  const { numel, shape } = input as Tensor;
  if (training === true && numel === 0) {
    throw invalidArgument(
      `input tensor must have at least one element, but got input_sizes = [${shape.join(", ")}]`,
    );
  }
};

/** Parameters are of the input's dtype, or float32 beside halves. */
const mixed: Refusal = ({ input, weight, bias, running_mean, running_var }) => {
  const { dtype } = input as Tensor;
  const given = [weight, bias, running_mean, running_var].filter(
    (one): one is Tensor => one instanceof Tensor,
  );
  const first = given[0]?.dtype ?? dtype;
  const odd = given.find((tensor) => tensor.dtype !== (first === dtype ? dtype : "float32"));
  if (odd === undefined && (first === dtype || HALVES.includes(dtype))) return;
  const names = [dtype, odd?.dtype ?? dtype].map(scalarTypeName);
  if (odd !== undefined && first === dtype)
    throw dtypeMismatch(`expected scalar type ${names[0]} but found ${names[1]}`);
  throw dtypeMismatch(
    odd === undefined
      ? "mixed dtype (CPU): all inputs must share same datatype."
      : "mixed dtype (CPU): expect parameter to have scalar type of Float",
  );
};

const batch: Refusal = (args) => {
  emptyBatch(args);
  mixed(args);
};

const noBool =
  (name: string): Refusal =>
  ({ self }) => {
    if ((self as Tensor).dtype === "bool") throw dtypeMismatch(`${name}(): does not support bool input`);
  };

/** Negative indices do not count from the end. */
const indicesFromFront =
  (message: (index: number, dim: number, size: number) => string): Refusal =>
  ({ self, dim, index }) => {
    const { shape, ndim } = self as Tensor;
    const negative = [...readNumbers(index as Tensor)].find((value) => value < 0);
    if (negative === undefined) return;
    const at = (dim as number) < 0 ? (dim as number) + ndim : (dim as number);
    throw indexOutOfRange(message(negative, at, shape[at] ?? 1));
  };

const boolMean: Refusal = ({ self, reduce }) => {
  const { dtype } = self as Tensor;
  if (dtype === "bool" && reduce === "mean")
    throw notImplemented("scatter_gather_tensor_cpu_reduce_mean", dtype);
};

/** Slices of several dimensions are combined by operators that know bools. */
const boolSlices: Refusal = ({ self, index, reduce, include_self }) => {
  const { dtype, ndim } = self as Tensor;
  if (dtype !== "bool") return;
  if (include_self !== true) throw notImplemented("index_reduce_func_exclude_input_init", dtype);
  if (ndim <= 1) throw notImplemented("index_func_", dtype);
  if (reduce === "mean" && (index as Tensor).numel > 0) throw notImplemented("div_floor_cpu", dtype);
};

const outOfBounds = (index: number, dim: number, size: number): string =>
  `index ${index} is out of bounds for dimension ${dim} with size ${size}`;
const outOfSelf = (): string => "index out of range in self";

/** Where nothing is moved, nothing is refused. */
const unlessEmpty =
  (refusal: Refusal): Refusal =>
  (args) => {
    if ((args["self"] as Tensor).numel > 0) refusal(args);
  };

const indexAddFromFront: Refusal = (args) =>
  indicesFromFront((args["self"] as Tensor).ndim > 1 ? outOfBounds : outOfSelf)(args);

const indexReduce: Refusal = (args) => {
  boolSlices(args);
  indicesFromFront(outOfSelf)(args);
};

/** Without dimensions only the kept form has the right shape. */
const logSumExpDims: Refusal = ({ self, dim, keepdim }) => {
  const { ndim } = self as Tensor;
  if ((dim as readonly number[]).length === 0 && keepdim !== true && ndim > 0) {
    const ones = new Array<number>(ndim).fill(1).join(", ");
    throw shapeMismatch(`output with shape [] doesn't match the broadcast shape [${ones}]`);
  }
};

/**
 * The kernel reads the buffer of the forward pass. PyTorch gives another result than its shape rule
 * promises for buffers that are wider, or empty beside a last size of 1.
 */
const wholeBuffer: Refusal = ({ self, buffer }) => {
  const [{ shape }, saved] = [self as Tensor, (buffer as Tensor).shape];
  const offset = shape.length - saved.length;
  const dim = saved.findLastIndex(
    (size, d) => size !== (shape[d + offset] ?? 1) && (size !== 1 || d + offset < 0),
  );
  if (dim < 0) return;
  throw shapeMismatch(
    `The size of tensor a (${shape[dim + offset] ?? 1}) must match the size of tensor b (${saved[dim]!}) at non-singleton dimension ${Math.max(dim + offset, 0)}`,
  );
};

/** The axes are handed to the FFT library as they are. */
const axesFromFront: Refusal = ({ self, dim }) => {
  if ((self as Tensor).numel > 0 && (dim as readonly number[]).some((axis) => axis < 0))
    throw invalidArgument("bad axis number");
};

const noBoolRanks: Refusal = ({ self }) => {
  if ((self as Tensor).dtype === "bool") throw dtypeMismatch("topk does not support bool dtypes on CPU");
};

/** NaN lies nowhere. */
const probabilities: Refusal = (args) => {
  for (const name of ["self", "target"]) {
    if (readNumbers(args[name] as Tensor).some((value: number) => !(value >= 0 && value <= 1)))
      throw invalidArgument(`all elements of ${name === "self" ? "input" : name} should be between 0 and 1`);
  }
};

/** NaN lies nowhere. */
const quantiles: Refusal = ({ q }) => {
  if (readNumbers(q as Tensor).some((value: number) => !(value >= 0 && value <= 1)))
    throw invalidArgument("quantile() q values must be in the range [0, 1]");
};

/** Places are counted within the plane, or volume, of a channel. */
const placesInPlane: Refusal = ({ indices, output_size }) => {
  const sizes = output_size as readonly number[];
  const count = numel(sizes);
  const odd = readNumbers(indices as Tensor).find((place: number) => place < 0 || place >= count);
  if (odd === undefined || count === 0) return;
  throw indexOutOfRange(`Found an invalid max index: ${odd} (output volumes are of size ${sizes.join("x")})`);
};

const onTargets = (names: readonly string[], refusal: (name: string) => Refusal): [string, Refusal][] =>
  names.map((name) => [`aten.${name}`, refusal(name)]);

const ofName = (kernel: string, dtypes: readonly DType[], names: readonly string[], idle?: Idle) =>
  onTargets(names, () => only(kernel, dtypes, idle));

/** Functions that are computed in float32 and float64 only; integers become float32. */
const PRECISE_SPECIAL = [
  ...["bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "spherical_bessel_j0", "airy_ai"],
  ...["modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1"],
  ...["scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "erfcx", "log_ndtr", "ndtri"],
];

/** Both overloads: the one with scale factors need not be made of the other. */
const ofResize = (kernel: string, dtypes: readonly DType[], names: readonly string[]) =>
  ofName(
    kernel,
    dtypes,
    names.flatMap((name) => [`${name}.default`, `${name}.vec`]),
  );

const RESIZES = [
  ...ofResize("compute_indices_weights_nearest", IMAGES, [
    ...["upsample_nearest1d", "_upsample_nearest_exact1d"],
    ...["upsample_nearest3d", "_upsample_nearest_exact3d"],
  ]),
  ...ofResize("upsample_nearest2d_channels_last", IMAGES, [
    ...["upsample_nearest2d", "_upsample_nearest_exact2d"],
  ]),
  ...ofResize("compute_indices_weights_linear", FLOATS, [...["upsample_linear1d", "upsample_trilinear3d"]]),
  ...ofResize("upsample_bilinear2d_channels_last", IMAGES, ["upsample_bilinear2d"]),
  ...ofResize("compute_indices_weights_cubic", IMAGES, ["upsample_bicubic2d"]),
  ...ofName(
    "compute_index_ranges_weights",
    [...PRECISE, "uint8"],
    ["bilinear", "bicubic", "lanczos"].map((mode) => `_upsample_${mode}2d_aa.default`),
    unresized,
  ),
];

/** By target. */
export const CPU_REFUSALS: ReadonlyMap<string, Refusal> = new Map([
  ["aten.istft.default", emptyEnvelope],
  ["aten._grouped_mm.default", groupOffsets],
  ...RESIZES,
  ...ofName("cdist_backward", PRECISE, ["_cdist_backward.default"], whenAnyEmpty),
  ["aten._cdist_forward.default", none("cdist", HALVES, whenAnyEmpty)],
  ...ofName("pdist", PRECISE, ["_pdist_forward.default"], fewRows),
  ...ofName("pdist_backward", PRECISE, ["_pdist_backward.default"], whenAnyEmpty),
  ...onTargets(["im2col.default", "col2im.default"], (name) =>
    none(`${name.split(".")[0]}_out_cpu`, INTEGERS),
  ),
  ...ofName("grid_sampler_2d_cpu_kernel_impl", FLOATS, ["grid_sampler_2d.default"], whenAnyEmpty),
  ...ofName("grid_sampler3d_cpu", FLOATS, ["grid_sampler_3d.default"], whenAnyEmpty),
  ...ofName("adaptive_max_pool2d", FLOATS, ["adaptive_max_pool2d.default"]),
  ...ofName("adaptive_max_pool3d_cpu", FLOATS, ["adaptive_max_pool3d.default"]),
  ...ofName("adaptive_avg_pool2d", FLOATS, ["_adaptive_avg_pool2d.default"], poolsNothing),
  ...ofName("adaptive_avg_pool3d_cpu", FLOATS, ["_adaptive_avg_pool3d.default"]),
  ...onTargets(["cumsum.default", "cumprod.default"], (name) => scan(`${name.split(".")[0]}_out_cpu`)),
  ...ofName("logcumsumexp_out_cpu", [...FLOATS, ...COMPLEX], ["logcumsumexp.default"]),
  ...onTargets(["median.default", "nanmedian.default"], () => none("median_cpu", ["bool"], whenEmpty)),
  ...onTargets(["median.dim", "nanmedian.dim"], () => none("median_out", ["bool"])),
  ...onTargets(["pow.Tensor_Tensor", "pow.Scalar"], () => boolPower),
  ...onTargets(["hypot.default", "nextafter.default"], (name) =>
    onlyTogether(`${name.split(".")[0]}_cpu`, FLOATS),
  ),
  ...ofName("round_cpu", FLOATS, ["round.decimals"]),
  ...PRECISE_SPECIAL.map((name): [string, Refusal] => [
    `aten.special_${name}.default`,
    none(`${name}_cpu`, [...HALVES, ...COMPLEX]),
  ]),
  ...ofName("lerp_kernel_scalar", [...FLOATS, "complex64", "complex128"], ["lerp.Scalar"]),
  ...ofName("lerp_kernel_tensor", [...FLOATS, "complex64", "complex128"], ["lerp.Tensor"]),
  ["aten.abs.default", none("abs_cpu", ["bool", ...LARGE_UNSIGNED])],
  ["aten.threshold.default", none("threshold_cpu", ["bool", ...LARGE_UNSIGNED, ...COMPLEX])],
  ...onTargets(["dot.default", "vdot.default"], () => none("dot", ["bool", ...LARGE_UNSIGNED, "complex32"])),
  ["aten.topk.default", noBoolRanks],
  ...onTargets(["_softmax.default", "_log_softmax.default"], () => halfToFloat),
  ["aten.binary_cross_entropy.default", probabilities],
  ...onTargets(["quantile.default", "nanquantile.default"], () => quantiles),
  ...onTargets(["max_unpool2d.default", "max_unpool3d.default"], () => placesInPlane),
  ["aten._unsafe_index.Tensor", unsafeIndex],
  ["aten._fft_r2c.default", axesFromFront],
  ...onTargets(
    ["default", "no_stats"].map((overload) => `_native_batch_norm_legit.${overload}`),
    () => batch,
  ),
  ...onTargets(["_native_batch_norm_legit_functional.default", "native_batch_norm.default"], () => batch),
  ["aten._native_batch_norm_legit_no_training.default", mixed],
  ...onTargets(
    ["_batch_norm_with_update.default", "_batch_norm_with_update_functional.default"],
    () => batch,
  ),
  ...onTargets(["native_layer_norm.default", "native_group_norm.default"], () => mixed),
  ...onTargets(["argmax.default", "argmin.default"], (name) => noBool(name.split(".")[0]!)),
  ["aten.index_add.default", unlessEmpty(indexAddFromFront)],
  [
    "aten.index_copy.default",
    unlessEmpty(indicesFromFront((...args) => `index_copy_(): ${outOfBounds(...args)}`)),
  ],
  ["aten.index_reduce.default", indexReduce],
  ["aten.scatter_reduce.two", boolMean],
  ["aten.logsumexp.default", logSumExpDims],
  ["aten.log_sigmoid_backward.default", wholeBuffer],
]);
