/** @file Work that several callers wait for at once. */
import { throwIfAborted } from "@sconce/errors";

/**
 * Work that is started once and that several callers may wait for, each with its own signal. A
 * caller that gives up does not stop it for the others; it stops when the last one has given up.
 */
export class SharedWork<T> {
  readonly #controller = new AbortController();
  readonly #result: Promise<T>;
  #waiting = 0;

  /** @param start begins the work; its signal is raised when nothing waits for it any more */
  constructor(start: (signal: AbortSignal) => Promise<T>) {
    this.#result = start(this.#controller.signal);
    // Callers get the error; where none is left, nothing needs it.
    this.#result.catch(() => {});
  }

  /** Whether every caller has given up: the next one has to start new work. */
  get isStopped(): boolean {
    return this.#controller.signal.aborted;
  }

  /**
   * Waits for the result; `what` names the work in errors.
   * @throws SconceError `ABORTED` for the signal of this caller; what the work throws
   */
  async wait(signal: AbortSignal | undefined, what: string): Promise<T> {
    throwIfAborted(signal, what);
    this.#waiting++;
    let isDone = false;
    let stopListening = (): void => {};
    const givenUp = new Promise<never>((_, reject) => {
      const abort = (): void => {
        try {
          throwIfAborted(signal, what);
        } catch (error) {
          reject(error as Error);
        }
      };
      signal?.addEventListener("abort", abort);
      stopListening = () => signal?.removeEventListener("abort", abort);
    });
    const result = this.#result.finally(() => {
      isDone = true;
    });
    try {
      return await Promise.race([result, givenUp]);
    } finally {
      stopListening();
      this.#waiting--;
      if (this.#waiting === 0 && !isDone) this.#controller.abort(signal?.reason);
    }
  }
}
