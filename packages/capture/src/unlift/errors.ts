/** @file Errors of programs as modules. */
import { SconceError } from "@sconce/errors";
import type { Node } from "@sconce/ir";

/**
 * Returns the error for a change of the mode: the graph of a program keeps the mode of its export.
 */
export const fixedMode = (method: string, where: string): SconceError =>
  new SconceError({
    code: "FIXED_MODE",
    message: `Calling ${method}() is not supported yet: the graph has the mode that the model was exported in`,
    where,
    fix: `call ${method}() on the model, and export it again`,
  });

/** Returns the error for a call that cannot be traced again. */
export const notRetraceable = ({ name, target }: Node): SconceError =>
  new SconceError({
    code: "NOT_RETRACEABLE",
    message: `${target} cannot be exported again from the module of a program`,
    where: name,
    fix: "export the model again, or transform the program itself with passes",
  });

/** Returns the error for a call that a module cannot run. */
export const notRunnable = (what: string, where: string): SconceError =>
  new SconceError({
    code: "NOT_RUNNABLE",
    message: `${what} does not run in the module of a program`,
    where,
    fix: "run the program with `await sconce.module(program)`",
  });

/** Returns the error for a guard on dynamic sizes that cannot be recorded. */
export const notRecordable = (guard: string): SconceError =>
  new SconceError({
    code: "NOT_RETRACEABLE",
    message: `the guard "${guard}" has no counterpart for dynamic sizes`,
    where: `guard "${guard}"`,
    fix: "take the module without guards, `program.module({ checkGuards: false })`",
  });

/** Returns the error for a name that two parts of the state of a module have. */
export const statePlace = (name: string): SconceError =>
  new SconceError({
    code: "NOT_RUNNABLE",
    message: `the name "${name}" is used for both a tensor and a module`,
    where: "program.module()",
    fix: "rename one of them in the signature of the program",
  });
