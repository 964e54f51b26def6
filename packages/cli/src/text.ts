/** Returns a text on one line: line ends become `\\n`. */
export const oneLine = (text: string): string => text.replaceAll("\n", "\\n");

/** Returns a count with its noun: `1 call`, `2 calls`. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/**
 * Returns rows as lines of equal columns, two blanks between them. `isNumber` says which columns
 * are aligned to the right.
 */
export function columns(
  rows: readonly (readonly string[])[],
  isNumber: (column: number) => boolean = () => false,
): string[] {
  const widths = rows[0]!.map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, row[column]!.length), 0),
  );
  const aligned = (text: string, column: number): string =>
    isNumber(column) ? text.padStart(widths[column]!) : text.padEnd(widths[column]!);
  return rows.map((row) => row.map(aligned).join("  ").trimEnd());
}
