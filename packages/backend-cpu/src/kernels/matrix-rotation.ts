/**
 * @file Plane rotations and 2 by 2 problems as LAPACK 3.10 and later solve them, signs included.
 */

/** `size` with the sign of another number, zeros included (Fortran's SIGN). */
export const withSign = (size: number, signed: number): number =>
  signed < 0 || Object.is(signed, -0) ? -Math.abs(size) : Math.abs(size);

/** A rotation that takes (f, g) to (r, 0); changed in place. */
export interface Rotation {
  c: number;
  s: number;
  r: number;
}

export const newRotation = (): Rotation => ({ c: 1, s: 0, r: 0 });

/** Anderson, "Algorithm 978: Safe Scaling in the Level 1 BLAS" (`lartg`). */
export function rotate(out: Rotation, f: number, g: number): void {
  if (g === 0) [out.c, out.s, out.r] = [1, 0, f];
  else if (f === 0) [out.c, out.s, out.r] = [0, withSign(1, g), Math.abs(g)];
  else {
    const size = Math.hypot(f, g);
    out.c = Math.abs(f) / size;
    out.r = withSign(size, f);
    out.s = g / out.r;
  }
}

/**
 * Eigenvalues of [[a, b], [b, c]], the larger in size first, and the first one's unit vector
 * (`laev2`).
 */
export function symmetricPair(
  a: number,
  b: number,
  c: number,
): { first: number; second: number; cosine: number; sine: number } {
  const [sum, difference, twice] = [a + c, a - c, b + b];
  const root = Math.hypot(difference, twice);
  const [large, small] = Math.abs(a) > Math.abs(c) ? [a, c] : [c, a];
  const first = sum === 0 ? root / 2 : (sum + withSign(root, sum)) / 2;
  const second = sum === 0 ? -root / 2 : (large / first) * small - (b / first) * b;
  const side = difference >= 0 ? difference + root : difference - root;
  let [cosine, sine] = [1, 0];
  if (Math.abs(side) > Math.abs(twice)) {
    const ratio = -twice / side;
    sine = 1 / Math.hypot(1, ratio);
    cosine = ratio * sine;
  } else if (twice !== 0) {
    const ratio = -side / twice;
    cosine = 1 / Math.hypot(1, ratio);
    sine = ratio * cosine;
  }
  if (sum < 0 === difference < 0) [cosine, sine] = [-sine, cosine];
  return { first, second, cosine, sine };
}

/** Singular values of [[f, g], [0, h]], the smaller first (`las2`). */
export function triangularValues(
  f: number,
  g: number,
  h: number,
): readonly [smaller: number, larger: number] {
  const [fa, ga, ha] = [Math.abs(f), Math.abs(g), Math.abs(h)];
  const [low, high] = fa < ha ? [fa, ha] : [ha, fa];
  if (low === 0) return [0, high === 0 ? ga : Math.hypot(high, ga)];
  const [sum, difference] = [1 + low / high, (high - low) / high];
  if (ga < high) {
    const square = (ga / high) ** 2;
    const scale = 2 / (Math.sqrt(sum * sum + square) + Math.sqrt(difference * difference + square));
    return [low * scale, high / scale];
  }
  const ratio = high / ga;
  if (ratio === 0) return [(low * high) / ga, ga];
  const scale = 1 / (Math.sqrt(1 + (sum * ratio) ** 2) + Math.sqrt(1 + (difference * ratio) ** 2));
  return [2 * (low * scale * ratio), ga / (scale + scale)];
}

/** The singular value decomposition of [[f, g], [0, h]] with its rotations (`lasv2`). */
export interface TriangularPair {
  readonly smaller: number;
  readonly larger: number;
  readonly left: readonly [cosine: number, sine: number];
  readonly right: readonly [cosine: number, sine: number];
}

export function triangularPair(f: number, g: number, h: number, epsilon: number): TriangularPair {
  const swapped = Math.abs(h) > Math.abs(f);
  const [ft, ht] = swapped ? [h, f] : [f, h];
  const [fa, ga, ha] = [Math.abs(ft), Math.abs(g), Math.abs(ht)];
  let [smaller, larger] = [ha, fa];
  let left: readonly [number, number] = [1, 0];
  let right = left;
  const dominant = ga > fa && fa / ga < epsilon;
  if (dominant) {
    larger = ga;
    smaller = ha > 1 ? fa / (ga / ha) : (fa / ga) * ha;
    left = [1, ht / g];
    right = [ft / g, 1];
  } else if (ga !== 0) {
    const solved = rotationsOf(ft, g, ht);
    [smaller, larger] = [ha / solved.a, fa * solved.a];
    ({ left, right } = solved);
  }
  if (swapped)
    [left, right] = [
      [right[1], right[0]],
      [left[1], left[0]],
    ];
  const product =
    ga > fa && ga !== 0
      ? withSign(1, right[1]) * withSign(1, left[0]) * withSign(1, g)
      : swapped
        ? withSign(1, right[1]) * withSign(1, left[1]) * withSign(1, h)
        : withSign(1, right[0]) * withSign(1, left[0]) * withSign(1, f);
  return {
    larger: withSign(larger, product),
    smaller: withSign(smaller, product * withSign(1, f) * withSign(1, h)),
    left,
    right,
  };
}

