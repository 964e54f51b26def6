/** @file Nouns in messages. */

/** Returns a noun with its indefinite article: `an Int8Array`. */
export const withArticle = (noun: string): string =>
  `${/^(?:[aeio]|u(?!int|rl\b))/i.test(noun) ? "an" : "a"} ${noun}`;

/** Returns a count of things: `1 node`, `2 nodes`. Other plurals than with `s` are given. */
export const countText = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;
