/**
 * @file Functions of floats in WGSL. WGSL's own are too coarse near zero (sine by an absolute
 * 2^-11, for one), so these are built on arithmetic alone: argument reductions and polynomials of
 * S. Moshier's Cephes library (single precision), the error function and the reduction of large
 * angles after N. Juffa.
 */
import type { WgslFunction } from "./wgsl-bits.js";

export const MATH_FUNCTIONS: Readonly<Record<string, WgslFunction>> = {
  /** `e^r - 1 - r` over `r^2` for small `r`. */
  p_exp: {
    text: `fn p_exp(r: f32) -> f32 {
  return ((((1.9875691500e-4f * r + 1.3981999507e-3f) * r + 8.3334519073e-3f) * r + 4.1665795894e-2f) * r
    + 1.6666665459e-1f) * r + 5.0000001201e-1f;
}`,
  },
  /** `e^x * 2^by` for an `x` of moderate size. */
  p_expscaled: {
    uses: ["f_scale", "p_exp"],
    text: `fn p_expscaled(x: f32, by: i32) -> f32 {
  let n: f32 = round(x * 1.44269504088896341f);
  let r: f32 = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  return f_scale(p_exp(r) * r * r + r + 1.0f, i32(n) + by);
}`,
  },
  f_exp: {
    uses: ["f_isnan", "f_inf", "p_expscaled"],
    text: `fn f_exp(x: f32) -> f32 {
  if (f_isnan(x)) { return x; }
  if (x > 89.0f) { return f_inf(); }
  if (x < -104.0f) { return 0.0f; }
  return p_expscaled(x, 0i);
}`,
  },
  /** Half an exponential, which is finite for a little more than an exponential. */
  p_exphalf: {
    uses: ["f_isnan", "f_inf", "p_expscaled"],
    text: `fn p_exphalf(x: f32) -> f32 {
  if (f_isnan(x)) { return x; }
  if (x > 90.0f) { return f_inf(); }
  return p_expscaled(x, -1i);
}`,
  },
  f_exp2: {
    uses: ["f_isnan", "f_inf", "f_scale", "p_exp"],
    text: `fn f_exp2(x: f32) -> f32 {
  if (f_isnan(x)) { return x; }
  if (x > 129.0f) { return f_inf(); }
  if (x < -151.0f) { return 0.0f; }
  let n: f32 = round(x);
  let r: f32 = (x - n) * 0.693147180559945f;
  return f_scale(p_exp(r) * r * r + r + 1.0f, i32(n));
}`,
  },
  f_expm1: {
    uses: ["f_exp", "p_exp"],
    text: `fn f_expm1(x: f32) -> f32 {
  if (abs(x) < 2.9e-8f) { return x; }
  if (abs(x) < 0.5f) { return p_exp(x) * x * x + x; }
  return f_exp(x) - 1.0f;
}`,
  },
  /** Exponent and logarithm of the mantissa, which is between the roots of 1/2 and 2. */
  p_log: {
    text: `fn p_log(x: f32) -> vec2<f32> {
  var bits: u32 = bitcast<u32>(x);
  var e: i32 = 0i;
  if (bits < 0x00800000u) {
    let shift: u32 = countLeadingZeros(bits) - 8u;
    bits = bits << shift;
    e = 1i - i32(shift) - i32(bits >> 23u);
  }
  let k: i32 = i32(bits - 0x3f3504f3u) >> 23u;
  let f: f32 = bitcast<f32>(bits - (u32(k) << 23u)) - 1.0f;
  let z: f32 = f * f;
  var y: f32 = ((((((((7.0376836292e-2f * f - 1.1514610310e-1f) * f + 1.1676998740e-1f) * f - 1.2420140846e-1f) * f
    + 1.4249322787e-1f) * f - 1.6668057665e-1f) * f + 2.0000714765e-1f) * f - 2.4999993993e-1f) * f
    + 3.3333331174e-1f) * f * z;
  return vec2<f32>(f32(k + e), f + (y - 0.5f * z));
}`,
  },
  /** What logarithms are where they have no value; 1 elsewhere. */
  p_logdomain: {
    uses: ["f_isnan", "f_isinf", "f_nan", "f_inf", "f_truth"],
    text: `fn p_logdomain(x: f32) -> f32 {
  if (f_isnan(x)) { return x; }
  if (!f_truth(x)) { return -f_inf(); }
  if ((bitcast<u32>(x) >> 31u) != 0u) { return f_nan(); }
  if (f_isinf(x)) { return x; }
  return 1.0f;
}`,
  },
  f_log: {
    uses: ["p_log", "p_logdomain"],
    text: `fn f_log(x: f32) -> f32 {
  let special: f32 = p_logdomain(x);
  if (bitcast<u32>(special) != 0x3f800000u) { return special; }
  let p: vec2<f32> = p_log(x);
  return (p.y + p.x * -2.12194440e-4f) + p.x * 0.693359375f;
}`,
  },
  f_log2: {
    uses: ["p_log", "p_logdomain"],
    text: `fn f_log2(x: f32) -> f32 {
  let special: f32 = p_logdomain(x);
  if (bitcast<u32>(special) != 0x3f800000u) { return special; }
  let p: vec2<f32> = p_log(x);
  return p.x + p.y * 1.44269504088896341f;
}`,
  },
  f_log10: {
    uses: ["p_log", "p_logdomain"],
    text: `fn f_log10(x: f32) -> f32 {
  let special: f32 = p_logdomain(x);
  if (bitcast<u32>(special) != 0x3f800000u) { return special; }
  let p: vec2<f32> = p_log(x);
  return (p.x * 4.605038981195214e-6f + p.y * 0.4342944819032518f) + p.x * 0.301025390625f;
}`,
  },
  f_log1p: {
    uses: ["f_log"],
    text: `fn f_log1p(x: f32) -> f32 {
  if (abs(x) < 2.9e-8f) { return x; }
  if (abs(x) < 0.4f) {
    let s: f32 = x / (2.0f + x);
    let z: f32 = s * s;
    return 2.0f * s + 2.0f * s * z * (0.333333333f + z * (0.2f + z * (0.142857143f + z * (0.111111111f + z * 0.0909090909f))));
  }
  return f_log(1.0f + x);
}`,
  },
  /** The nearest float, as for quotients: adapters are allowed to be some units off. */
  f_sqrt: {
    uses: ["f_isnan", "f_nan", "f_truth", "f_isinf", "p_rest"],
    text: `fn f_sqrt(x: f32) -> f32 {
  if (!f_truth(x) || f_isnan(x)) { return x; }
  if ((bitcast<u32>(x) >> 31u) != 0u) { return f_nan(); }
  if (f_isinf(x)) { return x; }
  var root: u32 = bitcast<u32>(sqrt(x));
  if (bitcast<u32>(x) < 0x00800000u || root < 0x00800000u) { return bitcast<f32>(root); }
  var left: i32 = 4i;
  while (left > 0i) {
    let rest: i32 = p_rest(x, root, root);
    let size: i32 = i32((root & 0x7fffffu) | 0x800000u);
    left = left - 1i;
    if (rest > size) { root = root + 1u; }
    else if (rest < 0i && -rest * select(1i, 2i, size == 8388608i) >= size) { root = root - 1u; }
    else { left = 0i; }
  }
  return bitcast<f32>(root);
}`,
  },
  f_rsqrt: {
    uses: ["f_sqrt", "f_div"],
    text: "fn f_rsqrt(x: f32) -> f32 { return f_div(1.0f, f_sqrt(x)); }",
  },
  /**
   * `a - b * q` in units of the last bit of the product of the mantissas. It is small, so that its
   * lower word is enough.
   */
  p_rest: {
    text: `fn p_rest(a: f32, b: u32, q: u32) -> i32 {
  let whole: u32 = bitcast<u32>(a);
  let shift: u32 = ((whole >> 23u) & 0xffu) + 150u - ((q >> 23u) & 0xffu) - ((b >> 23u) & 0xffu);
  let product: u32 = ((q & 0x7fffffu) | 0x800000u) * ((b & 0x7fffffu) | 0x800000u);
  return i32((((whole & 0x7fffffu) | 0x800000u) << (shift & 31u)) - product);
}`,
  },
  /** A quotient to the nearest float, by a divisor of which WGSL says how exact it is. */
  p_quotient: {
    uses: ["p_rest"],
    text: `fn p_quotient(a: f32, b: f32) -> f32 {
  let by: u32 = bitcast<u32>(b) & 0x7fffffffu;
  var q: u32 = bitcast<u32>(a / b);
  let size: u32 = q & 0x7fffffffu;
  let given: u32 = bitcast<u32>(a) & 0x7fffffffu;
  if (given < 0x00800000u || given >= 0x7f800000u || size < 0x01000000u || size >= 0x7f800000u) {
    return bitcast<f32>(q);
  }
  let unit: i32 = i32((by & 0x7fffffu) | 0x800000u);
  var left: i32 = 4i;
  while (left > 0i) {
    let rest: i32 = p_rest(a, by, q);
    left = left - 1i;
    if (rest * 2i > unit) { q = q + 1u; }
    else if (rest < 0i && -rest * select(2i, 4i, (q & 0x7fffffu) == 0u) > unit) { q = q - 1u; }
    else { left = 0i; }
  }
  return bitcast<f32>(q);
}`,
  },
  /**
   * Division to the nearest float. WGSL lets quotients be off by 2.5 units of the last place, so
   * that `x / x` may be less than 1, and leaves open what comes of divisors that are zero,
   * subnormal, very large or infinite.
   */
  f_div: {
    uses: ["p_divedge", "p_quotient"],
    text: `fn f_div(a: f32, b: f32) -> f32 {
  let by: u32 = bitcast<u32>(b) & 0x7fffffffu;
  if (by < 0x00800000u || by > 0x7e800000u) { return p_divedge(a, b); }
  return p_quotient(a, b);
}`,
  },
  /** By such a divisor. A subnormal one is its bits as a number, times 2^-149. */
  p_divedge: {
    uses: ["f_isnan", "f_isinf", "f_truth", "f_inf", "f_nan", "f_withsign", "p_quotient"],
    text: `fn p_divedge(a: f32, b: f32) -> f32 {
  if (f_isnan(a)) { return a; }
  if (f_isnan(b)) { return b; }
  let sign: f32 = bitcast<f32>(bitcast<u32>(a) ^ bitcast<u32>(b));
  if (f_isinf(a) || !f_truth(b)) {
    if (f_isinf(b) || !f_truth(a)) { return f_nan(); }
    return f_withsign(f_inf(), sign);
  }
  if (f_isinf(b) || !f_truth(a)) { return f_withsign(0.0f, sign); }
  let low: u32 = bitcast<u32>(a) & 0x7fffffffu;
  let by: u32 = bitcast<u32>(b) & 0x7fffffffu;
  if (by >= 0x00800000u) { return p_quotient(a * 0.0625f, b * 0.0625f); }
  if (low < 0x00800000u) { return f_withsign(f32(low) / f32(by), sign); }
  let part: f32 = min(abs(a), 1.152921504606846976e18f) * 1.8446744073709551616e19f / f32(by);
  if (part >= 8.796093022208e12f) { return f_withsign(f_inf(), sign); }
  return f_withsign(part * 3.8685626227668134e25f, sign);
}`,
  },
  f_sigmoid: {
    uses: ["f_exp"],
    text: "fn f_sigmoid(x: f32) -> f32 { return 1.0f / (1.0f + f_exp(-x)); }",
  },
  f_sinh: {
    uses: ["p_exphalf", "f_expm1", "f_withsign"],
    text: `fn f_sinh(x: f32) -> f32 {
  let t: f32 = abs(x);
  if (t < 1.0f) {
    let e: f32 = f_expm1(t);
    return f_withsign(0.5f * (e + e / (e + 1.0f)), x);
  }
  let h: f32 = p_exphalf(t);
  if (t > 20.0f) { return f_withsign(h, x); }
  return f_withsign(h - 0.25f / h, x);
}`,
  },
  f_cosh: {
    uses: ["p_exphalf"],
    text: `fn f_cosh(x: f32) -> f32 {
  let t: f32 = abs(x);
  let h: f32 = p_exphalf(t);
  if (t > 20.0f) { return h; }
  return h + 0.25f / h;
}`,
  },
  f_tanh: {
    uses: ["f_expm1", "f_withsign"],
    text: `fn f_tanh(x: f32) -> f32 {
  let t: f32 = abs(x);
  if (t > 10.0f) { return f_withsign(1.0f, x); }
  let e: f32 = f_expm1(2.0f * t);
  return f_withsign(e / (e + 2.0f), x);
}`,
  },
  f_asinh: {
    uses: ["f_log", "f_log1p", "f_withsign"],
    text: `fn f_asinh(x: f32) -> f32 {
  let t: f32 = abs(x);
  if (t > 1.0e9f) { return f_withsign(f_log(t) + 0.693147180559945f, x); }
  return f_withsign(f_log1p(t + t * t / (1.0f + sqrt(t * t + 1.0f))), x);
}`,
  },
  f_acosh: {
    uses: ["f_log", "f_log1p", "f_nan"],
    text: `fn f_acosh(x: f32) -> f32 {
  if (!(x >= 1.0f)) { return f_nan(); }
  if (x > 1.0e9f) { return f_log(x) + 0.693147180559945f; }
  let t: f32 = x - 1.0f;
  return f_log1p(t + sqrt(2.0f * t + t * t));
}`,
  },
  f_atanh: {
    uses: ["f_log1p", "f_div", "f_withsign"],
    text: `fn f_atanh(x: f32) -> f32 {
  let t: f32 = abs(x);
  return f_withsign(0.5f * f_log1p(f_div(2.0f * t, 1.0f - t)), x);
}`,
  },
  f_erf: {
    uses: ["f_exp", "f_withsign"],
    text: `fn f_erf(x: f32) -> f32 {
  let t: f32 = abs(x);
  let s: f32 = x * x;
  if (t > 4.0f) { return f_withsign(1.0f, x); }
  if (t > 0.927734375f) {
    var r: f32 = -1.72853470e-5f * t + 3.83197126e-4f;
    let u: f32 = -3.88396438e-3f * t + 2.42546219e-2f;
    r = r * s + u;
    r = r * t + -1.06777877e-1f;
    r = r * t + -6.34846687e-1f;
    r = r * t + -1.28717512e-1f;
    r = r * t - t;
    return f_withsign(1.0f - f_exp(r), x);
  }
  let p: f32 = ((((-5.96761703e-4f * s + 4.99119423e-3f) * s + -2.67681349e-2f) * s + 1.12819925e-1f) * s
    + -3.76125336e-1f) * s + 1.28379166e-1f;
  return p * x + x;
}`,
  },
};
