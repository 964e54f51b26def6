/** A part of a text. */
export interface Piece {
  readonly text: string;
  /** Where it begins in the whole. */
  readonly at: number;
  readonly whole: string;
}

/** `character 11 of "decompose{table=nope}"`; counts from 1. */
export const placeOf = ({ at, whole }: Piece): string => `character ${at + 1} of "${around(whole, at)}"`;

/** Characters of a long text that are shown on either side of a place. */
const SHOWN = 60;

/** Returns a text, or the part of a long one around a place. */
export function around(text: string, at: number): string {
  if (text.length <= 4 * SHOWN) return text;
  const [start, end] = [Math.max(0, at - SHOWN), Math.min(text.length, at + SHOWN)];
  return `${start > 0 ? "..." : ""}${text.slice(start, end)}${end < text.length ? "..." : ""}`;
}
