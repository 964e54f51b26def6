/**
 * @file The dtypes that PyTorch's CPU kernels convert the numbers of calls to (oracle:
 * scalar_refusals.py).
 */
import { float, type ScalarLiteral, toNumber } from "@sconce/ir";
import { type DType, dtypeInfo, isIntegralDType } from "@sconce/tensor";
import type { BoundArgs } from "../rows/define-op.js";
import { scalarTypeName } from "../rules/dtype-names.js";
import { computationDType, scalarKind, toFloatDType } from "../rules/promote.js";
import type { ScalarArg } from "../schema/schema-types.js";
import { type AnyTensor, promotedOf } from "./operands.js";
import { isInRange, LARGEST_FINITE, overflowMessage } from "./scalar-range.js";

/** Returns why a number of a call is refused, if it is. */
type Check = (bound: BoundArgs) => string | undefined;
/** The dtype that a number is converted to; undefined where it is not converted with a check. */
type Into = (bound: BoundArgs) => DType | undefined;
type Idle = (bound: BoundArgs) => boolean;

/**
 * Returns whether a value is a number. That of a symbolic one is only known when the program runs.
 */
const isLiteral = (value: unknown): value is ScalarLiteral =>
  typeof value === "number" ||
  typeof value === "bigint" ||
  (typeof value === "object" &&
    value !== null &&
    ["float", "complex"].includes((value as { kind: string }).kind));

const refused = (value: unknown, dtype: DType | undefined): string | undefined =>
  dtype === undefined || !isLiteral(value) || isInRange(value, dtype) ? undefined : overflowMessage(dtype);

/** A single half takes any double, but no complex number. */
const isFilledComplex = (value: unknown, dtype: DType): boolean =>
  isHalf(dtype) &&
  isLiteral(value) &&
  typeof value === "object" &&
  value.kind === "complex" &&
  value.im !== 0;
const DOUBLE = overflowMessage("float64");

/** Arguments that are converted to a dtype, unless nothing is computed. */
const converts =
  (names: string, into: Into, idle: Idle = () => false): Check =>
  (bound) => {
    const dtype = into(bound);
    if (dtype === undefined) return undefined;
    if (idle(bound))
      return names.split(" ").some((name) => isFilledComplex(bound[name], dtype)) ? DOUBLE : undefined;
    for (const name of names.split(" ")) {
      const message = refused(bound[name], dtype);
      if (message !== undefined) return message;
    }
    return undefined;
  };

const all =
  (...checks: readonly Check[]): Check =>
  (bound) => {
    for (const check of checks) {
      const message = check(bound);
      if (message !== undefined) return message;
    }
    return undefined;
  };

const tensor = (bound: BoundArgs, name: string): AnyTensor => bound[name] as AnyTensor;
/** Returns the dtype of an argument. */
const dtypeOf =
  (name: string): Into =>
  (bound) =>
    tensor(bound, name).dtype;
/** That in which an argument's dtype is computed. */
const computed =
  (name: string): Into =>
  (bound) =>
    computationDType(tensor(bound, name).dtype);
const own = dtypeOf("self");
const ownComputed = computed("self");
/** Returns what arguments promote to. */
const promoted =
  (...names: readonly string[]): Into =>
  (bound) =>
    promotedOf(
      names.flatMap((name) => (bound[name] === null || bound[name] === undefined ? [] : [bound[name]])) as (
        | AnyTensor
        | ScalarArg
      )[],
    );
/** The argument `dtype`, or that of `self`, or the default one. */
const made: Into = ({ dtype, self, fill_value, s }) => {
  if (dtype !== null && dtype !== undefined) return dtype as DType;
  if (self !== undefined) return (self as AnyTensor).dtype;
  const number = (fill_value ?? s) as ScalarArg | undefined;
  // A tensor of a number is float32 without a dtype, whatever the number; a filled one is not.
  if (fill_value === undefined || number === undefined) return "float32";
  return DEFAULT_DTYPES[scalarKind(number)];
};
const DEFAULT_DTYPES = { bool: "bool", int: "int64", float: "float32", complex: "complex64" } as const;

const isHalf = (dtype: DType | undefined): boolean => dtype === "float16" || dtype === "bfloat16";
/** A single half is written without the check: it becomes infinite. */
const singleHalf =
  (into: Into, sizes: (bound: BoundArgs) => readonly unknown[]): Idle =>
  (bound) =>
    isHalf(into(bound)) && sizes(bound).every((size) => size === 1);
