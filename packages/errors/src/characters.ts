/** @file Kinds of characters, by their codes. */

/** Returns whether a character is a digit of ASCII. */
export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Returns whether a character is a letter of ASCII, or `_`. */
export const isLetter = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
