/**
 * @file Texts of files and names of files in generated texts: one function for each language. What
 * they give is data in its language, whatever the text holds, and stands on one line.
 */
import { visibleLine, visibleText } from "./visible.js";

/** Characters that a terminal, a page or a reader could take for something else. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const PLAIN_WORD = /^[\w./,:@-][\w./,:=@-]*$/;

/**
 * One word of a POSIX shell. A text with control or invisible characters is written by `printf`, so
 * that the command stays on one line and shows what it does; only line ends at the end of such a
 * text stay, since shells drop them there.
 */
export function shellWord(text: string): string {
  // No argument of a program can hold these.
  const word = text.replaceAll("\0", "\ufffd").replace(/\p{Cs}/gu, "\ufffd");
  if (PLAIN_WORD.test(word)) return word;
  if (!UNSEEN.test(word)) return singleQuoted(word);
  const body = word.replace(/\n+$/, "");
  const ends = word.slice(body.length);
  const printed = body === "" ? "" : `"$(printf ${singleQuoted(printfText(body))})"`;
  return printed + (ends === "" ? "" : singleQuoted(ends));
}

const singleQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Returns a format of `printf` that prints a text: octal escapes for the bytes of what is not seen.
 */
const printfText = (text: string): string =>
  Array.from(text, (char) => {
    if (char === "%") return "%%";
    if (char === "\\") return "\\\\";
    if (!UNSEEN.test(char)) return char;
    const bytes = new TextEncoder().encode(char);
    return Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  }).join("");

/**
 * Returns the path of a file as a word of a shell; no command takes it for an option or standard
 * input.
 */
export const shellPath = (path: string): string => shellWord(path.startsWith("-") ? `./${path}` : path);

/**
 * Returns a string literal of JavaScript, TypeScript and JSON. It is safe in a script element of a
 * page, too: `<` is escaped.
 */
export const scriptString = (text: string): string =>
  JSON.stringify(text).replace(
    /[<\u007f-\u009f\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (char) =>
      Array.from(
        { length: char.length },
        (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`,
      ).join(""),
  );

/**
 * Returns a text in a comment of JavaScript or TypeScript, on one line or between `/*` and its end.
 */
export const scriptComment = (text: string): string => visibleLine(text).replaceAll("*/", "*\\/");

/** Text and attributes of HTML, SVG and XML. Line ends stay. */
export const markupText = (text: string): string =>
  visibleText(text).replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`);

/** Returns the same on one line. */
export const markupLine = (text: string): string => markupText(visibleLine(text));

/**
 * Returns a text between double quotes in Mermaid, which has character entities with `#` in place
 * of `&`. Invisible characters are escaped first, since Mermaid shows what entities represent.
 */
export const mermaidLabel = (text: string): string =>
  visibleLine(text).replace(/[^\p{L}\p{N} .,_:()[\]*+/-]/gu, (char) => `#${char.codePointAt(0)};`);

/** Returns a text between double quotes in the DOT language. */
export const dotLabel = (text: string): string => visibleLine(text).replace(/["\\]/g, "\\$&");