const exceptHalves =
  (into: Into): Into =>
  (bound) => {
    const dtype = into(bound);
    return isHalf(dtype) ? undefined : dtype;
  };
const shapeOf =
  (name: string) =>
  (bound: BoundArgs): readonly unknown[] =>
    tensor(bound, name).shape;
const areEmpty =
  (...names: readonly string[]): Idle =>
  (bound) =>
    names.some((name) => shapeOf(name)(bound).includes(0));

const diagonal = (bound: BoundArgs): readonly unknown[] => {
  const sizes = shapeOf("self")(bound);
  return sizes.includes(1) ? [1] : sizes;
};

/** Returns whether nothing is added, so that no value is written. */
const cuts = ({ pad }: BoundArgs): boolean =>
  (pad as readonly unknown[]).every((width) => typeof width === "number" && width <= 0);

/** Returns the sizes of a padded tensor. Pads count from the last dimension. */
function paddedShape(bound: BoundArgs): readonly unknown[] {
  const [shape, pad] = [shapeOf("self")(bound), bound["pad"] as readonly unknown[]];
  return shape.map((size, d) => {
    const [before, after] = [0, 1].map((side) => pad[2 * (shape.length - 1 - d) + side] ?? 0);
    return typeof size === "number" && typeof before === "number" && typeof after === "number"
      ? size + before + after
      : undefined;
  });
}

/** In integers of any width first, as `Scalar::toLong` does. */
const hardtanh: Check = (bound) => {
  const wide: Into = (at) => (isIntegralDType(own(at)!) ? "int64" : undefined);
  const isBelow = [bound["min_val"], bound["max_val"]].some(
    (limit) => isLiteral(limit) && toNumber(limit) < 0,
  );
  if (tensor(bound, "self").dtype === "uint8" && isBelow)
    return (
      converts("min_val max_val", wide)(bound) ??
      "cannot do hardtanh on an unsigned type with negative limits"
    );
  return all(converts("min_val max_val", wide), converts("min_val max_val", own))(bound);
};

/**
 * Integers and halves are raised to a number of their own dtype, the wider floats and complex
 * numbers to a double. Integers have no negative powers at all.
 */
const exponent: Check = (bound) => {
  const dtype = promoted("self", "exponent")(bound);
  const power = bound["exponent"];
  if (dtype === undefined || !isLiteral(power) || !(isIntegralDType(dtype) || isHalf(dtype)))
    return undefined;
  if (isIntegralDType(dtype) && toNumber(power) < 0) return undefined;
  return refused(power, dtype);
};

/** The kernel takes the reciprocal of alpha, too. */
const celu: Check = (bound) => {
  const message = converts("alpha", ownComputed)(bound);
  const alpha = bound["alpha"];
  if (message !== undefined || !isLiteral(alpha) || toNumber(alpha) === 0) return message;
  return refused(float(1 / toNumber(alpha)), ownComputed(bound));
};

const softshrink: Check = (bound) => {
  const lambd = bound["lambd"];
  const { dtype } = tensor(bound, "self");
  const largest = LARGEST_FINITE[dtype];
  if (largest === undefined || !isLiteral(lambd)) return undefined;
  const value = toNumber(lambd);
  if (value >= 0 && value <= largest) return undefined;
  return `lambda must be in range [0, ${printed(largest)}] for input dtype ${scalarTypeName(dtype)}, but found ${printed(value)}`;
};

/** Without training the slope is the middle of the bounds. */
const rrelu: Check = (bound) => {
  const [lower, upper] = [bound["lower"], bound["upper"]];
  if (!isLiteral(lower) || !isLiteral(upper)) return undefined;
  const bounds = { lower: toNumber(lower), upper: toNumber(upper) };
  for (const [name, value] of Object.entries(bounds))
    if (!Number.isFinite(value)) return `rrelu: ${name} bound must be finite, got ${printed(value)}`;
  if (bounds.lower > bounds.upper) return undefined;
  if (bound["training"] === true) return converts("lower upper", ownComputed)(bound);
  return refused(float((bounds.lower + bounds.upper) / 2), ownComputed(bound));
};

