import type { Budget } from "@sconce/errors";
import { syntaxError } from "./errors.js";
import { around, type Piece, placeOf } from "./piece.js";

const isBlank = (c: string | undefined): boolean => c !== undefined && c.trim() === "";

/** Returns the part of a piece from one character of it to another, without the blanks around. */
const partOf = ({ text, at, whole }: Piece, start: number, end?: number): Piece =>
  trimmed({ text: text.slice(start, end), at: at + start, whole });

function skipBlanks(text: string, at: number): number {
  while (isBlank(text[at])) at++;
  return at;
}

/** Returns the end of the letters, digits, `_` and `-` of a name. */
function nameEnd(text: string): number {
  let end = 0;
  while (end < text.length && /[\w-]/.test(text[end]!)) end++;
  return end;
}

/** What one item of a pipeline consists of: `name{options}(passes)`. */
export interface ItemParts {
  readonly name: string;
  readonly options: Piece | undefined;
  readonly inner: Piece | undefined;
}

/** @throws SconceError `PIPELINE_SYNTAX` */
export function partsOf(item: Piece): ItemParts {
  const { text } = item;
  const unreadable = (): Error => syntaxError(item, `cannot read "${around(text, 0)}"`);
  const end = nameEnd(text);
  let at = skipBlanks(text, end);
  let [options, inner]: (Piece | undefined)[] = [];
  if (text[at] === "{") {
    const close = closingBrace(text, at);
    if (close === undefined) throw unreadable();
    options = partOf(item, at + 1, close);
    at = skipBlanks(text, close + 1);
  }
  if (text[at] === "(" && text.endsWith(")")) {
    inner = partOf(item, at + 1, -1);
    at = text.length;
  }
  if (end === 0 || at < text.length) throw unreadable();
  return { name: text.slice(0, end), options, inner };
}

/** Where the options in braces end that begin at a place; they hold no other braces. */
function closingBrace(text: string, start: number): number | undefined {
  let quoted = false;
  for (let at = start + 1; at < text.length; at++) {
    const c = text[at];
    if (c === '"') quoted = !quoted;
    else if (c === "}" && !quoted) return at;
    else if (c === "{" && !quoted) return undefined;
  }
  return undefined;
}

/** Name and value of an option. @throws SconceError `PIPELINE_SYNTAX` */
export function assignmentOf(item: Piece): { readonly name: Piece; readonly value: Piece } {
  const end = nameEnd(item.text);
  const equals = skipBlanks(item.text, end);
  if (end === 0 || item.text[equals] !== "=")
    throw syntaxError(item, `cannot read the option "${around(item.text, 0)}"`);
  return { name: partOf(item, 0, end), value: partOf(item, equals + 1) };
}

/** Returns the piece without blanks around it. */
export function trimmed({ text, at, whole }: Piece): Piece {
  return { text: text.trim(), at: at + text.length - text.trimStart().length, whole };
}

/** Brackets of a pipeline, of repetitions for the most part, may be nested this deep. */
const MAX_DEPTH = 100;

/**
 * Items between commas outside of brackets and quotes.
 *
 * @throws SconceError `PIPELINE_SYNTAX`, `BUDGET_EXCEEDED`
 */
export function piecesOf(piece: Piece, budget: Budget): Piece[] {
  const { text, at, whole } = piece;
  const items: Piece[] = [];
  const open: number[] = [];
  let quote: number | undefined;
  let start = 0;
  for (let i = 0; i <= text.length; i++) {
    const c = text[i];
    if (c === '"') quote = quote === undefined ? i : undefined;
    if (quote !== undefined && c !== undefined) continue;
    if (c === "[" || c === "{" || c === "(") {
      open.push(i);
      if (open.length > MAX_DEPTH)
        throw syntaxError({ text: c, at: at + i, whole }, `brackets are nested more than ${MAX_DEPTH} deep`);
    } else if ((c === "]" || c === "}" || c === ")") && open.pop() === undefined)
      throw syntaxError({ text: c, at: at + i, whole }, `unexpected "${c}"`);
    if (c !== undefined && (c !== "," || open.length > 0)) continue;
    budget.spend("nodes", 1, () => placeOf({ ...piece, at: at + start }));
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
