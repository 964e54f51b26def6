/** @file Errors of arguments of nodes. */
import { SconceError } from "@sconce/errors";

/** `tuple(a, b)`, which models write for their results. */
export const notOneArray = (): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: "tuple takes one array",
    fix: "write tuple([a, b]), or pythonTuple(a, b) for a result of a model",
  });
