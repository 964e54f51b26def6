/**
 * @file WGSL functions on bits, for what WGSL does not promise: compilers may assume that there are
 * no NaN and infinities, and constant expressions may not give any, so both are tested and made as
 * bit patterns.
 */

/** A function of our own in WGSL, and those that it calls. */
export interface WgslFunction {
  readonly uses?: readonly string[];
  readonly text: string;
}

export const BIT_FUNCTIONS: Readonly<Record<string, WgslFunction>> = {
  f_inf: {
    text: `var<private> INF_BITS: u32 = 0x7f800000u;
fn f_inf() -> f32 { return bitcast<f32>(INF_BITS); }`,
  },
  f_nan: {
    text: `var<private> NAN_BITS: u32 = 0x7fc00000u;
fn f_nan() -> f32 { return bitcast<f32>(NAN_BITS); }`,
  },
  f_isnan: {
    text: "fn f_isnan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }",
  },
  f_isinf: {
    text: "fn f_isinf(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u; }",
  },
  /** Integers in the order of floats: zeros are equal, NaN is the greatest. */
  f_order: {
    text: `fn f_order(x: f32) -> i32 {
  let size = bitcast<i32>(x) & 0x7fffffffi;
  if (size > 0x7f800000i) { return 0x7fffffffi; }
  return select(size, -size, bitcast<i32>(x) < 0i);
}`,
  },
  /** Half to even, as a function where the language's own is another. */
  f_round: { text: "fn f_round(x: f32) -> f32 { return round(x); }" },
  /** The magnitude; an adapter's own may replace a subnormal number by zero. */
  f_size: {
    text: "fn f_size(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0x7fffffffu); }",
  },
  f_truth: {
    text: "fn f_truth(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) != 0u; }",
  },
  f_withsign: {
    text: `fn f_withsign(x: f32, sign: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(sign) & 0x80000000u));
}`,
  },
  f_minuszero: {
    text: `var<private> SIGN_BIT: u32 = 0x80000000u;
fn f_minuszero() -> f32 { return bitcast<f32>(SIGN_BIT); }`,
  },
  /** `x + 0`, which compilers take for `x`: only a negative zero is another. */
  f_pluszero: {
    text: "fn f_pluszero(x: f32) -> f32 { return bitcast<f32>(select(bitcast<u32>(x), 0u, bitcast<u32>(x) == 0x80000000u)); }",
  },
  /**
   * A product. Where subnormal numbers count as zeros, an infinity times one of them stays infinite
   * nevertheless.
   */
  f_mul: {
    uses: ["f_isnan", "f_isinf", "f_truth", "f_inf"],
    text: `fn f_mul(a: f32, b: f32) -> f32 {
  let product: f32 = a * b;
  if (!f_isnan(product) || !((f_isinf(a) && f_truth(b)) || (f_isinf(b) && f_truth(a))) || f_isnan(a) || f_isnan(b)) {
    return product;
  }
  return bitcast<f32>(bitcast<u32>(f_inf()) | ((bitcast<u32>(a) ^ bitcast<u32>(b)) & 0x80000000u));
}`,
  },
  /**
   * `x` times a subnormal number, which is given as its product with 2^64: compilers that take
   * subnormal constants for zeros may make the product that constant, whatever `x` is.
   */
  f_tiny: {
    text: `fn f_tiny(x: f32, scaled: f32) -> f32 {
  let large: u32 = bitcast<u32>(x * scaled);
  let size: u32 = large & 0x7fffffffu;
  if (size >= 0x7f800000u) { return bitcast<f32>(large); }
  let e: u32 = size >> 23u;
  if (e > 64u) { return bitcast<f32>(large - 0x20000000u); }
  if (e < 41u) { return bitcast<f32>(large & 0x80000000u); }
  let shift: u32 = 65u - e;
  let mantissa: u32 = (size & 0x7fffffu) | 0x800000u;
  let even: u32 = (mantissa >> shift) & 1u;
  return bitcast<f32>((large & 0x80000000u) | ((mantissa + (1u << (shift - 1u)) - 1u + even) >> shift));
}`,
  },
  /**
   * `x` times a zero that compilers know: they would make it zero, even where `x` is NaN or
   * infinite.
   */
  f_known_zero: {
    uses: ["f_nan"],
    text: `fn f_known_zero(x: f32, zero: f32) -> f32 {
  if ((bitcast<u32>(x) & 0x7fffffffu) >= 0x7f800000u) { return f_nan(); }
  return bitcast<f32>((bitcast<u32>(x) ^ bitcast<u32>(zero)) & 0x80000000u);
}`,
  },
  /**
   * NaN is tested for in both: compilers take the choice by a comparison for their own greatest of
   * two, which is the one that is a number.
   */
  f_max: {
    uses: ["f_isnan"],
    text: `fn f_max(a: f32, b: f32) -> f32 {
  return select(select(select(a, b, b > a), b, f_isnan(b)), a, f_isnan(a));
}`,
  },
  f_min: {
    uses: ["f_isnan"],
    text: `fn f_min(a: f32, b: f32) -> f32 {
  return select(select(select(a, b, b < a), b, f_isnan(b)), a, f_isnan(a));
}`,
  },
  /**
   * Python's and C's rounding of floats to integers: NaN and what does not fit give the smallest.
   */
  f_toint: {
    text: `fn f_toint(x: f32) -> i32 {
  if (x >= -2147483648.0f && x < 2147483648.0f) { return i32(x); }
  return -2147483647i - 1i;
}`,
  },
  /** Rounded to half precision, ties to even. */
  f_half: {
    uses: ["f_inf"],
    text: `fn f_half(x: f32) -> f32 {
  let bits: u32 = bitcast<u32>(x);
  let size: u32 = bits & 0x7fffffffu;
  if (size >= 0x7f800000u) { return x; }
  if (size >= 0x477ff000u) { return bitcast<f32>((bits & 0x80000000u) | bitcast<u32>(f_inf())); }
  if (size < 0x38800000u) {
    let steps: u32 = u32(round(bitcast<f32>(size) * 16777216.0f));
    return bitcast<f32>((bits & 0x80000000u) | bitcast<u32>(f32(steps) * 5.9604644775390625e-8f));
  }
  return bitcast<f32>((bits & 0x80000000u) | ((size + 0xfffu + ((size >> 13u) & 1u)) & 0xffffe000u));
}`,
  },
  /** Rounded to bfloat16, ties to even. */
  f_brain: {
    text: `fn f_brain(x: f32) -> f32 {
  let bits: u32 = bitcast<u32>(x);
  if ((bits & 0x7fffffffu) >= 0x7f800000u) { return x; }
  return bitcast<f32>((bits + 0x7fffu + ((bits >> 16u) & 1u)) & 0xffff0000u);
}`,
  },
  /** `x * 2^n`, in two steps so that neither factor overflows. */
  f_scale: {
    text: `fn f_scale(x: f32, n: i32) -> f32 {
  let part: i32 = n >> 1u;
  return x * bitcast<f32>(u32(part + 127i) << 23u) * bitcast<f32>(u32(n - part + 127i) << 23u);
}`,
  },
  i_floordiv: {
    text: `fn i_floordiv(a: i32, b: i32) -> i32 {
  let q: i32 = a / b;
  return select(q, q - 1i, q * b != a && (a < 0i) != (b < 0i));
}`,
  },
  i_remainder: {
    text: `fn i_remainder(a: i32, b: i32) -> i32 {
  let r: i32 = a % b;
  return select(r, r + b, r != 0i && (r < 0i) != (b < 0i));
}`,
  },
  i_truncdiv: { text: "fn i_truncdiv(a: i32, b: i32) -> i32 { return a / b; }" },
  i_fmod: { text: "fn i_fmod(a: i32, b: i32) -> i32 { return a % b; }" },
  i_left: {
    text: `fn i_left(a: i32, b: i32) -> i32 {
  return select(a << u32(b & 31i), 0i, b < 0i || b > 31i);
}`,
  },
  i_right: {
    text: "fn i_right(a: i32, b: i32) -> i32 { return a >> select(u32(b), 31u, b < 0i || b > 31i); }",
  },
  i_pow: {
    text: `fn i_pow(a: i32, b: i32) -> i32 {
  if (b < 0i) { return select(select(0i, select(1i, -1i, (b & 1i) != 0i), a == -1i), 1i, a == 1i); }
  var result: i32 = 1i;
  var square: i32 = a;
  var left: i32 = b;
  while (left > 0i) {
    if ((left & 1i) != 0i) { result = result * square; }
    square = square * square;
    left = left >> 1u;
  }
  return result;
}`,
  },
};
