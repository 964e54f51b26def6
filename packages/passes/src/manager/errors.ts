/** @file Errors of the pass manager. */
import { isSconceError, misspelled, SconceError, thrownText } from "@sconce/errors";
import type { ExportedProgram, Problem } from "@sconce/ir";
import type { Pass } from "../pass/pass.js";
import { around, type Piece, placeOf } from "./piece.js";

/** Returns the error for a pass that throws; `place` names the pass, its plugin and the step. */
export function passThrew(place: string, error: unknown): SconceError {
  // Not a fault of the pass: what it computes needs weights, or it is of another installation.
  if (isSconceError(error, "NO_VALUES") || isSconceError(error, "TWO_COPIES")) return error.at(place);
  return new SconceError({
    code: "PASS_FAILED",
    message: `${place} failed: ${thrownText(error)}`,
    where: (isSconceError(error) ? error.where : undefined) ?? place,
    fix: isSconceError(error) ? error.fix : "correct the pass: `cause` has the stack of what it threw",
    cause: error,
  });
}

/** Returns the error for a pass that gives something else than a program. */
export const noProgram = (place: string, result: unknown): SconceError =>
  new SconceError({
    code: "PASS_FAILED",
    message: `${place} returned ${kindOf(result)}, not a program`,
    where: place,
    fix: "return the program, the same object when nothing changed; passes are not asynchronous",
  });

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (value instanceof Promise) return "a promise";
  const name = typeof value === "object" ? classOf(value) : undefined;
  return name === undefined || name === "Object"
    ? `a value of type ${typeof value}`
    : `an object of class ${name}`;
}

/** Undefined for an object, such as a proxy, that throws when it is asked. */
function classOf(value: object): string | undefined {
  try {
    return (value.constructor as { name?: string } | undefined)?.name;
  } catch {
    return undefined;
  }
}

export const requires = (pass: Pass, program: ExportedProgram, place: string): SconceError =>
  new SconceError({
    code: "PASS_REQUIRES",
    message: `${place} needs a program in the ${pass.requires} dialect, this one is in ${program.dialect}`,
    fix:
      pass.requires === "ATEN"
        ? 'put "decompose" before it'
        : `give it a program in the ${pass.requires} dialect`,
  });

export const ensures = (pass: Pass, program: ExportedProgram, place: string): SconceError =>
  new SconceError({
    code: "PASS_ENSURES",
    message: `${place} promises a program in the ${pass.ensures} dialect and gave one in ${program.dialect}`,
    fix: "give the result the dialect that the pass ensures, or take the promise back",
  });

/**
 * Returns the error for an observer that throws; errors of the project are passed on as they are.
 */
export const observerThrew = (place: string, index: number, error: unknown): SconceError =>
  isSconceError(error)
    ? error
    : new SconceError({
        code: "OBSERVER_FAILED",
        message: `observer ${index + 1} threw after ${place}: ${thrownText(error)}`,
        fix: "correct the observer, or leave it out; the pass itself has finished",
        cause: error,
      });

/** Returns the error for a name of a pass that is not registered. */
export const unknownPass = (name: string, place: Piece, passes: Iterable<string>): SconceError => {
  const known = [...passes];
  return new SconceError({
    code: "UNKNOWN_PASS",
    message: `unknown pass "${name.slice(0, 100)}"`,
    where: placeOf(place),
    ...misspelled(name, known, `use one of: ${known.join(", ")}`),
  });
};

/** Returns the error for a call without passes, which a caller without types may make. */
export const noPasses = (got: unknown): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: `parsePipeline takes a map of passes, and got ${kindOf(got)}`,
    fix: "pass the passes of a session: parsePipeline(text, session.passes, session)",
  });

/** Returns the error for a pipeline that cannot be read. */
export const syntaxError = (place: Piece, why: string): SconceError =>
  new SconceError({
    code: "PIPELINE_SYNTAX",
    message: `${why} in the pipeline "${around(place.whole, place.at)}"`,
    where: placeOf(place),
    fix: 'write passes between commas, options in braces: "decompose{keep=[aten.linear.default]},dce"',
  });

/** Returns the verifier's problems as one error; node, line and fix are those of the first. */
export function invalidProgram(when: string, problems: readonly Problem[]): SconceError {
  const [{ node, line, fix }] = problems as readonly [Problem, ...Problem[]];
  const messages = new Set(problems.map((problem) => problem.message));
  return new SconceError({
    code: "INVALID_PROGRAM",
    message: `the program is not valid ${when}: ${[...messages].join("; ")}`,
    where: [node, line].filter((part) => part !== undefined).join(", ") || undefined,
    fix: fix ?? "correct each problem; sconce explain CODE explains its code",
  });
}
