/**
 * @file Bessel functions of both kinds, modified ones, and Airy's function, to float64 precision.
 */

const EULER_GAMMA = 0.5772156649015329;
/** From here on the asymptotic series reaches full precision. */
const FAR = 25;

/**
 * J_0(x) to J_n(x) for moderate x by Miller's recurrence: downwards from far above, then
 * normalized.
 */
function besselJRow(x: number, count: number): Float64Array {
  const start = 2 * Math.ceil((Math.max(count, x) + 30 + 2 * Math.sqrt(x)) / 2);
  const row = new Float64Array(start + 2);
  row[start] = 1e-280;
  let norm = 0;
  for (let n = start; n > 0; n--) {
    row[n - 1] = ((2 * n) / x) * row[n]! - row[n + 1]!;
    if (Math.abs(row[n - 1]!) > 1e250) {
      for (let m = n - 1; m <= start; m++) row[m]! *= 1e-250;
      norm *= 1e-250;
    }
    if ((n - 1) % 2 === 0) norm += (n === 1 ? 1 : 2) * row[n - 1]!;
  }
  return row.subarray(0, start + 1).map((value) => value / norm);
}

/** J and Y of order 0 or 1 for large x, by Hankel's expansion. */
function besselFar(order: 0 | 1, x: number): readonly [j: number, y: number] {
  const mu = 4 * order * order;
  const parts = [1, 0];
  let term = 1;
  for (let k = 1; k < 60; k++) {
    const next = (term * (mu - (2 * k - 1) ** 2)) / (k * 8 * x);
    if (Math.abs(next) >= Math.abs(term) || Math.abs(next) < 1e-18) break;
    term = next;
    parts[k % 2]! += (k >> 1) % 2 === 0 ? term : -term;
  }
  const [p, q] = parts as [number, number];
  const [sine, cosine] = [Math.sin(x), Math.cos(x)];
  // Cosine and sine of x - pi/4, or of x - 3 pi/4.
  const [c, s] = order === 0 ? [cosine + sine, sine - cosine] : [sine - cosine, -(sine + cosine)];
  const size = 1 / Math.sqrt(Math.PI * x);
  return [size * (p * c - q * s), size * (p * s + q * c)];
}

export function besselJ0(value: number): number {
  const x = Math.abs(value);
  if (x === 0) return 1;
  return x < FAR ? besselJRow(x, 2)[0]! : besselFar(0, x)[0];
}

export function besselJ1(value: number): number {
  const x = Math.abs(value);
  if (x === 0) return value;
  return Math.sign(value) * (x < FAR ? besselJRow(x, 2)[1]! : besselFar(1, x)[0]);
}

export function besselY0(x: number): number {
  if (x === 0) return -Infinity;
  if (!(x > 0)) return Number.NaN;
  if (x >= FAR) return besselFar(0, x)[1];
  const row = besselJRow(x, 2);
  let sum = 0;
  for (let k = 1; 2 * k < row.length; k++) sum += ((k % 2 === 0 ? 1 : -1) * row[2 * k]!) / k;
  return (2 / Math.PI) * ((Math.log(x / 2) + EULER_GAMMA) * row[0]! - 2 * sum);
}

export function besselY1(x: number): number {
  if (x === 0) return -Infinity;
  if (!(x > 0)) return Number.NaN;
  if (x >= FAR) return besselFar(1, x)[1];
  const row = besselJRow(x, 2);
  let sum = 0;
  for (let k = 1; 2 * k + 1 < row.length; k++) {
    sum += ((k % 2 === 0 ? 1 : -1) * (2 * k + 1) * row[2 * k + 1]!) / (k * (k + 1));
  }
  const inner = (Math.log(x / 2) - 1 + EULER_GAMMA) * row[1]! - sum;
  return (2 / Math.PI) * (inner - row[0]! / x);
}

/**
 * exp(x) K_v(x), the integral of exp(-x (cosh t - 1)) cosh(v t). The trapezoidal rule is exact for
 * such functions once the step is small against their width, which is 1 / sqrt(x) for large x.
 */
export function besselKScaled(order: number, x: number): number {
  if (x === 0) return Infinity;
  if (!(x > 0)) return Number.NaN;
  if (x === Infinity) return 0;
  // What the integral adds to it is lost, and its terms overflow.
  if (order === 1 && x < 1e-100) return 1 / x;
  const step = Math.min(0.2, 0.5 / Math.sqrt(x));
  let sum = 0.5;
  for (let t = step; ; t += step) {
    const height = 2 * Math.sinh(t / 2) ** 2 * x;
    const term = Math.exp(-height) * Math.cosh(order * t);
    sum += term;
    if (height > 1 && term < 1e-18 * sum) return step * sum;
  }
}

export const besselK = (order: number, x: number): number => {
  const scaled = besselKScaled(order, x);
  return scaled === Infinity || Number.isNaN(scaled) ? scaled : scaled * Math.exp(-x);
};

/** Ai(0) and -Ai'(0). */
const AIRY_VALUE = 0.3550280538878172;
const AIRY_SLOPE = 0.2588194037928068;

export function airyAi(x: number): number {
  if (!Number.isFinite(x)) return Number.NaN;
  if (x > 1) {
    const place = (2 / 3) * x * Math.sqrt(x);
    return (Math.sqrt(x / 3) / Math.PI) * besselK(1 / 3, place);
  }
  return x > -8 ? airyNear(x) : airyFar(-x);
}

/** The power series. */
function airyNear(x: number): number {
  const cube = x * x * x;
  let [even, odd, sumEven, sumOdd] = [1, x, 1, x];
  for (let k = 3; k < 300; k += 3) {
    even *= cube / (k * (k - 1));
    odd *= cube / (k * (k + 1));
    sumEven += even;
    sumOdd += odd;
    if (Math.abs(even) + Math.abs(odd) < 1e-18) break;
  }
  return AIRY_VALUE * sumEven - AIRY_SLOPE * sumOdd;
}

/** Ai(-z) for large z. */
function airyFar(z: number): number {
  const place = (2 / 3) * z * Math.sqrt(z);
  const parts = [1, 0];
  let term = 1;
  for (let k = 1; k < 60; k++) {
    const next = (term * (6 * k - 5) * (6 * k - 3) * (6 * k - 1)) / (216 * k * (2 * k - 1) * place);
    if (Math.abs(next) >= Math.abs(term) || Math.abs(next) < 1e-18) break;
    term = next;
    parts[k % 2]! += (k >> 1) % 2 === 0 ? term : -term;
  }
  const angle = place - Math.PI / 4;
  return (Math.cos(angle) * parts[0]! + Math.sin(angle) * parts[1]!) / (Math.sqrt(Math.PI) * z ** 0.25);
}

/** sin(x) / x. */
export const sphericalBesselJ0 = (x: number): number =>
  Math.abs(x) === Infinity ? 0 : Math.abs(x) < 1e-8 ? 1 : Math.sin(x) / x;
