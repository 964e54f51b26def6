import { PAUSE_MS, pause, throwIfAborted } from "@sconce/errors";

/**
 * Lets others in now and then, and stops when the signal is raised. Compilations in a row are paced
 * together: finalizers of executables that are forgotten run in a pause.
 */
export class Pacer {
  /** When a compilation paused. */
  static #compiled = performance.now();

  readonly #what: "run" | "compilation";
  readonly #signal: AbortSignal | undefined;
  #last: number;

  constructor(what: "run" | "compilation", signal: AbortSignal | undefined) {
    // The time of a pause lies ahead of a clock that was set back, as those of tests are.
    const now = performance.now();
    this.#last = what === "run" ? now : Math.min(Pacer.#compiled, now);
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
    if (this.#what === "compilation") Pacer.#compiled = this.#last;
    this.check();
  }
}
