/** @file Errors of the steps of the host in built modules. */
import { SconceError } from "@sconce/errors";

/** Returns the error for an index of no branch. */
export const noBranch = (at: number, branches: number): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: `switch index ${at} out of range for ${branches} branches`,
    fix: "give the index of a branch",
  });

/** Returns the error for a tensor of several elements in the place of a condition. */
export const notSingle = (shape: readonly number[]): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: `a condition has to be a single element, got shape [${shape.join(", ")}]`,
    fix: "give a tensor of one element",
  });
