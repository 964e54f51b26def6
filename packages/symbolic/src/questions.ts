/**
 * @file What PyTorch remembers of conditions that were asked. It keeps that nothing was known of
 * one until a symbol is replaced, whatever follows from guards by then.
 */

/** The conditions by their keys, with what was known when they were asked. */
export class Questions {
  readonly #open = new Map<string, string>();
  readonly #recorded = new Map<string, string>();

  /** A condition that is not known, and gets no guard. */
  leaveOpen(key: string, known: string): void {
    if (!this.#recorded.has(key)) this.#open.set(key, known);
  }

  /** Whether a condition was left open, and nothing was learned since. */
  isOpen(key: string, known: string): boolean {
    return this.#open.get(key) === known;
  }

  /** A condition that gets a guard. */
  record(key: string, known: string): void {
    this.#open.delete(key);
    this.#recorded.set(key, known);
  }

  /** Whether a condition got a guard, and nothing was learned since. */
  isRecorded(key: string, known: string): boolean {
    return this.#recorded.get(key) === known;
  }

  /** Takes the guard of a condition for one of C++, which does not ask again. */
  forget(key: string): void {
    this.#recorded.delete(key);
  }
}
