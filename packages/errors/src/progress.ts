/** @file Work that takes long: how far it has come, and how it ends early. */
import { SconceError } from "./sconce-error.js";
import { thrownText } from "./thrown.js";

/** How far long work has come. */
export interface Progress {
  /** What is being done: `transform`, `load`. */
  readonly phase: string;
  /** How much is done, of {@link total}; it never decreases. */
  readonly done: number;
  /** How much there is to do: passes, or bytes. */
  readonly total: number;
  /** What is being worked on: a pass, or an entry of a file; empty at the end. */
  readonly item: string;
}

/** Options of work that takes long. */
export interface LongWorkOptions {
  /** Stops the work; the promise then rejects with `ABORTED`, with the signal's reason as cause. */
  readonly signal?: AbortSignal | undefined;
  /** Called as the work goes on. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Work was canceled by its signal; `what` is the work: `run`. */
export const aborted = (reason: unknown, what = "run"): SconceError =>
  new SconceError({
    code: "ABORTED",
    message: `the ${what} was canceled`,
    fix: "run again with a signal that is not aborted",
    cause: reason,
  });

/**
 * Wraps an `onProgress` so that what it throws becomes `OBSERVER_FAILED`; `call` is the function
 * that took it: `load`.
 */
export function userCallback<A extends unknown[]>(
  call: string,
  callback: ((...args: A) => void) | undefined,
): ((...args: A) => void) | undefined {
  if (callback === undefined) return undefined;
  return (...args) => {
    try {
      callback(...args);
    } catch (error) {
      throw new SconceError({
        code: "OBSERVER_FAILED",
        message: `the onProgress that was given to ${call} threw: ${thrownText(error)}`,
        where: `the options of ${call}`,
        fix: "correct your onProgress, or leave it out",
        cause: error,
      });
    }
  };
}
