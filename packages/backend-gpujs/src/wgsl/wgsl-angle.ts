/** @file Functions of angles in WGSL, and powers and remainders, which take exact steps. */
import type { WgslFunction } from "./wgsl-bits.js";

export const ANGLE_FUNCTIONS: Readonly<Record<string, WgslFunction>> = {
  /** The high word of a product. */
  u_mulhi: {
    text: `fn u_mulhi(a: u32, b: u32) -> u32 {
  let al: u32 = a & 0xffffu; let ah: u32 = a >> 16u;
  let bl: u32 = b & 0xffffu; let bh: u32 = b >> 16u;
  let mid: u32 = ah * bl + ((al * bl) >> 16u);
  let low: u32 = al * bh + (mid & 0xffffu);
  return ah * bh + (mid >> 16u) + (low >> 16u);
}`,
  },
  /** A large angle as quadrants and a rest: its mantissa times as many bits of 2/pi as matter. */
  p_reducelarge: {
    uses: ["u_mulhi"],
    text: `var<private> TWO_OVER_PI: array<u32, 7> = array<u32, 7>(
  0u, 0x28be60dbu, 0x9391054au, 0x7f09d5f4u, 0x7d4d3770u, 0x36d8a566u, 0x4f10e410u);
fn p_reducelarge(x: f32) -> vec2<f32> {
  let bits: u32 = bitcast<u32>(x);
  let mantissa: u32 = (bits << 8u) | 0x80000000u;
  let e: u32 = ((bits >> 23u) & 0xffu) - 126u;
  let i: u32 = e >> 5u;
  let s: u32 = e & 31u;
  var hi: u32 = TWO_OVER_PI[i];
  var mid: u32 = TWO_OVER_PI[i + 1u];
  var lo: u32 = TWO_OVER_PI[i + 2u];
  if (s != 0u) {
    hi = (hi << s) | (mid >> (32u - s));
    mid = (mid << s) | (lo >> (32u - s));
    lo = (lo << s) | (TWO_OVER_PI[min(i + 3u, 6u)] >> (32u - s));
  }
  let low: u32 = mantissa * mid + u_mulhi(mantissa, lo);
  let carry: u32 = select(0u, 1u, low < mantissa * mid);
  var high: u32 = mantissa * hi + u_mulhi(mantissa, mid) + carry;
  var q: u32 = high >> 30u;
  high = high & 0x3fffffffu;
  var lower: u32 = low;
  var sign: f32 = 1.0f;
  if ((high & 0x20000000u) != 0u) {
    q = q + 1u;
    lower = 0u - low;
    high = 0x40000000u - high - select(0u, 1u, low != 0u);
    sign = -1.0f;
  }
  let r: f32 = sign * (f32(high) * 1.4629180792671596e-9f + f32(lower) * 3.406121580086556e-19f);
  if ((bits >> 31u) != 0u) { return vec2<f32>(f32((4u - (q & 3u)) & 3u), -r); }
  return vec2<f32>(f32(q & 3u), r);
}`,
  },
  /** The quadrant, modulo 4, and what is left, at most pi/4. */
  p_reduce: {
    uses: ["p_reducelarge"],
    text: `fn p_reduce(x: f32) -> vec2<f32> {
  if (abs(x) > 8192.0f) { return p_reducelarge(x); }
  let n: f32 = round(x * 0.636619772367581f);
  let r: f32 = ((x - n * 1.5703125f) - n * 4.837512969970703125e-4f) - n * 7.549789948768648e-8f;
  return vec2<f32>(f32(i32(n) & 3i), r);
}`,
  },
  p_sin: {
    text: `fn p_sin(r: f32) -> f32 {
  let z: f32 = r * r;
  return ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * r + r;
}`,
  },
  p_cos: {
    text: `fn p_cos(r: f32) -> f32 {
  let z: f32 = r * r;
  return ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z - 0.5f * z + 1.0f;
}`,
  },
  p_turned: {
    uses: ["p_sin", "p_cos"],
    text: `fn p_turned(quarter: i32, r: f32) -> f32 {
  let value: f32 = select(p_sin(r), p_cos(r), (quarter & 1i) != 0i);
  return select(value, -value, (quarter & 2i) != 0i);
}`,
  },
  p_finite: {
    text: "fn p_finite(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) < 0x7f800000u; }",
  },
  f_sin: {
    uses: ["p_reduce", "p_turned", "p_finite", "f_nan"],
    text: `fn f_sin(x: f32) -> f32 {
  if (!p_finite(x)) { return f_nan(); }
  if (abs(x) < 3.0e-4f) { return x; }
  let p: vec2<f32> = p_reduce(x);
  return p_turned(i32(p.x), p.y);
}`,
  },
  f_cos: {
    uses: ["p_reduce", "p_turned", "p_finite", "f_nan"],
    text: `fn f_cos(x: f32) -> f32 {
  if (!p_finite(x)) { return f_nan(); }
  let p: vec2<f32> = p_reduce(x);
  return p_turned(i32(p.x) + 1i, p.y);
}`,
  },
  f_tan: {
    uses: ["f_sin", "f_cos"],
    text: `fn f_tan(x: f32) -> f32 {
  if (abs(x) < 2.0e-4f) { return x; }
  return f_sin(x) / f_cos(x);
}`,
  },
  f_atan: {
    uses: ["f_withsign"],
    text: `fn f_atan(x: f32) -> f32 {
  var t: f32 = abs(x);
  var y: f32 = 0.0f;
  if (t > 2.414213562373095f) {
    y = 1.5707963267948966f;
    t = -1.0f / t;
  } else if (t > 0.4142135623730950f) {
    y = 0.7853981633974483f;
    t = (t - 1.0f) / (t + 1.0f);
  }
  let z: f32 = t * t;
  let p: f32 = (((8.05374449538e-2f * z - 1.38776856032e-1f) * z + 1.99777106478e-1f) * z - 3.33329491539e-1f) * z * t + t;
  return f_withsign(y + p, x);
}`,
  },
  f_atan2: {
    uses: ["f_atan", "f_div", "f_isnan", "f_isinf", "f_size", "f_truth", "f_withsign"],
    text: `fn f_atan2(y: f32, x: f32) -> f32 {
  if (f_isnan(y)) { return y; }
  if (f_isnan(x)) { return x; }
  let ay: f32 = f_size(y);
  let ax: f32 = f_size(x);
  var angle: f32 = 0.0f;
  if (f_isinf(y) && f_isinf(x)) { angle = 0.7853981633974483f; }
  else if (f_isinf(x) || !f_truth(y)) { angle = 0.0f; }
  else if (f_isinf(y) || !f_truth(x)) { angle = 1.5707963267948966f; }
  else if (ay > ax) { angle = 1.5707963267948966f - f_atan(f_div(ax, ay)); }
  else { angle = f_atan(f_div(ay, ax)); }
  if ((bitcast<u32>(x) >> 31u) != 0u) { angle = 3.141592653589793f - angle; }
  return f_withsign(angle, y);
}`,
  },
  /** The arc sine of half an octant: `s` is the sine, `z` its square. */
  p_asin: {
    text: `fn p_asin(s: f32, z: f32) -> f32 {
  return ((((4.2163199048e-2f * z + 2.4181311049e-2f) * z + 4.5470025998e-2f) * z + 7.4953002686e-2f) * z
    + 1.6666752422e-1f) * z * s + s;
}`,
  },
  f_asin: {
    uses: ["p_asin", "f_nan", "f_withsign"],
    text: `fn f_asin(x: f32) -> f32 {
  let t: f32 = abs(x);
  if (!(t <= 1.0f)) { return f_nan(); }
  if (t <= 0.5f) { return p_asin(x, x * x); }
  let z: f32 = 0.5f * (1.0f - t);
  return f_withsign(1.5707963267948966f - 2.0f * p_asin(sqrt(z), z), x);
}`,
  },
  f_acos: {
    uses: ["p_asin", "f_nan"],
    text: `fn f_acos(x: f32) -> f32 {
  let t: f32 = abs(x);
  if (!(t <= 1.0f)) { return f_nan(); }
  if (t <= 0.5f) { return 1.5707963267948966f - p_asin(x, x * x); }
  let z: f32 = 0.5f * (1.0f - t);
  let a: f32 = 2.0f * p_asin(sqrt(z), z);
  return select(a, 3.141592653589793f - a, x < 0.0f);
}`,
  },
  /** Whether signs differ, those of numbers too that count as zeros where subnormal ones do. */
  f_differ: {
    text: "fn f_differ(a: f32, b: f32) -> bool { return ((bitcast<u32>(a) ^ bitcast<u32>(b)) >> 31u) != 0u; }",
  },
  /** C's remainder, exact: long division of the mantissas. */
  f_fmod: {
    uses: ["f_isnan", "f_nan"],
    text: `fn f_fmod(a: f32, b: f32) -> f32 {
  let ia: u32 = bitcast<u32>(a) & 0x7fffffffu;
  let ib: u32 = bitcast<u32>(b) & 0x7fffffffu;
  if (ib == 0u || ia >= 0x7f800000u || ib > 0x7f800000u) { return f_nan(); }
  if (ia < ib) { return a; }
  var ea: i32 = i32(ia >> 23u);
  let eb: i32 = max(i32(ib >> 23u), 1i);
  var ma: u32 = select((ia & 0x7fffffu) | 0x800000u, ia, ea == 0i);
  let mb: u32 = select((ib & 0x7fffffu) | 0x800000u, ib, ib < 0x800000u);
  ea = max(ea, 1i);
  ma = ma % mb;
  while (ea > eb) {
    if (ma >= mb) { ma = ma - mb; }
    ma = ma << 1u;
    ea = ea - 1i;
  }
  // A subnormal divisor may be much smaller.
  ma = ma % mb;
  let sign: u32 = bitcast<u32>(a) & 0x80000000u;
  if (ma == 0u) { return bitcast<f32>(sign); }
  while (ma < 0x800000u && ea > 1i) {
    ma = ma << 1u;
    ea = ea - 1i;
  }
  if (ma < 0x800000u) { return bitcast<f32>(sign | ma); }
  return bitcast<f32>(sign | (u32(ea) << 23u) | (ma & 0x7fffffu));
}`,
  },
  f_remainder: {
    uses: ["f_fmod", "f_truth", "f_differ"],
    text: `fn f_remainder(a: f32, b: f32) -> f32 {
  let r: f32 = f_fmod(a, b);
  return select(r, r + b, f_truth(r) && f_differ(r, b));
}`,
  },
  /** `div_floor_floating` of PyTorch's `c10/util/generic_math.h`. */
  f_floordiv: {
    uses: ["f_fmod", "f_div", "f_truth", "f_isnan", "f_differ", "f_withsign"],
    text: `fn f_floordiv(a: f32, b: f32) -> f32 {
  if (!f_truth(b)) { return f_div(a, b); }
  let r: f32 = f_fmod(a, b);
  if (f_isnan(r)) { return r; }
  // The rest by a subnormal divisor counts as zero.
  if ((bitcast<u32>(b) & 0x7f800000u) == 0u) { return floor(f_div(a, b)); }
  var q: f32 = f_div(a - r, b);
  if (f_truth(r) && f_differ(r, b)) { q = q - 1.0f; }
  if (!f_truth(q)) { return f_withsign(0.0f, bitcast<f32>(bitcast<u32>(a) ^ bitcast<u32>(b))); }
  let low: f32 = floor(q);
  return select(low, low + 1.0f, q - low > 0.5f);
}`,
  },
  f_truncdiv: {
    uses: ["f_div"],
    text: "fn f_truncdiv(a: f32, b: f32) -> f32 { return trunc(f_div(a, b)); }",
  },
  /** A positive base to any power that is finite. */
  p_pow: {
    uses: ["p_log", "p_exp", "f_scale", "f_inf"],
    text: `fn p_pow(x: f32, b: f32) -> f32 {
  if (abs(b) <= 32.0f && floor(b) == b) {
    var result: f32 = 1.0f;
    var square: f32 = x;
    var left: i32 = i32(abs(b));
    while (left > 0i) {
      if ((left & 1i) != 0i) { result = result * square; }
      square = square * square;
      left = left >> 1u;
    }
    if (b > 0.0f) { return result; }
    if (result > 1.0e-37f && result < 1.0e37f) { return 1.0f / result; }
  }
  let p: vec2<f32> = p_log(x);
  let part: f32 = p.y * 1.44269504088896341f;
  let rough: f32 = b * (p.x + part);
  if (rough > 129.0f) { return f_inf(); }
  if (rough < -151.0f) { return 0.0f; }
  let n: f32 = round(rough);
  let bh: f32 = bitcast<f32>(bitcast<u32>(b) & 0xfffff000u);
  let f: f32 = ((bh * p.x - n) + (b - bh) * p.x) + b * part;
  let r: f32 = f * 0.693147180559945f;
  return f_scale(p_exp(r) * r * r + r + 1.0f, i32(n));
}`,
  },
  f_pow: {
    uses: ["p_pow", "f_isnan", "f_isinf", "f_size", "f_truth", "f_inf", "f_nan", "f_withsign"],
    text: `fn f_pow(a: f32, b: f32) -> f32 {
  if (!f_truth(b) || bitcast<u32>(a) == 0x3f800000u) { return 1.0f; }
  if (f_isnan(a)) { return a; }
  if (f_isnan(b)) { return b; }
  // Signs are bits: a subnormal number may be less than zero in no comparison.
  let isDown: bool = (bitcast<u32>(b) >> 31u) != 0u;
  let isWhole: bool = floor(b) == b && (bitcast<u32>(b) & 0x7f800000u) != 0u;
  let isOdd: bool = isWhole && abs(b) < 16777216.0f && (i32(b) & 1i) != 0i;
  let sign: f32 = select(1.0f, a, isOdd);
  let t: f32 = f_size(a);
  if (!f_truth(a)) { return f_withsign(select(0.0f, f_inf(), isDown), sign); }
  if (f_isinf(b)) {
    if (bitcast<u32>(t) == 0x3f800000u) { return 1.0f; }
    return select(0.0f, f_inf(), (t > 1.0f) != isDown);
  }
  if (f_isinf(a)) { return f_withsign(select(f_inf(), 0.0f, isDown), sign); }
  if ((bitcast<u32>(a) >> 31u) != 0u && !isWhole) { return f_nan(); }
  return f_withsign(p_pow(t, b), sign);
}`,
  },
};
