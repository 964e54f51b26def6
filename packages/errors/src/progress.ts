/** @file Work that takes long: how far it has come, and how it ends early. */
import type { OptionNames } from "./options.js";
import { SconceError } from "./sconce-error.js";
import { thrownText } from "./thrown.js";

/** The kinds of long work, as {@link Progress} names them. */
export type WorkPhase = "load" | "save" | "transform" | "bisect" | "compile" | "run" | "compare" | "hash";

/** How far long work has come: all long work reports it alike, from 0 to the total. */
export interface Progress {
  /** What is being done. */
  readonly phase: WorkPhase;
  /** How much is done, of {@link total}: 0 first, and it never decreases. */
  readonly done: number;
  /** How much there is to do, in the unit of the phase: bytes, passes, nodes. It never changes. */
  readonly total: number;
  /** What is being worked on: an entry of a file, a pass, a node; empty at the end. */
  readonly item: string;
}

/** Options of work that takes long: they are the same wherever there are any. */
export interface LongWorkOptions {
  /** Stops the work; the promise then rejects with `ABORTED`, with the signal's reason as cause. */
  readonly signal?: AbortSignal | undefined;
  /** Called as the work goes on, first with 0 and last with the total. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The names of {@link LongWorkOptions}. */
export const LONG_WORK: OptionNames<LongWorkOptions> = { signal: true, onProgress: true };

/**
 * Reports the progress of one piece of work: from 0 to the total, never back, whatever it is given.
 * Without an `onProgress` it does nothing.
 */
export class ProgressReport {
  readonly #phase: WorkPhase;
  readonly #report: ((progress: Progress) => void) | undefined;
  #total: number | undefined;
  #last: Progress | undefined;

  /** @param total left out where the first progress that comes from elsewhere has it */
  constructor(phase: WorkPhase, onProgress: ((progress: Progress) => void) | undefined, total?: number) {
    this.#phase = phase;
    this.#report = onProgress;
    this.#total = total === undefined ? undefined : totalOf(total);
  }

  /** Reports that so much is done, and what is worked on now. */
  at(done: number, item: string, total = 1): void {
    if (this.#report === undefined) return;
    this.#total ??= totalOf(total);
    // NaN is not above 0 either.
    const reached = done > 0 ? done : 0;
    if (this.#last === undefined && reached > 0) this.#send(0, item);
    this.#send(Math.min(Math.max(reached, this.#last?.done ?? 0), this.#total), item);
  }

  /** Reports that all is done; `whole` names the work where nothing of it was reported. */
  end(whole = ""): void {
    if (this.#last?.item === "" && this.#last.done === this.#total) return;
    if (this.#last === undefined) this.at(0, whole);
    if (this.#total !== 0) this.at(Number.POSITIVE_INFINITY, "");
  }

  /** Passes on what another one reports of the same work. */
  readonly forward = ({ done, total, item }: Progress): void => this.at(done, item, total);

  #send(done: number, item: string): void {
    this.#last = { phase: this.#phase, done, total: this.#total!, item };
    this.#report!(this.#last);
  }
}

/** Returns a total that can be reached: 1 for what is none. */
const totalOf = (total: number): number => (Number.isFinite(total) && total >= 0 ? total : 1);

/** Work was canceled by its signal; `what` is the work: `run`. */
const aborted = (reason: unknown, what = "run"): SconceError =>
  new SconceError({
    code: "ABORTED",
    message: `the ${what} was canceled`,
    fix: "run again with a signal that is not aborted",
    cause: reason,
  });

/**
 * Ends work whose signal was raised; `what` is the work: `run`.
 *
 * @throws SconceError `ABORTED`
 */
export function throwIfAborted(signal: AbortSignal | undefined, what?: string): void {
  if (signal?.aborted) throw aborted(signal.reason, what);
}

/**
 * Wraps an `onProgress`, or another callback of that name, so that what it throws becomes
 * `OBSERVER_FAILED`; `call` is the function that took it: `load`.
 */
export function userCallback<A extends unknown[]>(
  call: string,
  callback: ((...args: A) => void) | undefined,
  name = "onProgress",
): ((...args: A) => void) | undefined {
  if (callback === undefined) return undefined;
  return (...args) => {
    try {
      callback(...args);
    } catch (error) {
      throw new SconceError({
        code: "OBSERVER_FAILED",
        message: `the ${name} that was given to ${call} threw: ${thrownText(error)}`,
        where: `the options of ${call}`,
        fix: `correct your ${name}, or leave it out`,
        cause: error,
      });
    }
  };
}