/** Slopes are drawn between the bounds, in order. */
const drawnSlopes: Check = (bound) => {
  const { lower, upper, training } = bound;
  if (training !== true || !isLiteral(lower) || !isLiteral(upper)) return undefined;
  const message = converts("lower upper", own)(bound);
  if (message !== undefined || !(toNumber(lower) > toNumber(upper))) return message;
  return (
    "Expected from <= to to be true, but got false.  (Could this error message be improved?  If so, please report an " +
    "enhancement request to PyTorch.)"
  );
};

/** Equal bounds represent those of the data. */
const histogram: Check = (bound) => {
  const { min, max } = bound;
  if (dtypeInfo(tensor(bound, "self").dtype).kind !== "float" || !isLiteral(min) || !isLiteral(max))
    return undefined;
  const [low, high] = [toNumber(min), toNumber(max)];
  if (low === high || low > high) return undefined;
  if (Number.isFinite(low) && Number.isFinite(high)) return converts("min max", own)(bound);
  return `torch.histc: range of [${printed(low)}, ${printed(high)}] is not finite`;
};

/** Integers are scaled by integers only, and say so. */
const scaled =
  (names: string, into: Into): Check =>
  (bound) => {
    const dtype = into(bound);
    if (dtype === undefined) return undefined;
    for (const name of names.split(" ")) {
      const value = bound[name];
      const isFraction = isIntegralDType(dtype, true) && isLiteral(value) && scalarKind(value) === "float";
      const message = isFraction ? fraction(name) : refused(value, dtype);
      if (message !== undefined) return message;
    }
    return undefined;
  };
const fraction = (name: string): string =>
  `For integral input tensors, argument ${name} must not be a floating point number.`;

/** Six digits, as C++ prints doubles. */
function printed(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-4))
    return value
      .toExponential(5)
      .replace(/\.?0*e/, "e")
      .replace(/e([+-])(\d)$/, "e$10$2");
  return String(Number(value.toPrecision(6)));
}

/** A single step is the start, which is filled in. */
const sequence =
  (firstOf: (start: ScalarLiteral, bound: BoundArgs) => ScalarLiteral): Check =>
  (bound) => {
    const { steps, start, end } = bound;
    if (steps === 0) return undefined;
    const isComplex = [start, end].some((one) => isLiteral(one) && scalarKind(one) === "complex");
    const into: Into = (at) => (isComplex && at["dtype"] === null ? "complex64" : made(at));
    if (steps !== 1) return converts("start end", into)(bound);
    const isReal = isLiteral(start) && !isComplex;
    return isReal ? refused(firstOf(start, bound), exceptHalves(into)(bound)) : undefined;
  };
const power = (start: ScalarLiteral, { base }: BoundArgs): ScalarLiteral =>
  float((isLiteral(base) ? toNumber(base) : 10) ** toNumber(start));

/** Halves are counted in float32, integers in int64. */
const stepped: Into = (bound) => {
  const { dtype, start, end, step } = bound;
  const dtypeFrom = (dtype ?? promotedOf([start, end, step] as ScalarArg[])) as DType | undefined;
  // Other steps are refused for what they are.
  if (dtypeFrom === undefined || !isLiteral(step) || !(toNumber(step) > 0)) return undefined;
  if (isHalf(dtypeFrom)) return "float32";
  return isIntegralDType(dtypeFrom) ? "int64" : undefined;
};

const entries = (names: string, check: Check): readonly [string, Check][] =>
  names.split(" ").map((name) => [name.startsWith("prims.") ? name : `aten.${name}`, check]);

