/**
 * @file One discrete Fourier transform: mixed radix where all prime factors are small (Stockham's
 * order, so that nothing is permuted), else Bluestein's algorithm.
 */
import { requireMemory } from "@sconce/tensor";
import { scratch } from "../kernel/scratch.js";

/** Largest prime factor that is transformed by its definition. */
const DIRECT_LIMIT = 31;

/**
 * The transform of interleaved complex numbers, `sum x[k] exp(sign 2 pi i j k / n)`. The result is
 * the plan's own memory, which its next run overwrites; the input stays as it is.
 */
export type LineTransform = (x: Float64Array) => Float64Array;

/**
 * Returns the transform of lines of `n` numbers; roots and memory are made once for all lines.
 * @throws RangeError when its arrays together are more than the memory that is left
 */
export function planTransform(n: number, sign: 1 | -1): LineTransform {
  if (n <= 1) return (x) => x;
  const factors = factorsOf(n);
  return factors.at(-1)! > DIRECT_LIMIT ? planBluestein(n, sign) : planMixedRadix(n, factors, sign);
}

/** Fours first, then primes by size. */
function factorsOf(n: number): number[] {
  const factors: number[] = [];
  let rest = n;
  for (; rest % 4 === 0; rest /= 4) factors.push(4);
  for (let p = 2; p * p <= rest; p++) for (; rest % p === 0; rest /= p) factors.push(p);
  if (rest > 1) factors.push(rest);
  return factors.sort((a, b) => (a === 4 ? 0 : a) - (b === 4 ? 0 : b));
}

/** `exp(sign 2 pi i k / n)` for all k; exact on the axes. */
function rootsOf(n: number, sign: 1 | -1): Float64Array {
  const roots = scratch(Float64Array, 2 * n);
  for (let k = 0; k < n; k++) {
    const angle = (2 * Math.PI * k) / n;
    roots[2 * k] = 4 * k === n || 4 * k === 3 * n ? 0 : Math.cos(angle);
    roots[2 * k + 1] = 2 * k === n ? 0 : sign * Math.sin(angle);
  }
  return roots;
}

/** `lines` interleaved transforms, each still of length `parts * radix`. */
interface Stage {
  readonly radix: number;
  readonly parts: number;
  readonly lines: number;
}

function planMixedRadix(n: number, factors: readonly number[], sign: 1 | -1): LineTransform {
  requireMemory(bytesOfMixedRadix(n));
  const roots = rootsOf(n, sign);
  const buffers = [scratch(Float64Array, 2 * n), scratch(Float64Array, 2 * n)] as const;
  const column = scratch(Float64Array, 2 * factors.at(-1)!);
  const stages: Stage[] = [];
  let lines = 1;
  for (const radix of factors) {
    stages.push({ radix, parts: n / (lines * radix), lines });
    lines *= radix;
  }
  return (x) => {
    let from = x;
    stages.forEach((stage, i) => {
      const to = buffers[i % 2]!;
      if (stage.radix === 4) quarterStage(from, to, stage, roots, sign);
      else if (stage.radix === 2) halfStage(from, to, stage, roots);
      else anyStage(from, to, stage, roots, column);
      from = to;
    });
    return from;
  };
}

function halfStage(x: Float64Array, y: Float64Array, { parts, lines }: Stage, roots: Float64Array): void {
  const far = 2 * lines * parts;
  for (let j = 0; j < parts; j++) {
    const [re, im] = [roots[2 * j * lines]!, roots[2 * j * lines + 1]!];
    for (let q = 0, a = 2 * lines * j, to = 4 * lines * j; q < lines; q++, a += 2, to += 2) {
      const dr = x[a]! - x[a + far]!;
      const di = x[a + 1]! - x[a + far + 1]!;
      y[to] = x[a]! + x[a + far]!;
      y[to + 1] = x[a + 1]! + x[a + far + 1]!;
      y[to + 2 * lines] = dr * re - di * im;
      y[to + 2 * lines + 1] = dr * im + di * re;
    }
  }
}

