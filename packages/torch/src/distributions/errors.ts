/** @file Errors of distributions. */
import { SconceError } from "@sconce/errors";

/**
 * Returns the error for a parameter or a value that a distribution does not take; the message is
 * PyTorch's.
 */
export const badArgument = (where: string, message: string, fix = "correct the argument"): SconceError =>
  new SconceError({ code: "TORCH_ARGUMENT", message, where, fix });

/** Returns the error for values that do not satisfy a constraint; the message is PyTorch's. */
export const badValues = (where: string, message: string): SconceError =>
  badArgument(
    where,
    message,
    "correct the value, or pass `{ validateArgs: false }` for values that are right by construction",
  );

/** Returns the error for a distribution whose arguments are checked while a program is traced. */
export const checkedInTrace = (where: string, what: string): SconceError =>
  new SconceError({
    code: "TRACED_VALUES",
    message: `the values of ${what} of the distribution ${where} are checked while the program is traced, when they are not known`,
    where,
    fix: "pass `{ validateArgs: false }`, or call `distributions.setDefaultValidateArgs(false)` before the export, as PyTorch asks for",
  });

/** Something that a family of distributions does not have. */
export const notImplemented = (
  where: string,
  what: string,
  fix = "compute it with functions of `torch`",
): SconceError =>
  new SconceError({
    code: "TORCH_ARGUMENT",
    message: `${where} does not implement ${what}`,
    where,
    fix,
  });