/** By target. */
const CONVERSIONS: ReadonlyMap<string, Check> = new Map([
  ...entries("fill.Scalar", converts("value", own, singleHalf(own, shapeOf("self")))),
  ...entries("full_like.default", converts("fill_value", made, singleHalf(made, shapeOf("self")))),
  ...entries(
    "full.default new_full.default",
    converts(
      "fill_value",
      made,
      singleHalf(made, ({ size }) => size as readonly unknown[]),
    ),
  ),
  ...entries("fill_diagonal_.default", converts("fill_value", own, singleHalf(own, diagonal))),
  ...entries("scalar_tensor.default prims.scalar_tensor.default", converts("s", exceptHalves(made))),
  ...entries(
    "where.ScalarSelf where.ScalarOther where.Scalar",
    converts("self other", exceptHalves(promoted("self", "other"))),
  ),
  ...entries("masked_fill.Scalar index_fill.int_Scalar", converts("value", own)),
  ...entries(
    "_unsafe_masked_index.default",
    converts("fill", own, (bound) => isHalf(own(bound)) && areEmpty("self")(bound)),
  ),
  ...entries("scatter.value scatter.value_reduce", converts("value", own, areEmpty("index"))),
  ...entries(
    "constant_pad_nd.default",
    converts("value", own, (bound) => cuts(bound) || singleHalf(own, paddedShape)(bound)),
  ),
  ...entries("index_add.default", converts("alpha", own)),
  ...entries("threshold.default", all(converts("threshold", ownComputed), converts("value", own))),
  ...entries("threshold_backward.default", converts("threshold", ownComputed)),
  ...entries("hardtanh.default", hardtanh),
  ...entries("hardtanh_backward.default", converts("min_val max_val", ownComputed)),
  ...entries("softplus.default softplus_backward.default", converts("beta threshold", ownComputed)),
  ...entries("elu.default", converts("alpha scale input_scale", ownComputed)),
  ...entries("elu_backward.default", converts("alpha scale input_scale", computed("grad_output"))),
  ...entries("celu.default", celu),
  ...entries("leaky_relu.default leaky_relu_backward.default", converts("negative_slope", ownComputed)),
  ...entries("hardshrink.default hardshrink_backward.default", converts("lambd", own)),
  ...entries("softshrink_backward.default", converts("lambd", own)),
  ...entries("softshrink.default", softshrink),
  ...entries(
    "rrelu_with_noise.default rrelu_with_noise_.default rrelu_with_noise_functional.default",
    drawnSlopes,
  ),
  ...entries(
    "add.Tensor add.Scalar sub.Tensor sub.Scalar rsub.Tensor rsub.Scalar",
    scaled("alpha", promoted("self", "other")),
  ),
  ...entries("pow.Tensor_Scalar", exponent),
  ...entries("addmm.default", converts("alpha beta", ownComputed, areEmpty("self", "mat1", "mat2"))),
  ...entries(
    "baddbmm.default addbmm.default",
    converts("alpha beta", ownComputed, areEmpty("self", "batch1", "batch2")),
  ),
  ...entries(
    "addmv.default",
    all(
      converts("alpha", own, areEmpty("mat")),
      converts("beta", own, (bound) => isHalf(own(bound)) && areEmpty("mat")(bound)),
    ),
  ),
  ...entries("addr.default", scaled("beta alpha", promoted("self", "vec1", "vec2"))),
  ...entries(
    "linspace.default",
    sequence((start) => start),
  ),
  ...entries("logspace.default", sequence(power)),
  ...entries("arange.start_step", converts("step", stepped)),
  ...entries("clamp.default", converts("min max", promoted("self", "min", "max"))),
  ...entries("clamp_min.default", converts("min", promoted("self", "min"))),
  ...entries("clamp_max.default", converts("max", promoted("self", "max"))),
  ...entries("addcmul.default addcdiv.default", (bound) => {
    const dtype = promoted("self", "tensor1", "tensor2")(bound);
    return dtype && refused(bound["value"], computationDType(dtype));
  }),
  ...entries("lerp.Scalar", converts("weight", ownComputed)),
  ...entries("histc.default", histogram),
  ...entries("rrelu.default", rrelu),
  ...entries(
    "multi_margin_loss.default multi_margin_loss_backward.default",
    converts("margin", own, areEmpty("self")),
  ),
  ...entries(
    "logit.default",
    converts("eps", (bound) => toFloatDType(tensor(bound, "self").dtype)),
  ),
  ...entries("logit_backward.default", converts("eps", dtypeOf("grad_output"))),
  ...entries("segment_reduce.default", converts("initial", dtypeOf("data"))),
]);

/**
 * Returns why PyTorch's CPU kernels refuse a number of a call, in PyTorch's words: the dtype that
 * they convert it to cannot hold it. Undefined when they take it, and for symbolic numbers.
 *
 * @param bound the arguments by schema name, tensors or fake ones
 */
export const refusedScalar = (target: string, bound: BoundArgs): string | undefined =>
  CONVERSIONS.get(target)?.(bound);

/** Returns whether some number is refused as an argument of an operator. */
export const convertsScalars = (target: string): boolean => CONVERSIONS.has(target);
