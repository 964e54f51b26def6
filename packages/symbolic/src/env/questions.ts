/**
 * @file What PyTorch remembers of conditions that were asked. That nothing was known of one it
 * keeps until a symbol is replaced or a range is narrowed, whatever follows from guards by then
 * (`_maybe_evaluate_static`). Its answer it keeps for each way of asking (`_inner_evaluate_expr`).
 */

/** Ways of asking: plainly, with an answer for what only the data decide, or without a guard. */
export type Way = "plain" | "orFalse" | "orTrue" | "quiet";

/** The conditions by their keys. */
export class Questions {
  readonly #open = new Map<string, string>();
  readonly #answered = new Set<string>();

  /** A condition that is not known, with what is known otherwise. */
  leaveOpen(key: string, known: string): void {
    this.#open.set(key, known);
  }

  /** Returns whether a condition was left open, and nothing was learned since. */
  isOpen(key: string, known: string): boolean {
    return this.#open.get(key) === known;
  }

  /** A condition that the example values decided. */
  answer(key: string, way: Way): void {
    this.#answered.add(`${way} ${key}`);
  }

  /** Returns whether a condition was decided before, when it was asked in the same way. */
  isAnswered(key: string, way: Way): boolean {
    return this.#answered.has(`${way} ${key}`);
  }
}
