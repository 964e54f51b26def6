import { didYouMean, SconceError } from "@sconce/errors";

/** Values that do not fit the state of a program. */
export const stateMismatch = (reasons: readonly string[], where: string | undefined): SconceError =>
  new SconceError({
    code: "STATE_MISMATCH",
    message: `the tensors given do not fit the state of the program: ${reasons.join("; ")}`,
    where,
    fix: "give tensors of the dtypes and shapes that `sconce info` lists, one value for tensors that share memory",
  });

/** Values for names that no state of the program has. */
export function unknownState(names: readonly string[], known: Iterable<string>): SconceError {
  const [first = ""] = names;
  return new SconceError({
    code: "UNKNOWN_STATE",
    message: `the program has no parameter, buffer or constant ${names.map((name) => JSON.stringify(name)).join(", ")}`,
    fix: didYouMean(first, known, "`sconce info` lists the names; leave out the other tensors"),
  });
}

/** `action` needs the values of tensors that have none; `missing` describes each of them. */
export const valuesNeeded = (
  action: string,
  missing: readonly string[],
  where: string | undefined,
  fix: string,
): SconceError =>
  new SconceError({
    code: "NO_VALUES",
    message: `${action} needs the values of ${missing.length === 1 ? "1 tensor that has none" : `${missing.length} tensors that have none`}: ${missing.join(", ")}`,
    where,
    fix,
  });

/** Something else where a function takes a program. */
export const notAProgram = (call: string, what: string, fix: string): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: `${call} takes an ExportedProgram, and got ${what}`,
    where: call,
    fix,
  });
