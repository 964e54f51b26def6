/** @file Words of which a few are known. */
import { SconceError } from "./sconce-error.js";
import { misspelled } from "./suggest.js";

/** What an error about a word says, but for the remedy. */
export interface WordProblem {
  readonly code: string;
  readonly message: string;
  readonly where?: string;
}

/**
 * Refuses a word that is not one of those that an argument takes. The error suggests the nearest
 * word, with an edit where one is meant.
 */
export function requireWord(word: unknown, words: readonly string[], problem: WordProblem): void {
  if (words.includes(word as string)) return;
  const fix = `use ${words.map((choice) => JSON.stringify(choice)).join(", ")}`;
  const remedy = typeof word === "string" ? misspelled(word, words, fix) : { fix };
  throw new SconceError({ ...problem, ...remedy });
}
