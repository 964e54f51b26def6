/** @file Errors of values that are read later and of expected versions, which few loads need. */
import { SconceError } from "@sconce/errors";
import { pt2Error } from "./errors.js";

/** Something read the bytes of a storage that are still in their file. */
export const storageNotLoaded = (name: string, byteLength: number): SconceError =>
  new SconceError({
    code: "VALUES_NOT_LOADED",
    message: `the values of a tensor (${byteLength} bytes of ${name}) have not been read from the file yet`,
    where: name,
    fix: 'wait for `loadValues(program)` or `tensor.load()` first, or load the program with `weights: "eager"`',
  });

/** Returns the error for a version of an operator set that is not the expected one. */
export const opsetMismatch = (
  name: string,
  want: number,
  got: number | undefined,
  where: string,
): SconceError =>
  pt2Error(
    "PT2_OPSET_VERSION",
    `version ${got ?? "unknown"} of the operator set "${name}", where ${want} is expected`,
    where,
    "load another file, or change `expectedOpsetVersion`",
  );
