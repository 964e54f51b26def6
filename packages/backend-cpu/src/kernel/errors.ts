import { SconceError } from "@sconce/errors";
import { GENERAL_FIX } from "@sconce/ops";

/** No kernel and no decomposition, which the dispatcher would run: the operator cannot run here. */
export const noKernel = (target: string): SconceError =>
  new SconceError({
    code: "NO_KERNEL",
    message: `the CPU backend has no kernel for ${target}`,
    where: target,
    fix: "give the backend a kernel for it (`cpuBackend({ kernels })` or a plugin's `kernels`): it has no decomposition",
  });

/**
 * Returns the error for a call that the compilation excludes, with advice that its operator allows.
 */
export const excludedCall = (target: string, decomposes: boolean): SconceError =>
  new SconceError({
    code: "NO_KERNEL",
    message: `${target} is excluded from this compilation`,
    where: target,
    fix: `${decomposes ? "decompose the program first, or " : ""}do not exclude it`,
  });

/**
 * Returns the error when the kernel of an operator computes with real numbers only; {@link atNode}
 * adds which operator.
 */
export const noComplexKernel = (dtype: string): SconceError =>
  new SconceError({
    code: "NO_COMPLEX_KERNEL",
    message: `the CPU backend's kernel for this operator does not compute with ${dtype} tensors`,
    fix: "compute on `view_as_real`, or give the backend a kernel for it (`cpuBackend({ kernels })`)",
  });

/**
 * Returns the error when a runtime assertion of the program does not hold; the text is the
 * program's own.
 */
export const assertionFailed = (message: string): SconceError =>
  new SconceError({
    code: "ASSERTION_FAILED",
    message,
    fix: "give inputs for which the program's assertion holds",
  });

/** Returns the error for a weight of 4 bits whose layout is not known. */
export const unknownPacking = (device: string): SconceError =>
  new SconceError({
    code: "PACKED_LAYOUT",
    message: `the weight of 4 bits was packed on another machine, and its layout depends on the ${device} of that machine`,
    fix: 'say which processor packed it before the run: declareInt4Layout(weight, "avx512") of @sconce/backend-cpu',
  });

/** Bad arguments, found by a kernel from values that the shape rule cannot see. */
export const invalidArgument = (message: string): SconceError =>
  new SconceError({ code: "INVALID_ARGUMENT", message, fix: GENERAL_FIX });

/** PyTorch's messages for LAPACK's codes (`batchCheckErrors`), by operator name. */
const SINGULAR_REASONS: readonly (readonly [pattern: RegExp, reason: (code: number) => string])[] = [
  [
    /inv/,
    (code) =>
      `The diagonal element ${code} is zero, the inversion could not be completed because the input matrix is singular.`,
  ],
  [/solve/, () => "The solver failed because the input matrix is singular."],
  [
    /cholesky/,
    (code) =>
      "The factorization could not be completed because the input is not positive-definite " +
      `(the leading minor of order ${code} is not positive-definite).`,
  ],
  [
    /lu_factor/,
    (code) =>
      `U[${code},${code}] is zero and using it on lu_solve would result in a division by zero. If you still want to ` +
      "perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)",
  ],
  [/svd/, () => "The algorithm failed to converge because the input matrix contained non-finite values."],
  [
    /eig/,
    (code) =>
      "The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated " +
      `eigenvalues (error code: ${code}).`,
  ],
  [/./, (code) => `The algorithm failed to converge or the input is singular (error code: ${code}).`],
];

/**
 * Returns the error for a matrix without inverse, factors or solution; `code` is the place that
 * LAPACK names.
 */
export function singularMatrix(name: string, code: number, batch: number | undefined): SconceError {
  const where = batch === undefined ? name : `${name}: (Batch element ${batch})`;
  const reason = SINGULAR_REASONS.find(([pattern]) => pattern.test(name))![1](code);
  return new SconceError({
    code: "INVALID_ARGUMENT",
    message: `${where}: ${reason}`,
    fix: "give a matrix that the operator can factor: add a small multiple of the identity, or use pinv or lstsq",
  });
}

/** Returns the error for an index outside of its dimension. */
export const indexOutOfRange = (message: string): SconceError =>
  new SconceError({ code: "INDEX_OUT_OF_RANGE", message, fix: GENERAL_FIX });

/** Returns the error for an integer division by zero; floats divide to infinities instead. */
export const divisionByZero = (): SconceError =>
  new SconceError({
    code: "DIVISION_BY_ZERO",
    message: "ZeroDivisionError",
    fix: "divide floats, or mask zeros out before",
  });

/** Returns the error when a result would have a negative size. */
export const negativeSize = (shape: readonly number[]): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: `Trying to create tensor with negative dimension: [${shape.join(", ")}]`,
    fix: "give sizes of at least 0: a window may be larger than its padded input",
  });

/** Returns the error when a view would reach beyond the end of its storage. */
export function outOfStorage(
  {
    shape,
    strides,
    storageOffset,
  }: { shape: readonly number[]; strides: readonly number[]; storageOffset: number },
  byteLength: number,
): SconceError {
  return new SconceError({
    code: "OUT_OF_STORAGE",
    message:
      `setStorage: sizes [${shape.join(", ")}], strides [${strides.join(", ")}], storage offset ${storageOffset} ` +
      `are out of bounds for storage of size ${byteLength}`,
    fix: "give sizes, strides and an offset that stay inside of the storage",
  });
}
