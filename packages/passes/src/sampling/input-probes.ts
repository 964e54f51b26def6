/**
 * @file Inputs just outside of what a program takes: sizes beyond ranges and guards, other shapes,
 * dtypes and numbers.
 */
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram, RangeConstraint, Value } from "@sconce/ir";
import { contiguousStrides, type DType, Storage, Tensor } from "@sconce/tensor";
import { type InputShells, inputShells } from "./sample-inputs.js";

export interface ProbeOptions {
  /** Whether tensors of other dtypes are tried. */
  readonly dtypes: boolean;
}

/** Most symbols that are tried one by one. */
const MOST_SYMBOLS = 32;
/** Sizes that are always tried: divisors and small bounds lie among them. */
const SMALL_SIZES = Array.from({ length: 10 }, (_, i) => i);

/**
 * Inputs that a program may refuse, each of which differs in one respect from inputs that it takes.
 * Tensors have no elements. None for programs whose inputs cannot be made up.
 */
export function* inputProbes(
  program: ExportedProgram,
  { dtypes }: ProbeOptions,
): Generator<readonly Value[]> {
  const shells = shellsOf(program);
  if (shells === undefined) return;
  const { symbols, sizes, at } = shells;
  for (const name of symbols.slice(0, MOST_SYMBOLS)) {
    const known = sizes.get(name)!;
    for (const size of sizesAround(known, program.rangeConstraints.get(name)))
      if (size !== known) yield at(new Map([...sizes, [name, size]]));
  }
  const inputs = at(sizes);
  for (const [i, value] of inputs.entries())
    for (const other of othersOf(value, dtypes)) yield inputs.with(i, other);
}

function shellsOf(program: ExportedProgram): InputShells | undefined {
  try {
    return inputShells(program);
  } catch (error) {
    if (isSconceError(error)) return undefined;
    throw error;
  }
}

function sizesAround(known: number, range: RangeConstraint | undefined): number[] {
  const bounds = range === undefined ? [] : [range.min - 1, range.min, range.max, range.max + 1];
  const near = [known - 1, known + 1, 2 * known, 2 * known + 1];
  const sizes = new Set([...bounds, ...near, ...SMALL_SIZES]);
  return [...sizes].filter((size) => Number.isSafeInteger(size) && size >= 0);
}

function* othersOf(value: Value, dtypes: boolean): Generator<Value> {
  if (typeof value === "number") yield value + 1;
  if (typeof value === "boolean") yield !value;
  if (!(value instanceof Tensor)) return;
  const { shape, dtype } = value;
  for (const [d, size] of shape.entries()) yield shell(shape.with(d, size + 1), dtype);
  yield shell([1, ...shape], dtype);
  if (dtypes) yield shell(shape, dtype === "float64" ? "float32" : "float64");
}

const shell = (shape: readonly number[], dtype: DType): Tensor =>
  new Tensor({ dtype, shape, strides: contiguousStrides(shape), storage: Storage.allocate(0) });
