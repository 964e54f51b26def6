/** @file Errors of tensors on devices. */
import { SconceError } from "@sconce/errors";
import type { DType } from "@sconce/tensor";

const textOf = (dtype: DType, shape: readonly number[]): string => `${dtype}[${shape.join(", ")}]`;

/** Something read the elements of a tensor that an asynchronous device holds. */
export const valuesOnDevice = (dtype: DType, shape: readonly number[]): SconceError =>
  new SconceError({
    code: "VALUES_NOT_LOADED",
    message: `the values of a tensor (${textOf(dtype, shape)}) are in the memory of a device`,
    fix: "wait for `tensor.load()` first, or run without the option `results`",
  });

/** Something used a tensor whose memory was freed. */
export const tensorDisposed = (byteLength: number): SconceError =>
  new SconceError({
    code: "DISPOSED",
    message: `a tensor of ${byteLength} bytes on a device was disposed`,
    fix: "use the tensor before `dispose()`, or compute it again",
  });

/** Two tensors that overlap, of which the program writes to the first: an input or state. */
export const sharedInputs = (written: string, other: string): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: `${written} and the input ${other} share memory, and the program writes to ${written}`,
    where: written,
    fix: 'give a copy of the tensor, or run on the interpreter: compile(program, "cpu")',
  });
