/** @file Texts of errors: nothing steers a terminal, and names from files do not flood it. */
import { visibleText } from "./visible.js";

/** Longer words are cut: names and numbers of files may have any length. */
const LONG_WORD = /\S{300,}/g;
const KEPT_OF_WORD = 200;
/** Longer texts are cut. */
const LONGEST = 8000;

/** Returns a text that can be shown: {@link visibleText} of one that is short enough to be read. */
export const shownText = (text: string): string => {
  const words = text.replace(LONG_WORD, (word) => cut(word, KEPT_OF_WORD));
  return visibleText(words.length > LONGEST ? cut(words, LONGEST) : words);
};

const cut = (text: string, kept: number): string => `${text.slice(0, kept)}... (${text.length} characters)`;
