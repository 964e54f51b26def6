/**
 * @file Complex elements: pairs of floats that are read, moved and stored as one. Arithmetic is
 * that of their parts.
 */
import { type DType, isComplexDType } from "@sconce/tensor";
import type { ScalarFn } from "./scalar-functions.js";
import type { CallScalar, ConstantScalar, Scalar } from "./terms.js";

const call = (fn: ScalarFn, args: readonly Scalar[], dtype: DType): CallScalar => ({
  kind: "call",
  dtype,
  fn,
  args,
});
const bools = (fn: ScalarFn, ...args: readonly Scalar[]): CallScalar => call(fn, args, "bool");
const floats = (fn: ScalarFn, ...args: readonly Scalar[]): CallScalar => call(fn, args, args[0]!.dtype);
const zeroLike = ({ dtype }: Scalar): ConstantScalar => ({ kind: "constant", dtype, value: 0 });
const choose = (condition: Scalar, then: Scalar, otherwise: Scalar): Scalar => ({
  kind: "select",
  dtype: then.dtype,
  condition,
  then,
  otherwise,
});

/** Returns the dtype of the parts of a complex dtype. */
export const partDType = (dtype: DType): DType => (dtype === "complex128" ? "float64" : "float32");
/** Returns a complex number of two floats. */
export const complexOf = (re: Scalar, im: Scalar): Scalar =>
  call("complex", [re, im], re.dtype === "float64" ? "complex128" : "complex64");

/** One of the parts; for a real number itself, or zero. */
function partOf(z: Scalar, at: 0 | 1): Scalar {
  if (!isComplexDType(z.dtype)) return at === 0 ? z : zeroLike(z);
  if (z.kind === "call" && z.fn === "complex") return z.args[at]!;
  return call(at === 0 ? "real" : "imag", [z], partDType(z.dtype));
}
/** Returns the real and the imaginary part. */
export const partsOfComplex = (z: Scalar): readonly [re: Scalar, im: Scalar] => [partOf(z, 0), partOf(z, 1)];

type Parts = readonly [re: Scalar, im: Scalar];
function product([a, b]: Parts, [c, d]: Parts): Scalar {
  const re = floats("sub", floats("mul", a, c), floats("mul", b, d));
  return complexOf(re, floats("add", floats("mul", a, d), floats("mul", b, c)));
}
/** Smith's division, in which the square of the divisor does not overflow. */
function quotient([a, b]: Parts, [c, d]: Parts): Scalar {
  const isWide = bools("ge", floats("abs", c), floats("abs", d));
  const [most, least] = [choose(isWide, c, d), choose(isWide, d, c)];
  const ratio = floats("div", least, most);
  const scale = floats("reciprocal", floats("add", most, floats("mul", least, ratio)));
  const [first, second] = [choose(isWide, a, b), choose(isWide, b, a)];
  const re = floats("mul", floats("add", first, floats("mul", second, ratio)), scale);
  const across = choose(
    isWide,
    floats("sub", b, floats("mul", a, ratio)),
    floats("sub", floats("mul", b, ratio), a),
  );
  const im = floats("mul", across, scale);
  const zero = zeroLike(c);
  const isZero = bools("and", bools("eq", c, zero), bools("eq", d, zero));
  return complexOf(choose(isZero, floats("div", a, zero), re), choose(isZero, floats("div", b, zero), im));
}

/**
 * Returns a function of complex numbers by their parts; undefined where it has no such form here.
 */
export function complexCall(fn: ScalarFn, args: readonly Scalar[]): Scalar | undefined {
  const [x, y] = args.map(partsOfComplex);
  switch (fn) {
    case "neg":
      return complexOf(floats("neg", x![0]), floats("neg", x![1]));
    case "add":
    case "sub":
      return complexOf(floats(fn, x![0], y![0]), floats(fn, x![1], y![1]));
    case "mul":
      return product(x!, y!);
    case "div":
      return quotient(x!, y!);
    case "reciprocal": {
      const zero = zeroLike(x![0]);
      return quotient([{ ...zero, value: 1 }, zero], x!);
    }
    case "eq":
      return bools("and", bools("eq", x![0], y![0]), bools("eq", x![1], y![1]));
    case "ne":
      return bools("or", bools("ne", x![0], y![0]), bools("ne", x![1], y![1]));
    default:
      return undefined;
  }
}
/** Returns a conversion from or to a complex dtype, given that of floats. */
export function complexCast(
  value: Scalar,
  dtype: DType,
  cast: (value: Scalar, dtype: DType) => Scalar,
): Scalar {
  const parts = partsOfComplex(value);
  if (dtype === "bool") {
    const [re, im] = parts.map((part) => bools("ne", part, zeroLike(part)));
    return bools("or", re!, im!);
  }
  if (!isComplexDType(dtype)) return cast(parts[0], dtype);
  const [re, im] = parts.map((part) => cast(part, partDType(dtype)));
  return complexOf(re!, im!);
}
