import { describeValue } from "@sconce/errors";
import { notAProgram } from "./errors.js";
import { ExportedProgram } from "./program.js";

/**
 * Refuses what is not a program, before any part of it is read.
 *
 * @param call what takes the program, as errors name it: `runDecompositions`
 * @throws SconceError `INVALID_ARGUMENT`, `TWO_COPIES`
 */
export function requireProgram(value: unknown, call: string): asserts value is ExportedProgram {
  if (value instanceof ExportedProgram) return;
  refusePromise(value, call);
  throw notAProgram(call, describeValue(value), "give what `load` or `parseIr` returned");
}

/** Refuses a promise, which was not awaited. @throws SconceError `INVALID_ARGUMENT` */
export function refusePromise(value: unknown, call: string): void {
  if (value instanceof Promise) throw notAProgram(call, "a Promise", "await it: `await sconce.load(bytes)`");
}
