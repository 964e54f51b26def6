/**
 * @file The transforms of Winograd's algorithm (Lavin and Gray, "Fast Algorithms for Convolutional
 * Neural Networks", 2015), and code that applies one on both sides of a square of vectors.
 */
import type { FunctionBuilder, Local } from "@sconce/wasm";

type Matrix = readonly (readonly number[])[];

/** Transforms for tiles of some side. */
interface Transforms {
  readonly image: Matrix;
  readonly weight: Matrix;
  readonly sums: Matrix;
}

/** By the side of a tile of the result. */
export const TRANSFORMS: Readonly<Record<number, Transforms>> = {
  2: {
    image: [
      [1, 0, -1, 0],
      [0, 1, 1, 0],
      [0, -1, 1, 0],
      [0, 1, 0, -1],
    ],
    weight: [
      [1, 0, 0],
      [1 / 2, 1 / 2, 1 / 2],
      [1 / 2, -1 / 2, 1 / 2],
      [0, 0, 1],
    ],
    sums: [
      [1, 1, 1, 0],
      [0, 1, -1, -1],
    ],
  },
  4: {
    image: [
      [4, 0, -5, 0, 1, 0],
      [0, -4, -4, 1, 1, 0],
      [0, 4, -4, -1, 1, 0],
      [0, -2, -1, 2, 1, 0],
      [0, 2, -1, -2, 1, 0],
      [0, 4, 0, -5, 0, 1],
    ],
    weight: [
      [1 / 4, 0, 0],
      [-1 / 6, -1 / 6, -1 / 6],
      [-1 / 6, 1 / 6, -1 / 6],
      [1 / 24, 1 / 12, 1 / 6],
      [1 / 24, -1 / 12, 1 / 6],
      [0, 0, 1],
    ],
    sums: [
      [1, 1, 1, 1, 1, 0],
      [0, 1, -1, 2, -2, 0],
      [0, 1, 1, 4, 4, 0],
      [0, 1, -1, 8, -8, 1],
    ],
  },
};

type Vector = Local<"v128">;

/** Sets the factors of a matrix other than one before the loops that use them. */
export function constantsOf(f: FunctionBuilder, matrix: Matrix): ReadonlyMap<number, Vector> {
  const constants = new Map<number, Vector>();
  for (const value of matrix.flat()) {
    const size = Math.abs(value);
    if (size === 0 || size === 1 || constants.has(size)) continue;
    const local = f.local("v128");
    f.f32x4(size).set(local);
    constants.set(size, local);
  }
  return constants;
}

/** One square, and where its elements come from and go. */
interface Square {
  readonly matrix: Matrix;
  readonly constants: ReadonlyMap<number, Vector>;
  /** Pushes an element. */
  readonly load: (row: number, column: number) => void;
  /** Stores an element that `push` pushes. */
  readonly store: (row: number, column: number, push: () => void) => void;
}

/** Adds code for `matrix * square * transpose(matrix)`. */
export function transform(f: FunctionBuilder, { matrix, constants, load, store }: Square): void {
  const size = matrix[0]!.length;
  const line = f.locals("v128", size);
  // One row of the first product at a time: few vectors are alive, and loads come from the cache.
  for (const [i, factors] of matrix.entries()) {
    for (const [j, local] of line.entries()) {
      pushSum(f, factors, constants, (r) => load(r, j));
      f.set(local);
    }
    for (const [q, others] of matrix.entries())
      store(i, q, () => pushSum(f, others, constants, (j) => f.get(line[j]!)));
  }
}

/** The elements of a kernel, and where what they become goes. */
type Kernel = Pick<Square, "load" | "store">;

/**
 * Returns code for `matrix * kernel * transpose(matrix)`, for the matrices of weights: their rows
 * have one factor, or two of them are sums that differ in the sign of the middle.
 */
export function weightTransform(f: FunctionBuilder, matrix: Matrix): (kernel: Kernel) => void {
  const constants = factorsOf(f, matrix);
  const size = matrix[0]!.length;
  const lines = [f.locals("v128", size), f.locals("v128", size)] as const;
  const [ends, middle] = f.locals("v128", 2);
  const scaled = (push: () => void, factor: number): void => {
    push();
    if (factor !== 1) f.get(constants.get(factor)!).op("f32x4.mul");
  };
  /** Gives each row of the matrix times a column to `store`. */
  const column = (at: number, load: (r: number) => void, store: (i: number, push: () => void) => void) => {
    const [first, second, third] = matrix[at] as readonly [number, number, number];
    if (second === 0) {
      const r = first === 0 ? 2 : 0;
      return store(at, () => scaled(() => load(r), matrix[at]![r]!));
    }
    const sum = (push: () => void): void => {
      push();
      scaled(() => load(2), third);
      f.op("f32x4.add");
    };
    if (first === third)
      scaled(() => {
        load(0);
        load(2);
        f.op("f32x4.add");
      }, first);
    else sum(() => scaled(() => load(0), first));
    f.set(ends);
    scaled(() => load(1), second);
    f.set(middle);
    store(at, () => f.get(ends, middle).op("f32x4.add"));
    store(at + 1, () => f.get(ends, middle).op("f32x4.sub"));
  };
  const rows = matrix.flatMap((row, at) => (row[1]! === 0 || isFirstOfTwo(matrix, at) ? [at] : []));
  return ({ load, store }) => {
    for (const at of rows) {
      for (let j = 0; j < size; j++)
        column(
          at,
          (r) => load(r, j),
          (i, push) => {
            push();
            f.set(lines[i - at]![j]!);
          },
        );
      for (let i = at; i <= at + (matrix[at]![1] === 0 ? 0 : 1); i++)
        for (const to of rows)
          column(
            to,
            (r) => f.get(lines[i - at]![r]!),
            (q, push) => store(i, q, push),
          );
    }
  };
}
/** Sets the factors of a matrix other than one. */
function factorsOf(f: FunctionBuilder, matrix: Matrix): ReadonlyMap<number, Vector> {
  const constants = new Map<number, Vector>();
  for (const value of matrix.flat()) {
    if (value === 0 || value === 1 || constants.has(value)) continue;
    const local = f.local("v128");
    f.f32x4(value).set(local);
    constants.set(value, local);
  }
  return constants;
}
const isFirstOfTwo = (matrix: Matrix, at: number): boolean => {
  const [row, next] = [matrix[at]!, matrix[at + 1]];
  return next !== undefined && next[0] === row[0] && next[1] === -row[1]! && next[2] === row[2];
};

/** Pushes the sum of vectors times factors. */
function pushSum(
  f: FunctionBuilder,
  factors: readonly number[],
  constants: ReadonlyMap<number, Vector>,
  push: (at: number) => void,
): void {
  // A term that is added comes first, so that nothing is negated.
  const order = factors.map((_, at) => at).filter((at) => factors[at] !== 0);
  order.sort((a, b) => Math.sign(factors[b]!) - Math.sign(factors[a]!));
  for (const [position, at] of order.entries()) {
    const factor = factors[at]!;
    push(at);
    const constant = constants.get(Math.abs(factor));
    if (constant !== undefined) f.get(constant).op("f32x4.mul");
    if (position === 0 && factor < 0) f.op("f32x4.neg");
    if (position > 0) f.op(factor < 0 ? "f32x4.sub" : "f32x4.add");
  }
}
