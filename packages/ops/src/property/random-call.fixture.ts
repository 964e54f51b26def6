/** @file Random tensors in random layouts, each with a twin whose sizes are symbols. */
import { FakeTensor, type IntLike } from "@sconce/ir";
import { mul, ShapeEnv, symbol } from "@sconce/symbolic";
import { type DType, Tensor } from "@sconce/tensor";
import fc from "fast-check";

/** Draws values while a property runs. */
export type Draw = fc.GeneratorValue;

export const FLOATS: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
export const NUMBERS: readonly DType[] = [...FLOATS, "int64", "int32", "uint8"];
export const ANY: readonly DType[] = [...NUMBERS, "bool"];

export const below = (draw: Draw, limit: number): number => draw(fc.integer, { min: 0, max: limit - 1 });
export const between = (draw: Draw, min: number, max: number): number => draw(fc.integer, { min, max });
export const oneOf = <T>(draw: Draw, values: readonly T[]): T => values[below(draw, values.length)]!;
export const flag = (draw: Draw): boolean => draw(fc.boolean);

/** Sizes of this rank; some of them 1, and 0 where `empty` is let through. */
export const sizes = (draw: Draw, rank: number, min = 1): number[] =>
  Array.from({ length: rank }, () => between(draw, min, 4));

export const anySizes = (draw: Draw, leastRank = 0, mostRank = 4): number[] =>
  sizes(draw, between(draw, leastRank, mostRank), below(draw, 8) === 0 ? 0 : 1);

/**
 * An argument whose sizes are numbers or symbols: the same call for the run and for the shape rule.
 */
export interface Twin {
  readonly real: Tensor;
  readonly symbolic: FakeTensor;
}

/**
 * How a tensor lies in memory: dimensions from the innermost out, steps over elements, repeated
 * dimensions.
 */
interface Layout {
  readonly order: readonly number[];
  readonly steps: readonly number[];
  readonly offset: number;
}

function layoutOf(draw: Draw, rank: number): Layout {
  const rowMajor = Array.from({ length: rank }, (_, d) => rank - 1 - d);
  const plain = { order: rowMajor, steps: rowMajor.map(() => 1), offset: 0 };
  switch (below(draw, 5)) {
    case 0:
      return { ...plain, order: shuffled(draw, rowMajor) };
    case 1:
      return { ...plain, steps: rowMajor.map(() => between(draw, 1, 2)), offset: between(draw, 0, 3) };
    case 2:
      return { ...plain, steps: rowMajor.map(() => (flag(draw) ? 1 : 0)) };
    case 3:
      return rank < 4 ? plain : { ...plain, order: [1, ...rowMajor.filter((d) => d !== 1)] };
    default:
      return plain;
  }
}

export function shuffled<T>(draw: Draw, values: readonly T[]): T[] {
  const rest = [...values];
  return values.map(() => rest.splice(below(draw, rest.length), 1)[0]!);
}

function stridesOf(shape: readonly IntLike[], { order, steps }: Layout): IntLike[] {
  const strides: IntLike[] = shape.map(() => 0);
  let stride: IntLike = 1;
  for (const d of order) {
    const size = shape[d]!;
    strides[d] = mul(stride, steps[d]!);
    // An empty or repeated dimension takes the room of one element.
    const room = steps[d] === 0 || size === 0 ? 1 : mul(size, steps[d]!);
    stride = mul(stride, room);
  }
  return strides;
}

/** One symbol for each size from 2 on, equal for equal sizes, as PyTorch makes them. */
const symbolOf = (size: number): IntLike => (size < 2 ? size : symbol(`s${size}`));

/** Returns a world in which every such symbol has its number as an example. */
export const symbolicWorld = (): ShapeEnv => {
  const numbers = Array.from({ length: 64 }, (_, i) => [`s${i + 2}`, i + 2] as const);
  return new ShapeEnv({ ranges: new Map(), hints: new Map(numbers) });
};

/** The numbers that the symbols represent. */
export const NUMBER_OF: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 64 }, (_, i) => [`s${i + 2}`, i + 2]),
);

/** Returns a tensor in a random layout, of integers below `limit`. */
export function tensor(draw: Draw, shape: readonly number[], dtype: DType, limit = 5): Twin {
  const layout = layoutOf(draw, shape.length);
  const strides = stridesOf(shape, layout) as number[];
  const last = shape.reduce((sum, size, d) => sum + Math.max(0, size - 1) * strides[d]!, layout.offset);
  const seed = below(draw, 100);
  const values = Array.from({ length: last + 1 }, (_, i) => ((i * 7 + seed) * 31) % limit);
  const storage = Tensor.from(dtype === "bool" ? values.map((v) => v % 2) : values, [last + 1], dtype);
  const symbols = shape.map(symbolOf);
  return {
    real: storage.asStrided(shape, strides, layout.offset),
    symbolic: new FakeTensor({
      dtype,
      shape: symbols,
      strides: stridesOf(symbols, layout),
      storageOffset: layout.offset,
    }),
  };
}

/** A call whose tensors are twins. */
export interface RandomCall {
  readonly target: string;
  readonly args: readonly unknown[];
}

const isTwin = (value: unknown): value is Twin =>
  typeof value === "object" && value !== null && "symbolic" in value && "real" in value;

/** Returns the arguments with one side of every twin. */
export function side(value: unknown, which: keyof Twin): unknown {
  if (isTwin(value)) return value[which];
  return Array.isArray(value) ? value.map((item) => side(item, which)) : value;
}
