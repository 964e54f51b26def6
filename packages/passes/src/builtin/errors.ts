/** @file Errors of the built-in passes. */
import { describeValue, misspelled, SconceError } from "@sconce/errors";
import type { Problem } from "@sconce/ir";

/** Returns the error for an option of `propagate-shapes` that names a size twice. */
export const givenTwice = (name: string): SconceError =>
  new SconceError({
    code: "PASS_OPTION",
    message: `sizes gives "${name}" twice`,
    fix: "leave one of them out",
  });

/** Returns the error for a name that is not one of a device. */
export const notADevice = (name: unknown): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: `moveToDevicePass: ${describeValue(name)} is not a device`,
    where: "the location of moveToDevicePass",
    fix: 'use a device such as "cpu" or "cuda:1"',
  });

/** Something else than a device or devices by name. */
export const badLocation = (location: unknown): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: `moveToDevicePass: ${describeValue(location)} does not say where the program goes`,
    where: "the location of moveToDevicePass",
    fix: 'give a device, "cpu", or devices by the names of the present ones, { "cuda:0": "cpu" }',
  });

/** Returns the error for a pass that computes, and was run without anything to compute with. */
export const noEvaluator = (pass: string): SconceError =>
  new SconceError({
    code: "NO_EVALUATOR",
    message: `pass "${pass}" needs a backend to compute with`,
    fix: "run the pass through createSconce(), or give the pass manager's context an `evaluate`",
  });

/** Returns the error for a negative limit of `fold-constants`. */
export const badByteLimit = (bytes: number): SconceError =>
  new SconceError({
    code: "PASS_OPTION",
    message: `pass "fold-constants": max-bytes is ${bytes}, which is not a size`,
    fix: "give a number of bytes; 0 keeps only results that are no larger than their inputs",
  });

/** Returns the error for a name of a rule that the session does not have. */
export function unknownRule(name: string, known: Iterable<string>): SconceError {
  const names = [...known];
  return new SconceError({
    code: "UNKNOWN_RULE",
    message: `unknown rule "${name}"`,
    ...misspelled(name, names, `the rules are: ${names.join(", ") || "none"}`),
  });
}

/** Calls that a dialect refuses, with the lines of the user's code. */
export function notInDialect(
  dialect: string,
  refused: readonly Problem[],
  where: string | undefined,
): SconceError {
  const shown = refused
    .slice(0, 10)
    .map(({ message, line }) => (line === undefined ? message : `${message} (${line})`));
  if (refused.length > shown.length) shown.push(`and ${refused.length - shown.length} more`);
  return new SconceError({
    code: "NOT_IN_DIALECT",
    message: `the program cannot be lowered to ${dialect}: ${shown.join("; ")}`,
    where,
    fix: "give a decomposition of the operator, or rewrite the call, before the pass",
  });
}
