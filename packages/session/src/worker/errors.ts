import { isSconceError, SconceError, type SconceErrorJson, thrownText } from "@sconce/errors";
import type { Problem } from "@sconce/ir";
import type { SentError } from "./sent-error.js";

/** Returns the error when the worker of a backend is gone. */
export const workerEnded = (reason: string): SconceError =>
  new SconceError({
    code: "WORKER_ENDED",
    message: `the worker of the backend has ended: ${reason}`,
    fix: "make a new one with `sconce.worker()`, and compile the programs again",
  });

/** Something failed in the worker that is not Sconce's error. */
export const workerFailed = (reason: string): SconceError =>
  new SconceError({
    code: "WORKER_FAILED",
    message: `the worker of the backend failed: ${reason}`,
    fix: "run the program on the same backend without a worker, and report it",
  });

/**
 * Returns an error of Sconce's that was thrown in a worker, with another cause where one is known.
 */
export const errorFrom = (
  { code, message, where, fix = "", edits, cause: sent }: SconceErrorJson,
  cause: unknown = sent,
): SconceError => new SconceError({ code, message, where, fix, edits, cause });

/** What ran when a worker was ended. */
interface Ended {
  /** The pass that ran, as errors name it. */
  readonly place: string | undefined;
  /** What ran before the first pass. */
  readonly before: string;
  readonly fix: string;
}

/** Passes in a worker took longer than they may. */
export const passTimeout = (milliseconds: number, { place, before, fix }: Ended): SconceError =>
  new SconceError({
    code: "PASS_TIMEOUT",
    message: `the passes did not end within ${milliseconds} ms: ${place ?? before} was running, and its worker was ended`,
    where: place,
    fix,
  });

/** Passes in a worker took more memory than they may. */
const passOutOfMemory = (reason: string, { place, before, fix }: Ended): SconceError =>
  new SconceError({
    code: "PASS_MEMORY",
    message: `the passes took more memory than they may: ${place ?? before} was running, and its worker was ended (${reason})`,
    where: place,
    fix,
  });

/** Returns the error when the worker of passes is gone, or does not keep to the protocol. */
export const passWorkerEnded = (reason: string, place: string | undefined): SconceError =>
  new SconceError({
    code: "PASS_WORKER",
    message: `the worker of passes failed: ${reason}${place === undefined ? "" : ` (${place} was running)`}`,
    where: place,
    fix: "correct the pass or plugin: it may not end the worker, throw later, or send messages",
  });

/**
 * Returns the error when a worker of passes failed, with the code of an error of Node; `ended` is
 * for its memory.
 */
export const passWorkerFailed = (reason: string, code: unknown, ended: Ended): SconceError =>
  code === "ERR_WORKER_OUT_OF_MEMORY" ? passOutOfMemory(reason, ended) : passWorkerEnded(reason, ended.place);

/** Returns the error for what a worker of passes sent is not valid. */
export function invalidResult(problems: readonly Problem[]): SconceError {
  const [first] = problems;
  return new SconceError({
    code: "INVALID_PROGRAM",
    message: `the program that the worker of passes returned is not valid: ${[...new Set(problems.map(({ message }) => message))].join("; ")}`,
    where: [first?.node, first?.line].filter(Boolean).join(", ") || undefined,
    fix: first?.fix ?? "correct each problem; sconce explain CODE explains its code",
  });
}

/** Returns the error for an observer of the caller that threw. */
export const observerFailed = (index: number, place: string | undefined, error: unknown): SconceError =>
  isSconceError(error)
    ? error
    : new SconceError({
        code: "OBSERVER_FAILED",
        message: `observer ${index + 1} threw after ${place ?? "a pass"}: ${thrownText(error)}`,
        fix: "correct the observer, or leave it out; the pass itself has finished",
        cause: error,
      });

/**
 * Returns an error that was thrown in a worker, with its stack there; a class of its own is not
 * kept.
 */
export function receivedError({ name, message, stack, code, fix = "", cause, ...rest }: SentError): Error {
  const from = cause === undefined ? undefined : receivedError(cause);
  const error =
    code === undefined
      ? Object.assign(new Error(message, from && { cause: from }), { name })
      : new SconceError({ code, message, fix, ...rest, cause: from });
  if (stack !== undefined) Object.defineProperty(error, "stack", { value: stack });
  return error;
}
