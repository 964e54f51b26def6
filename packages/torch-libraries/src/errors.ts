import { SconceError } from "@sconce/errors";
import { scalarTypeName } from "@sconce/ops";
import type { DType } from "@sconce/tensor";

/** Returns the error for an argument that the library refuses, in its words. */
export const refused = (message: string): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message,
    fix: "give the operator arguments that its library takes",
  });

/** Returns the error for an element type that the library's kernel does not compute with. */
export const notImplemented = (kernel: string, dtype: DType): SconceError =>
  new SconceError({
    code: "DTYPE_MISMATCH",
    message: `"${kernel}" not implemented for '${scalarTypeName(dtype)}'`,
    fix: "convert the arguments to float32",
  });

/**
 * Returns the error for a region of an image that the batch does not have; PyTorch would read
 * outside of the tensor.
 */
export const noSuchImage = (index: number, count: number): SconceError =>
  refused(`a region names image ${index} of a batch of ${count}`);
