/**
 * @file Singular values of bidiagonal matrices to high relative accuracy: Demmel and Kahan,
 * "Accurate Singular Values of Bidiagonal Matrices" (1990), in the steps of LAPACK's `bdsqr`, so
 * that signs and order are the same.
 */
import { type Matrix, rotateColumns, scale, swapColumns } from "./matrix.js";
import { newRotation, rotate, triangularPair, triangularValues, withSign } from "./matrix-rotation.js";

/**
 * An upper bidiagonal matrix, and what its rotations are gathered in: its columns are turned along.
 */
export interface BidiagonalProblem {
  readonly diagonal: Float64Array;
  readonly above: Float64Array;
  readonly left: Matrix | undefined;
  readonly right: Matrix | undefined;
  readonly epsilon: number;
}

/**
 * Leaves the singular values, in descending order, on the diagonal; returns how many did not
 * converge.
 */
export function diagonalizeBidiagonal(problem: BidiagonalProblem): number {
  const { diagonal, left, right } = problem;
  const code = diagonal.length < 2 ? 0 : new Iteration(problem).run();
  for (let i = 0; i < diagonal.length; i++) {
    if (diagonal[i]! >= 0 && !Object.is(diagonal[i], -0)) continue;
    diagonal[i] = -diagonal[i]!;
    if (right !== undefined) scale(right.rows, -1, 0, right, i * right.rows, 1);
  }
  sortDescending(diagonal, left, right);
  return code;
}

function sortDescending(values: Float64Array, left: Matrix | undefined, right: Matrix | undefined): void {
  for (let last = values.length - 1; last > 0; last--) {
    let least = 0;
    for (let j = 1; j <= last; j++) if (values[j]! <= values[least]!) least = j;
    if (least === last) continue;
    [values[least], values[last]] = [values[last]!, values[least]!];
    if (left !== undefined) swapColumns(left, least, last);
    if (right !== undefined) swapColumns(right, least, last);
  }
}

const MOST_STEPS = 6;
const SAFE_MINIMUM = 2 ** -1022;

/** A run of rows that no zero above the diagonal divides. */
interface Block {
  readonly first: number;
  readonly last: number;
  /** The largest size in it. */
  readonly largest: number;
}

class Iteration {
  readonly #d: Float64Array;
  readonly #e: Float64Array;
  readonly #problem: BidiagonalProblem;
  readonly #one = newRotation();
  readonly #two = newRotation();
  readonly #tolerance: number;
  readonly #threshold: number;
  /** 1: from the top down. */
  #direction: 1 | -1 = 1;
  #before: readonly [number, number] = [-1, -1];

  constructor(problem: BidiagonalProblem) {
    this.#problem = problem;
    this.#d = problem.diagonal;
    this.#e = problem.above;
    const n = this.#d.length;
    const epsilon = problem.epsilon / 2;
    this.#tolerance = Math.max(10, Math.min(100, epsilon ** (-1 / 8))) * epsilon;
    const least = this.#leastValue(0, n - 1, 1) / Math.sqrt(n);
    this.#threshold = Math.max(this.#tolerance * least, MOST_STEPS * n * n * SAFE_MINIMUM);
  }

  run(): number {
    const n = this.#d.length;
    let budget = MOST_STEPS * n * n;
    for (let last = n - 1; last > 0; ) {
      const block = this.#blockBefore(last);
      if (block.first === last) last--;
      else if (block.first === last - 1) {
        this.#solvePair(block.first);
        last -= 2;
      } else if (!this.#deflates(block)) {
        if (budget < 0) break;
        budget -= last - block.first;
        this.#step(block);
      }
    }
    return this.#e.reduce((count, value) => count + (value === 0 ? 0 : 1), 0);
  }

  /** Returns the block that ends at a row; what is small above its first row becomes zero. */
  #blockBefore(last: number): Block {
    const [d, e] = [this.#d, this.#e];
    let largest = Math.abs(d[last]!);
    for (let i = last - 1; i >= 0; i--) {
      const size = Math.abs(e[i]!);
      if (size <= this.#threshold) {
        e[i] = 0;
        return { first: i + 1, last, largest };
      }
      largest = Math.max(largest, Math.abs(d[i]!), size);
    }
    return { first: 0, last, largest };
  }

  #solvePair(at: number): void {
    const [d, e] = [this.#d, this.#e];
    const { smaller, larger, left, right } = triangularPair(
      d[at]!,
      e[at]!,
      d[at + 1]!,
      this.#problem.epsilon / 2,
    );
    [d[at], e[at], d[at + 1]] = [larger, 0, smaller];
    this.#rotate(at, left[0], left[1], right[0], right[1]);
  }

