/** Returns a text on one line: line ends become `\\n`. */
export const oneLine = (text: string): string => text.replaceAll("\n", "\\n");

/** Returns a count with its noun: `1 call`, `2 calls`. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
