import { visibleText } from "@sconce/errors";

/** Returns a text in one line, with escapes in place of characters that are invisible. */
export const visibleLine = (text: string): string =>
  visibleText(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
