/** @file Errors of decomposition tables and of their entries. */
import { misspelled, SconceError, suggestions, suggestionText, thrownText } from "@sconce/errors";

/** `pop` of an entry that the table does not have. */
export const notInTable = (target: string, known: Iterable<string>): SconceError =>
  new SconceError({
    code: "NOT_IN_TABLE",
    message: `${target} is not in the decomposition table`,
    ...misspelled(
      target,
      known,
      "use a target that the table has; an operator without an entry is kept in any case",
    ),
  });

/** Returns the error for a key that no operator of ATen has. */
export const noSuchOperator = (
  target: string,
  operators: Iterable<{ readonly target: string }>,
): SconceError =>
  badTable(
    `${target} is not an operator of ATen`,
    operatorFix(
      target,
      Array.from(operators, (row) => row.target),
      "write the overload out: aten.relu.default",
    ),
  );

/**
 * Returns a fix that names the operator that was meant; `fix` where none is near, as its example is
 * another operator.
 */
const operatorFix = (target: string, known: readonly string[], fix: string): string => {
  const near = suggestions(target, known);
  return near.length === 0 ? fix : suggestionText(near);
};

/** Returns the error for a decomposition table with an invalid value, entry or key. */
export const badTable = (message: string, fix: string, where?: string): SconceError =>
  new SconceError({ code: "DECOMPOSITION_TABLE", message, where, fix });

/**
 * Returns the error for an entry of a decomposition table that calls an operator that does not
 * exist.
 */
export function unknownCall(called: unknown, candidates: readonly string[]): SconceError {
  const fix = 'write the overload out ("aten.relu.default"), or register the operator with a plugin';
  return typeof called === "string"
    ? new SconceError({
        code: "UNKNOWN_OPERATOR",
        message: `unknown operator "${called}"`,
        fix: operatorFix(called, candidates, fix),
      })
    : new SconceError({
        code: "UNKNOWN_OPERATOR",
        message: `an operator is named by a string, not by a ${typeof called}`,
        fix,
      });
}

/**
 * Returns an error of a call that an entry of a decomposition table makes: with the entry and its
 * operator.
 */
export const inEntryCall = (error: SconceError, name: string, target: string, called: unknown): SconceError =>
  new SconceError({
    code: error.code,
    message: `${name} calls ${typeof called === "string" ? called : `a ${typeof called}`}: ${error.message}`,
    where: target,
    fix: error.fix,
    cause: error,
  });

/** Positional arguments of an emitted call that are not in a list. */
export const argumentsNotList = (): SconceError =>
  new SconceError({
    code: "ARGUMENT_KIND",
    message: "the positional arguments of an emitted call must be a list",
    fix: 'write emit("aten.relu.default", [self])',
  });

/**
 * Returns the error for an entry of a decomposition table that returned something else than the
 * call that it replaces.
 */
export const entryResult = (target: string, message: string): SconceError =>
  new SconceError({
    code: "DECOMPOSITION_RESULT",
    message,
    where: target,
    fix: "return what the replaced call returns, made by the emitter: as many results, dtypes and shapes",
  });

/**
 * Returns the error for an entry of a decomposition table that threw something else than a
 * {@link SconceError}.
 */
export const entryThrew = (target: string, name: string, thrown: unknown): SconceError =>
  new SconceError({
    code: "DECOMPOSITION_FAILED",
    message: `${name} threw: ${thrownText(thrown)}`,
    where: target,
    fix: "correct the decomposition; `cause` is what it threw",
    cause: thrown,
  });

/** Entries that emit each other's operators for ever. */
export const entryCycle = (target: string, name: string, path: string): SconceError =>
  new SconceError({
    code: "DECOMPOSITION_CYCLE",
    message: `${name} never ends: ${path}`,
    where: target,
    fix: `emit other operators than ${target}, or delete an entry of the cycle`,
  });