  #rotate(at: number, leftC: number, leftS: number, rightC: number, rightS: number): void {
    const { left, right } = this.#problem;
    if (left !== undefined) rotateColumns(left, at, at + 1, leftC, leftS);
    if (right !== undefined) rotateColumns(right, at, at + 1, rightC, rightS);
  }

  /**
   * Goes along a block and gives a lower bound of its values; stops at 0 once an element above was
   * set to zero.
   */
  #leastValue(from: number, to: number, step: 1 | -1, deflate = false): number {
    const [d, e] = [this.#d, this.#e];
    let mu = Math.abs(d[from]!);
    let least = mu;
    for (let i = from; i !== to && mu !== 0; i += step) {
      const beside = step === 1 ? i : i - 1;
      if (deflate && Math.abs(e[beside]!) <= this.#tolerance * mu) {
        e[beside] = 0;
        return -1;
      }
      mu = Math.abs(d[i + step]!) * (mu / (mu + Math.abs(e[beside]!)));
      least = Math.min(least, mu);
    }
    return least;
  }

  #least = 0;

  /**
   * Returns whether an element above the diagonal could be set to zero; chooses the direction of
   * the next step otherwise.
   */
  #deflates({ first, last }: Block): boolean {
    const [d, e] = [this.#d, this.#e];
    const [oldFirst, oldLast] = this.#before;
    if (first > oldLast || last < oldFirst)
      this.#direction = Math.abs(d[first]!) >= Math.abs(d[last]!) ? 1 : -1;
    const down = this.#direction === 1;
    const [edge, corner] = down ? [last - 1, last] : [first, first];
    if (Math.abs(e[edge]!) <= this.#tolerance * Math.abs(d[corner]!)) {
      e[edge] = 0;
      return true;
    }
    this.#least = down ? this.#leastValue(first, last, 1, true) : this.#leastValue(last, first, -1, true);
    if (this.#least < 0) return true;
    this.#before = [first, last];
    return false;
  }

  #step(block: Block): void {
    const shift = this.#shift(block);
    if (shift === 0) this.#stepWithoutShift(block);
    else this.#stepWithShift(block, shift);
    const [edge] = this.#direction === 1 ? [block.last - 1] : [block.first];
    if (Math.abs(this.#e[edge]!) <= this.#threshold) this.#e[edge] = 0;
  }

  /** Zero where a shift would spoil the accuracy of small values. */
  #shift({ first, last, largest }: Block): number {
    const [d, e] = [this.#d, this.#e];
    const epsilon = this.#problem.epsilon / 2;
    const count = d.length;
    if (count * this.#tolerance * (this.#least / largest) <= Math.max(epsilon, 0.01 * this.#tolerance))
      return 0;
    const down = this.#direction === 1;
    const at = down ? last - 1 : first;
    const start = Math.abs(d[down ? first : last]!);
    const [shift] = triangularValues(d[at]!, e[at]!, d[at + 1]!);
    return start > 0 && (shift / start) ** 2 < epsilon ? 0 : shift;
  }

  #stepWithoutShift({ first, last }: Block): void {
    const [d, e, step] = [this.#d, this.#e, this.#direction];
    const [one, two] = [this.#one, this.#two];
    const [from, to] = step === 1 ? [first, last] : [last, first];
    const between = (i: number): number => (step === 1 ? i : i - 1);
    [one.c, two.c, two.s] = [1, 1, 0];
    for (let i = from; i !== to; i += step) {
      rotate(one, d[i]! * one.c, e[between(i)]!);
      if (i !== from) e[between(i - step)] = two.s * one.r;
      rotate(two, two.c * one.r, d[i + step]! * one.s);
      d[i] = two.r;
      const at = between(i);
      if (step === 1) this.#rotate(at, two.c, two.s, one.c, one.s);
      else this.#rotate(at, one.c, -one.s, two.c, -two.s);
    }
    const height = d[to]! * one.c;
    d[to] = height * two.c;
    e[between(to - step)] = height * two.s;
  }

  #stepWithShift({ first, last }: Block, shift: number): void {
    const [d, e, step] = [this.#d, this.#e, this.#direction];
    const [one, two] = [this.#one, this.#two];
    const [from, to] = step === 1 ? [first, last] : [last, first];
    const between = (i: number): number => (step === 1 ? i : i - 1);
    let f = (Math.abs(d[from]!) - shift) * (withSign(1, d[from]!) + shift / d[from]!);
    let g = e[between(from)]!;
    for (let i = from; i !== to; i += step) {
      const [at, next] = [between(i), i + step];
      rotate(one, f, g);
      if (i !== from) e[between(i - step)] = one.r;
      f = one.c * d[i]! + one.s * e[at]!;
      e[at] = one.c * e[at]! - one.s * d[i]!;
      g = one.s * d[next]!;
      d[next]! *= one.c;
      rotate(two, f, g);
      d[i] = two.r;
      f = two.c * e[at]! + two.s * d[next]!;
      d[next] = two.c * d[next]! - two.s * e[at]!;
      if (next !== to) {
        g = two.s * e[between(next)]!;
        e[between(next)]! *= two.c;
      }
      if (step === 1) this.#rotate(at, two.c, two.s, one.c, one.s);
      else this.#rotate(at, one.c, -one.s, two.c, -two.s);
    }
    e[between(to - step)] = f;
  }
}
