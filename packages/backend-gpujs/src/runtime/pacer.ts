import { aborted } from "@sconce/errors";

/**
 * Time after which work lets other tasks of the event loop in, so that its signal can be raised.
 */
const PAUSE_MS = 25;

/** Lets others in now and then, and stops when the signal is raised. */
export class Pacer {
  readonly #what: "run" | "compilation";
  readonly #signal: AbortSignal | undefined;
  #last = performance.now();

  constructor(what: "run" | "compilation", signal: AbortSignal | undefined) {
    this.#what = what;
    this.#signal = signal;
  }

  /** @throws SconceError `ABORTED` */
  check(): void {
    if (this.#signal?.aborted) throw aborted(this.#signal.reason, this.#what);
  }
  step(): Promise<void> | void {
    this.check();
    if (performance.now() - this.#last > PAUSE_MS) return this.#pause();
  }
  async #pause(): Promise<void> {
    await new Promise<void>((done) => setTimeout(done, 0));
    this.#last = performance.now();
    this.check();
  }
}