function quarterStage(
  x: Float64Array,
  y: Float64Array,
  { parts, lines }: Stage,
  roots: Float64Array,
  sign: 1 | -1,
): void {
  const far = 2 * lines * parts;
  const step = 2 * lines;
  for (let j = 0; j < parts; j++) {
    const at = 2 * j * lines;
    const [re1, im1] = [roots[at]!, roots[at + 1]!];
    const [re2, im2] = [roots[2 * at]!, roots[2 * at + 1]!];
    const [re3, im3] = [roots[3 * at]!, roots[3 * at + 1]!];
    for (let q = 0, a = at, to = 4 * at; q < lines; q++, a += 2, to += 2) {
      const [b, c, d] = [a + far, a + 2 * far, a + 3 * far];
      const evenRe = x[a]! + x[c]!;
      const evenIm = x[a + 1]! + x[c + 1]!;
      const leftRe = x[a]! - x[c]!;
      const leftIm = x[a + 1]! - x[c + 1]!;
      const oddRe = x[b]! + x[d]!;
      const oddIm = x[b + 1]! + x[d + 1]!;
      // The difference of b and d, rotated by 90 degrees.
      const rotatedRe = -sign * (x[b + 1]! - x[d + 1]!);
      const rotatedIm = sign * (x[b]! - x[d]!);
      y[to] = evenRe + oddRe;
      y[to + 1] = evenIm + oddIm;
      multiplyInto(y, to + step, leftRe + rotatedRe, leftIm + rotatedIm, re1, im1);
      multiplyInto(y, to + 2 * step, evenRe - oddRe, evenIm - oddIm, re2, im2);
      multiplyInto(y, to + 3 * step, leftRe - rotatedRe, leftIm - rotatedIm, re3, im3);
    }
  }
}

function anyStage(
  x: Float64Array,
  y: Float64Array,
  { radix, parts, lines }: Stage,
  roots: Float64Array,
  column: Float64Array,
): void {
  const far = 2 * lines * parts;
  for (let j = 0; j < parts; j++) {
    for (let q = 0; q < lines; q++) {
      for (let k = 0, a = 2 * (lines * j + q); k < radix; k++, a += far) {
        column[2 * k] = x[a]!;
        column[2 * k + 1] = x[a + 1]!;
      }
      for (let t = 0; t < radix; t++) {
        let [re, im] = [0, 0];
        for (let k = 0, power = 0; k < radix; k++, power = (power + t) % radix) {
          const root = 2 * power * parts * lines;
          re += column[2 * k]! * roots[root]! - column[2 * k + 1]! * roots[root + 1]!;
          im += column[2 * k]! * roots[root + 1]! + column[2 * k + 1]! * roots[root]!;
        }
        const root = 2 * j * t * lines;
        multiplyInto(y, 2 * (q + lines * (radix * j + t)), re, im, roots[root]!, roots[root + 1]!);
      }
    }
  }
}

/** Roots and two buffers of a mixed radix, of complex numbers in float64. */
const bytesOfMixedRadix = (n: number): number => 3 * 16 * n;

/** Returns a transform of any length as a convolution, by transforms of a power of two. */
function planBluestein(n: number, sign: 1 | -1): LineTransform {
  const size = 2 ** Math.ceil(Math.log2(2 * n - 1));
  // Two transforms, three arrays of their length, and two of length n.
  requireMemory(2 * bytesOfMixedRadix(size) + 16 * (3 * size + 2 * n));
  const [forward, backward] = [planTransform(size, -1), planTransform(size, 1)];
  const chirp = scratch(Float64Array, 2 * n);
  const mirrored = scratch(Float64Array, 2 * size);
  for (let k = 0; k < n; k++) {
    const angle = (Math.PI * ((k * k) % (2 * n))) / n;
    chirp[2 * k] = Math.cos(angle);
    chirp[2 * k + 1] = sign * Math.sin(angle);
    for (const at of k === 0 ? [0] : [k, size - k]) {
      mirrored[2 * at] = chirp[2 * k]!;
      mirrored[2 * at + 1] = -chirp[2 * k + 1]!;
    }
  }
  const kernel = forward(mirrored).slice();
  const [padded, out] = [scratch(Float64Array, 2 * size), scratch(Float64Array, 2 * n)];
  return (x) => {
    multiplyPairs(padded, x, chirp, n, 1);
    const spectrum = forward(padded);
    multiplyPairs(spectrum, spectrum, kernel, size, 1 / size);
    multiplyPairs(out, backward(spectrum), chirp, n, 1);
    return out;
  };
}

function multiplyPairs(
  out: Float64Array,
  a: Float64Array,
  b: Float64Array,
  count: number,
  scale: number,
): void {
  for (let k = 0; k < 2 * count; k += 2) {
    multiplyInto(out, k, scale * a[k]!, scale * a[k + 1]!, b[k]!, b[k + 1]!);
  }
}

function multiplyInto(out: Float64Array, at: number, a: number, b: number, c: number, d: number): void {
  out[at] = a * c - b * d;
  out[at + 1] = a * d + b * c;
}
