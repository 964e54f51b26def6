/** @file Names that a wrong name may represent, within one verification. */
import { suggestions } from "@sconce/errors";

/** Most wrong names that are compared with all known ones: each comparison costs milliseconds. */
const MOST = 20;

/** Suggestions for wrong names, each computed once, and for the first wrong names only. */
export class NearNames {
  readonly #texts = new Map<string, string>();

  /**
   * `did you mean a or b? `, then the instruction; the instruction alone when nothing is near or
   * too many names are wrong.
   */
  fix(word: string, candidates: () => Iterable<string>, instruction: string): string {
    let text = this.#texts.get(word);
    if (text === undefined) {
      if (this.#texts.size >= MOST) return instruction;
      const near = suggestions(word, candidates());
      text = near.length === 0 ? "" : `did you mean ${near.join(" or ")}? `;
      this.#texts.set(word, text);
    }
    return text + instruction;
  }
}