function rotationsOf(
  ft: number,
  gt: number,
  ht: number,
): { a: number; left: readonly [number, number]; right: readonly [number, number] } {
  const [fa, ha] = [Math.abs(ft), Math.abs(ht)];
  const d = fa - ha;
  const l = d === fa ? 1 : d / fa;
  const m = gt / ft;
  const mm = m * m;
  const s = Math.sqrt((2 - l) ** 2 + mm);
  const r = l === 0 ? Math.abs(m) : Math.sqrt(l * l + mm);
  const a = (s + r) / 2;
  let t = 2 - l;
  if (mm !== 0) t = (m / (s + t) + m / (r + l)) * (1 + a);
  else if (l === 0) t = withSign(2, ft) * withSign(1, gt);
  else t = gt / withSign(d, ft) + m / t;
  const size = Math.sqrt(t * t + 4);
  const right = [2 / size, t / size] as const;
  return { a, right, left: [(right[0] + right[1] * m) / a, ((ht / ft) * right[1]) / a] };
}

/** A real block of two after {@link standardPair}, in rows, and the rotation that it took. */
export interface StandardPair {
  readonly block: readonly number[];
  readonly cosine: number;
  readonly sine: number;
}

/**
 * Rotates [[a, b], [c, d]] to triangular form, or to equal diagonal elements for conjugate pairs
 * (`lanv2`).
 */
export function standardPair(a: number, b: number, c: number, d: number): StandardPair {
  if (c === 0) return { block: [a, b, 0, d], cosine: 1, sine: 0 };
  if (b === 0) return { block: [d, -c, 0, a], cosine: 0, sine: 1 };
  if (a === d && withSign(1, b) !== withSign(1, c)) return { block: [a, b, c, d], cosine: 1, sine: 0 };
  const half = (a - d) / 2;
  const [most, least] = [
    Math.max(Math.abs(b), Math.abs(c)),
    Math.min(Math.abs(b), Math.abs(c)) * withSign(1, b) * withSign(1, c),
  ];
  const size = Math.max(Math.abs(half), most);
  const discriminant = (half / size) * half + (most / size) * least;
  if (discriminant < 4 * 2 ** -52) return equalDiagonal(a, b, c, d);
  const z = half + withSign(Math.sqrt(size) * Math.sqrt(discriminant), half);
  const length = Math.hypot(c, z);
  return { block: [d + z, b - c, 0, d - (most / z) * least], cosine: z / length, sine: c / length };
}

/** Complex, or real and nearly equal eigenvalues. */
function equalDiagonal(a: number, b: number, c: number, d: number): StandardPair {
  const sigma = b + c;
  const length = Math.hypot(sigma, a - d);
  const cosine = Math.sqrt((1 + Math.abs(sigma) / length) / 2);
  const sine = -((a - d) / 2 / (length * cosine)) * withSign(1, sigma);
  const [aa, bb] = [a * cosine + b * sine, b * cosine - a * sine];
  const [cc, dd] = [c * cosine + d * sine, d * cosine - c * sine];
  const [above, below] = [bb * cosine + dd * sine, cc * cosine - aa * sine];
  const middle = (aa * cosine + cc * sine + (dd * cosine - bb * sine)) / 2;
  if (below === 0) return { block: [middle, above, 0, middle], cosine, sine };
  if (above === 0) return { block: [middle, -below, 0, middle], cosine: -sine, sine: cosine };
  if (withSign(1, above) !== withSign(1, below))
    return { block: [middle, above, below, middle], cosine, sine };
  const [upper, lower] = [Math.sqrt(Math.abs(above)), Math.sqrt(Math.abs(below))];
  const root = withSign(upper * lower, below);
  const scale = 1 / Math.sqrt(Math.abs(above + below));
  const [c1, s1] = [upper * scale, lower * scale];
  return {
    block: [middle + root, above - below, 0, middle - root],
    cosine: cosine * c1 - sine * s1,
    sine: cosine * s1 + sine * c1,
  };
}
