/** @file Pointwise calls over values at the edges of their dtypes: every one, and every pair. */
import { dtypeLiteral } from "@sconce/ir";
import { castTensor, type DType, dtypeInfo, isFloatDType, Tensor } from "@sconce/tensor";
import type { BuiltValue } from "../recorded/build.js";
import { numberText } from "../recorded/numbers.js";

/** One call; tensors among the arguments have one element for each value or pair of values. */
export interface EdgeCall {
  /** What the call tests, for reports. */
  readonly name: string;
  /** The operator. */
  readonly target: string;
  /** Positional arguments. */
  readonly args: readonly BuiltValue[];
  /** Keyword arguments by name. */
  readonly kwargs: Readonly<Record<string, BuiltValue>>;
  /** Arithmetic and tests; others are functions, which may lose subnormal results. */
  readonly isExact: boolean;
  /**
   * Zeros may have either sign: PyTorch gives both, by where in a tensor the value lies; or a
   * subnormal result is one.
   */
  readonly hasAnyZero: boolean;
  /**
   * What results may be off by, whatever their size, because terms cancel in them (in PyTorch too).
   */
  readonly slack: number;
}

const kwargText = (value: BuiltValue): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

const TINY = 2 ** -149;
const NORMAL = 2 ** -126;
const SIZES = [
  0,
  TINY,
  1e-40,
  NORMAL,
  1e-20,
  1e-4,
  0.5,
  1,
  1.5,
  2.5,
  3,
  7,
  88.7,
  89,
  104,
  1e4,
  2 ** 24 + 2,
  1e10,
  3.4e38,
  Infinity,
];
/** Floats at the edges, each with both signs. */
const FLOATS: readonly number[] = [...SIZES, ...SIZES.map((x) => -x), Number.NaN].map(Math.fround);

/** Values of one dtype. */
interface Values {
  readonly label: string;
  readonly dtype: DType;
  readonly values: readonly (number | bigint)[];
}
const floatsOf = (dtype: DType): Values => ({ label: dtype, dtype, values: FLOATS });
/** Those near zero, which devices hold, and with them those at the ends of the dtype. */
function integersOf(dtype: DType): readonly [near: Values, all: Values] {
  const { itemSize, signed } = dtypeInfo(dtype);
  const bits = BigInt(itemSize * 8);
  const [low, high] = signed ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
  const sizes = [0n, 1n, 2n, 3n, 7n, 100n, ...(itemSize > 1 ? [4095n] : [])];
  const near = signed ? [...sizes, ...sizes.slice(1).map((x) => -x)] : sizes;
  const ends = [low, low + 1n, high - 1n, high];
  return [
    { label: dtype, dtype, values: near },
    { label: `${dtype} with its ends`, dtype, values: [...near, ...ends] },
  ];
}
const INTEGERS = (["int8", "uint8", "int16", "int32", "int64"] as const).flatMap(integersOf);

function tensorOf({ dtype, values }: Values): Tensor {
  if (isFloatDType(dtype))
    return castTensor(Tensor.from(values.map(Number), [values.length], "float32"), dtype);
  return castTensor(Tensor.from(values as bigint[], [values.length], "int64"), dtype);
}
const pairsOf = (first: Values, second: readonly (number | bigint)[]): [Tensor, Tensor] => [
  tensorOf({ ...first, values: first.values.flatMap((a) => second.map(() => a)) }),
  tensorOf({ ...first, values: first.values.flatMap(() => [...second]) }),
];

const EXACT =
  /^(neg|abs|sign|floor|ceil|round|trunc|frac|square|is|logical|relu|bitwise|add|sub|mul|div|remainder|fmod|floor_divide|eq|ne|lt|le|gt|ge|clamp|hardtanh|threshold|maximum|minimum|fm|copysign|signbit|_to_copy)/;
const ANY_ZERO = /^(maximum|minimum|fmax|fmin|softshrink|log_sigmoid)\./;
const traitsOf = (name: string): Pick<EdgeCall, "target" | "isExact" | "hasAnyZero" | "slack"> => ({
  target: `aten.${name}`,
  isExact: EXACT.test(name),
  hasAnyZero: ANY_ZERO.test(name),
  slack: name.startsWith("gelu") ? 2e-7 : 0,
});
type Named = readonly [name: string, ...rest: BuiltValue[]];
type NamedPair = readonly [name: string, kwargs?: Readonly<Record<string, BuiltValue>>];
const one =
  (values: Values) =>
  ([name, ...rest]: Named): EdgeCall => ({
    name: `${name} of ${values.label}, ${rest.map(numberText).join()}`,
    ...traitsOf(name),
    args: [tensorOf(values), ...rest],
    kwargs: {},
  });
