/**
 * @file One discrete Fourier transform: mixed radix for small prime factors, Bluestein's algorithm for large
 * ones.
 */

/** Largest prime factor that is transformed by its definition. */
const DIRECT_LIMIT = 31;

/**
 * The transform of interleaved complex numbers, `sum x[k] exp(sign 2 pi i j k / n)`, in an array that the
 * next call may reuse or not; the input stays as it is.
 */
export function transform(x: Float64Array, sign: 1 | -1): Float64Array {
  const n = x.length / 2;
  if (n <= 1) return x.slice();
  const out = new Float64Array(2 * n);
  mixedRadix(x, 0, 1, out, 0, n, sign, rootsOf(n, sign), 1);
  return out;
}

/** `exp(sign 2 pi i k / n)` for all k; the angle is reduced to an eighth turn for exactness at the axes. */
function rootsOf(n: number, sign: 1 | -1): Float64Array {
  const roots = new Float64Array(2 * n);
  for (let k = 0; k < n; k++) {
    const angle = (2 * Math.PI * k) / n;
    roots[2 * k] = 4 * k === n || 4 * k === 3 * n ? 0 : Math.cos(angle);
    roots[2 * k + 1] = 2 * k === n ? 0 : sign * Math.sin(angle);
  }
  return roots;
}

function smallestFactor(n: number): number {
  for (let p = 2; p * p <= n; p++) if (n % p === 0) return p;
  return n;
}

/**
 * Transforms `n` elements of x from `start`, `step` apart, into `out` from `to`. `stride` scales indices into
 * the roots.
 */
function mixedRadix(
  x: Float64Array,
  start: number,
  step: number,
  out: Float64Array,
  to: number,
  n: number,
  sign: 1 | -1,
  roots: Float64Array,
  stride: number,
): void {
  if (n === 1) {
    out[2 * to] = x[2 * start]!;
    out[2 * to + 1] = x[2 * start + 1]!;
    return;
  }
  const radix = smallestFactor(n);
  if (radix > DIRECT_LIMIT) {
    const line = new Float64Array(2 * n);
    for (let i = 0; i < n; i++)
      line.set(x.subarray(2 * (start + i * step), 2 * (start + i * step) + 2), 2 * i);
    out.set(bluestein(line, sign), 2 * to);
    return;
  }
  const part = n / radix;
  for (let r = 0; r < radix; r++) {
    mixedRadix(x, start + r * step, step * radix, out, to + r * part, part, sign, roots, stride * radix);
  }
  combine(out, to, n, radix, roots, stride);
}

/** Joins `radix` transforms of length `n / radix` that lie behind each other. */
function combine(
  out: Float64Array,
  to: number,
  n: number,
  radix: number,
  roots: Float64Array,
  stride: number,
): void {
  const part = n / radix;
  const column = new Float64Array(2 * radix);
  for (let k = 0; k < part; k++) {
    for (let r = 0; r < radix; r++) {
      const at = 2 * (to + r * part + k);
      const root = 2 * (r * k * stride);
      column[2 * r] = out[at]! * roots[root]! - out[at + 1]! * roots[root + 1]!;
      column[2 * r + 1] = out[at]! * roots[root + 1]! + out[at + 1]! * roots[root]!;
    }
    for (let j = 0; j < radix; j++) {
      let [re, im] = [0, 0];
      for (let r = 0; r < radix; r++) {
        const root = 2 * (((j * r) % radix) * part * stride);
        re += column[2 * r]! * roots[root]! - column[2 * r + 1]! * roots[root + 1]!;
        im += column[2 * r]! * roots[root + 1]! + column[2 * r + 1]! * roots[root]!;
      }
      out[2 * (to + j * part + k)] = re;
      out[2 * (to + j * part + k) + 1] = im;
    }
  }
}

/** A transform of any length as a convolution, by transforms of a power of two. */
function bluestein(x: Float64Array, sign: 1 | -1): Float64Array {
  const n = x.length / 2;
  const size = 2 ** Math.ceil(Math.log2(2 * n - 1));
  const chirp = new Float64Array(2 * n);
  for (let k = 0; k < n; k++) {
    const angle = (Math.PI * ((k * k) % (2 * n))) / n;
    chirp[2 * k] = Math.cos(angle);
    chirp[2 * k + 1] = sign * Math.sin(angle);
  }
  const [a, b] = [new Float64Array(2 * size), new Float64Array(2 * size)];
  for (let k = 0; k < n; k++) {
    multiplyTo(a, k, x[2 * k]!, x[2 * k + 1]!, chirp[2 * k]!, chirp[2 * k + 1]!);
    for (const at of k === 0 ? [0] : [k, size - k]) {
      b[2 * at] = chirp[2 * k]!;
      b[2 * at + 1] = -chirp[2 * k + 1]!;
    }
  }
  const [fa, fb] = [transform(a, -1), transform(b, -1)];
  for (let k = 0; k < size; k++) multiplyTo(fa, k, fa[2 * k]!, fa[2 * k + 1]!, fb[2 * k]!, fb[2 * k + 1]!);
  const product = transform(fa, 1);
  const out = new Float64Array(2 * n);
  for (let k = 0; k < n; k++) {
    multiplyTo(out, k, product[2 * k]! / size, product[2 * k + 1]! / size, chirp[2 * k]!, chirp[2 * k + 1]!);
  }
  return out;
}

function multiplyTo(out: Float64Array, k: number, a: number, b: number, c: number, d: number): void {
  out[2 * k] = a * c - b * d;
  out[2 * k + 1] = a * d + b * c;
}
