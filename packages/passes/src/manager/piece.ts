/** A part of a text. */
export interface Piece {
  readonly text: string;
  /** Where it begins in the whole. */
  readonly at: number;
  readonly whole: string;
}

/** `character 11 of "decompose{table=nope}"`; counts from 1. */
export const placeOf = ({ at, whole }: Piece): string => `character ${at + 1} of "${whole}"`;
