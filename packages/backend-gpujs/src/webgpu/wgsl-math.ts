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
  f_exp: {
    uses: ["f_isnan", "f_inf", "f_scale", "p_exp"],
    text: `fn f_exp(x: f32) -> f32 {
  if (f_isnan(x)) { return x; }
  if (x > 89.0f) { return f_inf(); }
  if (x < -104.0f) { return 0.0f; }
  let n: f32 = round(x * 1.44269504088896341f);
  let r: f32 = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  return f_scale(p_exp(r) * r * r + r + 1.0f, i32(n));
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
  f_sqrt: {
    uses: ["f_nan", "f_truth", "f_isinf"],
    text: `fn f_sqrt(x: f32) -> f32 {
  if (!f_truth(x)) { return x; }
  if ((bitcast<u32>(x) >> 31u) != 0u) { return f_nan(); }
  if (f_isinf(x)) { return x; }
  return sqrt(x);
}`,
  },
  f_rsqrt: {
    uses: ["f_sqrt", "f_div"],
    text: "fn f_rsqrt(x: f32) -> f32 { return f_div(1.0f, f_sqrt(x)); }",
  },
  /**
   * Division; WGSL leaves open what comes of divisors that are zero, subnormal, very large or
   * infinite.
   */
  f_div: {
    uses: ["p_divedge"],
    text: `fn f_div(a: f32, b: f32) -> f32 {
  let size: u32 = bitcast<u32>(b) & 0x7fffffffu;
  if (size >= 0x00800000u && size <= 0x7e800000u) { return a / b; }
  return p_divedge(a, b);
}`,
  },
  /** By such a divisor. A subnormal one is its bits as a number, times 2^-149. */
  p_divedge: {
    uses: ["f_isnan", "f_isinf", "f_truth", "f_inf", "f_nan", "f_withsign"],
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
  if (by >= 0x00800000u) { return (a * 0.0625f) / (b * 0.0625f); }
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
    uses: ["f_exp", "f_expm1", "f_withsign"],
    text: `fn f_sinh(x: f32) -> f32 {
  let t: f32 = abs(x);
  if (t < 1.0f) {
    let e: f32 = f_expm1(t);
    return f_withsign(0.5f * (e + e / (e + 1.0f)), x);
  }
  let h: f32 = f_exp(0.5f * t);
  return f_withsign(0.5f * h * h - 0.5f / h / h, x);
}`,
  },
  f_cosh: {
    uses: ["f_exp"],
    text: `fn f_cosh(x: f32) -> f32 {
  let h: f32 = f_exp(0.5f * abs(x));
  return 0.5f * h * h + 0.5f / h / h;
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
