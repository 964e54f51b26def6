/** @file Errors of calls by the convention of a program. */
import { SconceError } from "@sconce/errors";
import type { DType } from "@sconce/tensor";

/** Returns the error for a program whose module call graph has no root signature. */
export const noCallingConvention = (): SconceError =>
  new SconceError({
    code: "NO_CALLING_CONVENTION",
    message: "the module call graph of the program has no root signature, which says how to call it",
    fix: "run it through compile(), with flat inputs",
  });

/** Keyword arguments that are not an object. */
export const keywordsNotObject = (kwargs: unknown): SconceError =>
  new SconceError({
    code: "KEYWORD_MISMATCH",
    message: `the keyword arguments are ${Array.isArray(kwargs) ? "a list" : String(kwargs)}, not an object`,
    fix: "give an object of values by name, {} or nothing for none",
  });

/** Other keyword arguments than the program takes; the message is PyTorch's. */
export function keywordMismatch(given: readonly string[], expected: readonly string[]): SconceError {
  const list = (names: readonly string[]): string => `[${names.map((name) => `'${name}'`).join(", ")}]`;
  return new SconceError({
    code: "KEYWORD_MISMATCH",
    message: `Ran into a kwarg keyword mismatch: Got the following keywords ${list(given)} but expected ${list(expected)}`,
    fix:
      expected.length === 0
        ? "give no keyword arguments"
        : `give the keyword arguments ${expected.join(", ")}, and no others`,
  });
}

/** Nested arrays in the place of a tensor: the same error, with the code that makes the tensor. */
export const arraysForTensor = (
  { code, message, where, cause }: SconceError,
  place: string,
  dtype: DType,
  isCall: boolean,
): SconceError => {
  const tensor = `Tensor.from(arrays, { dtype: "${dtype}" })`;
  return new SconceError({
    code,
    message,
    where,
    fix: isCall
      ? `make a tensor of the nested arrays, and give it as the argument: call([${tensor}])`
      : `make a tensor of the nested arrays at ${place}: ${tensor}`,
    cause,
  });
};
