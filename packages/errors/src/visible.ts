/**
 * @file Untrusted text made safe to show: nothing in it steers a terminal or hides from a reader.
 */

/**
 * Characters that do something, or that nothing sees: controls (line ends and tabs are not among
 * them), bidirectional controls, zero-width and other format characters, line and paragraph
 * separators, halves of surrogate pairs.
 */
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Returns a text with every control and invisible character spelled out: `\x1b`, `\u202e`,
 * `\u{e0041}`. Line ends and tabs stay. Everything that comes from a file, a name or a user goes
 * through it before it becomes a message or reaches a terminal.
 */
export const visibleText = (text: string): string => text.replace(UNSAFE, escaped);

/** Returns the same on one line: line ends and tabs are spelled out, too. */
export const visibleLine = (text: string): string =>
  visibleText(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");

function escaped(char: string): string {
  const code = char.codePointAt(0)!;
  const digits = code.toString(16);
  if (code <= 0xff) return `\\x${digits.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, "0")}` : `\\u{${digits}}`;
}

/**
 * Returns the same for JSON text, which stays the same JSON: the characters are inside of strings,
 * and come out as `\u202e`.
 */
export const visibleJson = (text: string): string =>
  text.replace(UNSAFE, (char) =>
    Array.from(
      { length: char.length },
      (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
