import { syntaxError } from "./errors.js";
import type { Piece } from "./piece.js";

/** What a group of a match (with indices) took. */
export function subPiece({ at, whole }: Piece, match: RegExpExecArray, group: number): Piece | undefined {
  const text = match[group];
  return text === undefined ? undefined : { text, at: at + match.indices![group]![0], whole };
}

/** The piece without blanks around it. */
export function trimmed({ text, at, whole }: Piece): Piece {
  return { text: text.trim(), at: at + text.length - text.trimStart().length, whole };
}

/**
 * Items between commas outside of brackets and quotes.
 *
 * @throws SconceError `PIPELINE_SYNTAX`
 */
export function piecesOf(piece: Piece): Piece[] {
  const { text, at, whole } = piece;
  const items: Piece[] = [];
  const open: number[] = [];
  let quote: number | undefined;
  let start = 0;
  for (let i = 0; i <= text.length; i++) {
    const c = text[i];
    if (c === '"') quote = quote === undefined ? i : undefined;
    if (quote !== undefined && c !== undefined) continue;
    if (c !== undefined && "[{(".includes(c)) open.push(i);
    else if (c !== undefined && "]})".includes(c) && open.pop() === undefined)
      throw syntaxError({ text: c, at: at + i, whole }, `unexpected "${c}"`);
    if (c !== undefined && (c !== "," || open.length > 0)) continue;
    const item = trimmed({ text: text.slice(start, i), at: at + start, whole });
    if (item.text !== "") items.push(item);
    else if (c !== undefined || items.length > 0) throw syntaxError(item, "an item is empty");
    start = i + 1;
  }
  const unclosed = quote ?? open[0];
  if (unclosed !== undefined) {
    const what = quote === undefined ? "bracket" : "quotation mark";
    throw syntaxError({ ...piece, at: at + unclosed }, `a ${what} is not closed`);
  }
  return items;
}
