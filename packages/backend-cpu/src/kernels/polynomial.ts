/**
 * @file Orthogonal polynomials by their recurrences (DLMF 18.9), those of Chebyshev by angles where
 * that is exact.
 */
import { roundTo } from "../kernel/half.js";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { elementwise, map2, type Operand } from "./pointwise-loop.js";

type Round = (value: number) => number;

/** `round` is how the output's dtype rounds: recurrences overflow where it does. */
type Polynomial = (x: number, n: number, round: Round) => number;

/** Degrees are integers of 64 bits to PyTorch; its conversion makes others negative. */
const degreeOf = (degree: number): number => (Math.abs(degree) < 2 ** 63 ? Math.trunc(degree) : -1);

/** `p_0 = 1`, `p_1` given, and each next from the two before; 0 for a negative degree. */
function recurrence(
  first: (x: number) => number,
  next: (x: number, k: number, last: number, before: number) => number,
): Polynomial {
  return (x, degree, round) => {
    const n = degreeOf(degree);
    if (n < 0) return 0;
    if (n === 0) return 1;
    let [before, last] = [1, round(first(x))];
    for (let k = 1; k < n && !Number.isNaN(last); k++)
      [before, last] = [last, round(next(x, k, last, before))];
    return last;
  };
}

/** All four kinds have one recurrence. */
const chebyshev = (first: (x: number) => number): Polynomial =>
  recurrence(first, (x, _, last, before) => 2 * x * last - before);

/** Values at the ends of the interval, which take no steps. */
interface Ends {
  readonly at1: (n: number) => number;
  /** The sign is that of the degree's parity. */
  readonly atMinus1: (n: number) => number;
}
const one = (): number => 1;
const next = (n: number): number => n + 1;
const odd = (n: number): number => n + n + 1;

/** The polynomial of `cos(angle)`, between -1 and 1 exclusively; each step rounds. */
type ByAngle = (angle: number, n: number, round: Round) => number;

/**
 * Angles above a degree, which do not take longer for a greater one. The degree is a number of the
 * output's dtype.
 */
const withAngle =
  (byRecurrence: Polynomial, byAngle: ByAngle, ends: Ends, from = 8): Polynomial =>
  (x, degree, round) => {
    const n = degreeOf(round(degree));
    if (n <= from) return byRecurrence(x, n, round);
    if (x === 1) return ends.at1(n);
    if (x === -1) return n % 2 === 0 ? ends.atMinus1(n) : -ends.atMinus1(n);
    return Math.abs(x) < 1 ? byAngle(round(Math.acos(x)), n, round) : byRecurrence(x, n, round);
  };

/** Returns a polynomial by its recurrence, but where the value is known. */
const except =
  (byRecurrence: Polynomial, known: (x: number, n: number) => number | undefined): Polynomial =>
  (x, degree, round) => {
    const n = degreeOf(round(degree));
    return (n > 0 ? known(x, n) : undefined) ?? byRecurrence(x, n, round);
  };

const first = withAngle(
  chebyshev((x) => x),
  (angle, n, round) => Math.cos(round(n * angle)),
  { at1: one, atMinus1: one },
  6,
);
const second = withAngle(
  chebyshev((x) => 2 * x),
  (angle, n, round) => round(Math.sin(round(round(n + 1) * angle))) / round(Math.sin(angle)),
  { at1: next, atMinus1: next },
);
const third = withAngle(
  chebyshev((x) => 2 * x - 1),
  (angle, n, round) => round(Math.cos(round(round(n + 0.5) * angle))) / round(Math.cos(angle / 2)),
  { at1: one, atMinus1: odd },
);
const fourth = withAngle(
  chebyshev((x) => 2 * x + 1),
  (angle, n, round) => round(Math.sin(round(round(n + 0.5) * angle))) / round(Math.sin(angle / 2)),
  { at1: odd, atMinus1: one },
);

const shifted =
  (polynomial: Polynomial): Polynomial =>
  (x, n, round) =>
    polynomial(round(2 * x - 1), n, round);

const physicistsHermite = recurrence(
  (x) => 2 * x,
  (x, k, last, before) => 2 * x * last - 2 * k * before,
);
const probabilistsHermite = recurrence(
  (x) => x,
  (x, k, last, before) => x * last - k * before,
);
const laguerre = except(
  recurrence(
    (x) => 1 - x,
    (x, k, last, before) => ((2 * k + 1 - x) * last - k * before) / (k + 1),
  ),
  (x) => (x === 0 ? 1 : undefined),
);
const legendre = except(
  recurrence(
    (x) => x,
    (x, k, last, before) => ((2 * k + 1) * x * last - k * before) / (k + 1),
  ),
  (x, n) => (Math.abs(x) !== 1 ? undefined : x > 0 || n % 2 === 0 ? 1 : -1),
);

type Args = { readonly x: Operand; readonly n: Operand };

const plain =
  (polynomial: Polynomial): Kernel<Args> =>
  ({ x, n }, context) => {
    const out = emptyOutput(context);
    const round = roundTo(out.dtype);
    return elementwise({ real: map2((place, degree) => polynomial(place, degree, round)) }, out, [x, n]);
  };

export const polynomialKernels = defineKernels([
  kernel(
    [
      "aten::special_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor",
      "aten::special_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor",
      "aten::special_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor",
    ],
    plain(first),
  ),
  kernel(
    [
      "aten::special_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor",
      "aten::special_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor",
      "aten::special_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor",
    ],
    plain(second),
  ),
  kernel(
    [
      "aten::special_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor",
      "aten::special_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor",
      "aten::special_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor",
    ],
    plain(third),
  ),
  kernel(
    [
      "aten::special_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor",
      "aten::special_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor",
      "aten::special_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor",
    ],
    plain(fourth),
  ),
  kernel(
    [
      "aten::special_shifted_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor",
      "aten::special_shifted_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor",
      "aten::special_shifted_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor",
    ],
    plain(shifted(first)),
  ),
  kernel(
    [
      "aten::special_shifted_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor",
      "aten::special_shifted_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor",
      "aten::special_shifted_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor",
    ],
    plain(shifted(second)),
  ),
  kernel(
    [
      "aten::special_shifted_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor",
      "aten::special_shifted_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor",
      "aten::special_shifted_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor",
    ],
    plain(shifted(third)),
  ),
  kernel(
    [
      "aten::special_shifted_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor",
      "aten::special_shifted_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor",
      "aten::special_shifted_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor",
    ],
    plain(shifted(fourth)),
  ),
  kernel(
    [
      "aten::special_hermite_polynomial_h(Tensor x, Tensor n) -> Tensor",
      "aten::special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor",
      "aten::special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor",
    ],
    plain(physicistsHermite),
  ),
  kernel(
    [
      "aten::special_hermite_polynomial_he(Tensor x, Tensor n) -> Tensor",
      "aten::special_hermite_polynomial_he.x_scalar(Scalar x, Tensor n) -> Tensor",
      "aten::special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor",
    ],
    plain(probabilistsHermite),
  ),
  kernel(
    [
      "aten::special_laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor",
      "aten::special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor",
      "aten::special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor",
    ],
    plain(laguerre),
  ),
  kernel(
    [
      "aten::special_legendre_polynomial_p(Tensor x, Tensor n) -> Tensor",
      "aten::special_legendre_polynomial_p.x_scalar(Scalar x, Tensor n) -> Tensor",
      "aten::special_legendre_polynomial_p.n_scalar(Tensor x, Scalar n) -> Tensor",
    ],
    plain(legendre),
  ),
]);
