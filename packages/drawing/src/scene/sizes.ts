/** @file Sizes of boxes by their texts. Renderers use fonts of these widths. */
import type { Item } from "../hierarchy/item.js";

/** Width of a character of a title, in pixels. */
const TITLE_CHARACTER = 7.3;
/** Width of a character of a second line, in pixels. */
const DETAIL_CHARACTER = 6.1;
/** Characters of a line that are shown. */
const MOST_CHARACTERS = 44;

/** Distance of a frame from what is in it, in pixels. */
export const FRAME_PADDING = 14;
/** Height of the line with the title of a frame, in pixels. */
export const FRAME_TITLE = 24;

/** Returns a text as it is shown: long ones end with an ellipsis. */
export function shownText(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`;
}

/** Returns the size of the box of a node or a closed group, in pixels. */
export function boxSize({ title, detail }: Item): { readonly width: number; readonly height: number } {
  const width = Math.max(
    shownText(title).length * TITLE_CHARACTER,
    shownText(detail).length * DETAIL_CHARACTER,
    34,
  );
  return { width: Math.ceil(width) + 22, height: detail === "" ? 28 : 42 };
}

/** Returns the least width of a frame: its title and its detail are in one line. */
export const frameWidth = ({ title, detail }: Item): number =>
  Math.ceil(shownText(title).length * TITLE_CHARACTER + shownText(detail).length * DETAIL_CHARACTER) + 40;
