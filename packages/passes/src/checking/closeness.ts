/**
 * @file How close values have to be: by a tolerance, or by the rounding of a narrower float dtype.
 */
import { type ExportedProgram, FakeTensor, type Value } from "@sconce/ir";
import { castTensor, type DType, isComplexDType, isFloatDType, Tensor } from "@sconce/tensor";
import { type ToleranceOptions, tensorDifference } from "@sconce/tensor/compare";

/** How close the numbers before and after a pass must be. */
export interface Closeness extends ToleranceOptions {
  /**
   * The float dtype that the program after computes in. Floats are then compared as the dtype
   * before, and, without a tolerance, within {@link ROUNDINGS} roundings of that dtype at the
   * largest finite magnitude in the tensor.
   */
  readonly precision?: DType | undefined;
}

/** Relative error of one rounding: half of the distance between neighbors at 1. */
const ROUNDING: Readonly<Partial<Record<DType, number>>> = {
  float16: 2 ** -11,
  bfloat16: 2 ** -8,
  float32: 2 ** -24,
  float64: 2 ** -53,
};

/**
 * How many roundings are allowed. Each call rounds once, and errors of both signs cancel in part:
 * the programs that PyTorch exported for the tests stay within this, networks among them, unless
 * one amplifies what was rounded.
 */
const ROUNDINGS = 16;

/** In what two tensors differ, in one line; undefined when they are close enough. */
export function tensorsDifference(got: Tensor, want: Tensor, closeness: Closeness): string | undefined {
  const { precision, rtol, atol } = closeness;
  if (precision === undefined || !isInexact(want.dtype)) return oneLine(got, want, { rtol, atol });
  const cast = isFloatDType(got.dtype) ? castTensor(got, want.dtype) : got;
  if (rtol !== undefined || atol !== undefined) return oneLine(cast, want, { rtol, atol });
  const part = ROUNDINGS * (ROUNDING[precision] ?? 0);
  return oneLine(cast, want, { rtol: part, atol: part * largest(want) });
}

function oneLine(got: Tensor, want: Tensor, tolerance: ToleranceOptions): string | undefined {
  return tensorDifference(got, want, tolerance)?.replace(/\n\s+/g, "; ");
}

const isInexact = (dtype: DType): boolean => isFloatDType(dtype) || isComplexDType(dtype);

function largest(tensor: Tensor): number {
  let found = 0;
  for (const value of tensor.toArray()) {
    const magnitude = typeof value === "object" ? Math.hypot(value.re, value.im) : Math.abs(Number(value));
    if (magnitude > found && magnitude < Number.POSITIVE_INFINITY) found = magnitude;
  }
  return found;
}

/** What becomes of inputs before a program is run on them. */
export type Give = (inputs: readonly Value[]) => readonly Value[];

/** Inputs as they are; where the precision may change, as the program after a pass takes them. */
export const giver =
  (after: ExportedProgram, { precision }: Closeness): Give =>
  (inputs) =>
    precision === undefined ? inputs : inputsFor(after, inputs);

/** Inputs with floats in the dtypes that the program's own inputs have. */
function inputsFor(program: ExportedProgram, inputs: readonly Value[]): readonly Value[] {
  return inputs.map((value, i) => {
    const { name } = program.userInputs[i] as { readonly name?: string };
    const val = name === undefined ? undefined : program.graph.find(name)?.meta.val;
    const casts = value instanceof Tensor && val instanceof FakeTensor && isFloatDType(value.dtype);
    return casts && isFloatDType(val.dtype) ? castTensor(value, val.dtype) : value;
  });
}
