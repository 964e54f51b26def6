/** @file The names of the functions that expressions of elements call. */

/** Functions that only floats have. */
export const FLOAT_UNARY = [
  "reciprocal",
  "sqrt",
  "rsqrt",
  "exp",
  "exp2",
  "expm1",
  "log",
  "log2",
  "log10",
  "log1p",
  "sin",
  "cos",
  "tan",
  "asin",
  "acos",
  "atan",
  "sinh",
  "cosh",
  "tanh",
  "asinh",
  "acosh",
  "atanh",
  "erf",
  "sigmoid",
] as const;
/**
 * Functions of one value. Integers wrap as their dtype does. NaN gives NaN, but 0 for `sign`.
 */
export const UNARY = [
  "neg",
  "abs",
  "sign",
  "floor",
  "ceil",
  "round",
  "trunc",
  ...FLOAT_UNARY,
  "not",
  "bitwise_not",
  "isnan",
  "isinf",
] as const;
/**
 * Functions of two values of one dtype. `div` is true division of floats, `floor_div` and
 * `remainder` follow Python's signs, `trunc_div` and `fmod` C's; `max` and `min` give NaN when
 * either is NaN, and the first of equal zeros, as PyTorch's `maximum` does.
 */
export const BINARY = [
  "add",
  "sub",
  "mul",
  "div",
  "floor_div",
  "trunc_div",
  "remainder",
  "fmod",
  "max",
  "min",
  "pow",
  "atan2",
  "and",
  "or",
  "xor",
  "bitwise_and",
  "bitwise_or",
  "bitwise_xor",
  "shift_left",
  "shift_right",
] as const;
/**
 * Functions of three floats: `fma` is `a * b + c` in one rounding, as PyTorch's kernels compute a
 * sum with a factor. Shaders without it may round twice.
 */
export const TERNARY = ["fma"] as const;
/** A complex number of two floats, and its parts. */
export const COMPLEX = ["complex", "real", "imag"] as const;
/** Comparisons: two values of one dtype, a bool. */
export const COMPARE = ["eq", "ne", "lt", "le", "gt", "ge"] as const;

/** The name of a function of one value; see {@link UNARY}. */
export type UnaryFn = (typeof UNARY)[number];
/** The name of a function of two values; see {@link BINARY}. */
export type BinaryFn = (typeof BINARY)[number];
/** The name of a comparison; see {@link COMPARE}. */
export type CompareFn = (typeof COMPARE)[number];
/** The name of any function of scalars. */
export type ScalarFn = UnaryFn | BinaryFn | CompareFn | (typeof TERNARY)[number] | (typeof COMPLEX)[number];