const two =
  (values: Values, divisors = values.values) =>
  ([name, kwargs = {}]: NamedPair): EdgeCall => ({
    name: `${name} of ${values.label}, ${Object.values(kwargs).map(kwargText).join()}`,
    ...traitsOf(name),
    args: pairsOf(values, divisors),
    kwargs,
  });
const named = (names: string, overload: string): [string][] =>
  names.split(/\s+/).map((name) => [`${name}.${overload}`]);

const FUNCTIONS = named(
  `reciprocal sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh
  atanh erf erfc sigmoid neg abs sign floor ceil round trunc frac square isnan isinf isfinite logical_not relu relu6 gelu silu selu
  elu leaky_relu hardtanh hardsigmoid hardswish softplus mish log_sigmoid hardshrink softshrink celu nan_to_num signbit deg2rad`,
  "default",
);
const WITH_NUMBERS: readonly Named[] = [
  ["elu.default", 2, 1.5, 0.5],
  ["leaky_relu.default", 0.2],
  ["hardtanh.default", -0.5, 1e30],
  ["softplus.default", 2, 5],
  ["celu.default", 0.3],
  ["clamp.default", -1, 1e38],
  ["clamp.default", 0, null],
  ["threshold.default", 0.5, -7],
  ...[0, -0, 1, 2, 3, -1, 0.5, -0.5, -2, 2.5, Infinity, Number.NaN].map(
    (exponent) => ["pow.Tensor_Scalar", exponent] as const,
  ),
  ...[0, -0, 1, 3, -2.5, 1e-40, Infinity, -Infinity, Number.NaN].flatMap((other) =>
    [
      "add.Scalar",
      "sub.Scalar",
      "mul.Scalar",
      "div.Scalar",
      "remainder.Scalar",
      "fmod.Scalar",
      "eq.Scalar",
      "lt.Scalar",
    ].map((name) => [name, other] as const),
  ),
];
const OF_TWO: readonly NamedPair[] = [
  ...named("add sub mul eq ne lt le gt ge", "Tensor"),
  ...named("maximum minimum", "default"),
];
const ROUNDED: readonly NamedPair[] = [
  ...named("remainder fmod", "Tensor"),
  ["div.Tensor_mode", { rounding_mode: "floor" }],
  ["div.Tensor_mode", { rounding_mode: "trunc" }],
];
const OF_TWO_FLOATS: readonly NamedPair[] = [
  ...OF_TWO,
  ...ROUNDED,
  ...named("div copysign xlogy", "Tensor"),
  ...named("atan2 fmax fmin hypot logaddexp floor_divide", "default"),
  ["pow.Tensor_Tensor"],
];
const OF_INTEGERS = named("neg abs sign square bitwise_not logical_not relu", "default");
const OF_TWO_INTEGERS: readonly NamedPair[] = [
  ...OF_TWO,
  ...named("bitwise_and bitwise_or bitwise_xor div", "Tensor"),
];

function ofIntegers(values: Values): EdgeCall[] {
  const divisors = values.values.filter((value) => value !== 0n);
  return [
    ...OF_INTEGERS.map(one(values)),
    ...OF_TWO_INTEGERS.map(two(values)),
    ...ROUNDED.map(two(values, divisors)),
  ];
}
function casts(): EdgeCall[] {
  const floats = (["float32", "float16", "bfloat16"] as const).map(floatsOf);
  const sources: Values[] = [{ label: "bool", dtype: "bool", values: [0n, 1n] }, ...INTEGERS, ...floats];
  const targets = new Set(sources.map(({ dtype }) => dtype));
  return sources.flatMap((from) =>
    [...targets].map((to) => ({
      name: `${from.label} to ${to}`,
      ...traitsOf("_to_copy.default"),
      args: [tensorOf(from)],
      kwargs: { dtype: dtypeLiteral(to) },
    })),
  );
}

/** Returns all calls. */
export const edgeCalls = (): EdgeCall[] => [
  ...[...FUNCTIONS, ...WITH_NUMBERS].map(one(floatsOf("float32"))),
  ...OF_TWO_FLOATS.map(two(floatsOf("float32"))),
  ...FUNCTIONS.map(one(floatsOf("float16"))),
  ...OF_TWO.map(two(floatsOf("float16"))),
  ...INTEGERS.flatMap(ofIntegers),
  ...casts(),
];
