import { PAUSE_MS, pause, throwIfAborted } from "@sconce/errors";

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
    throwIfAborted(this.#signal, this.#what);
  }
  step(): Promise<void> | void {
    this.check();
    if (performance.now() - this.#last > PAUSE_MS) return this.#pause();
  }
  async #pause(): Promise<void> {
    await pause();
    this.#last = performance.now();
    this.check();
  }
}
