import { visibleLine, visibleText } from "@sconce/errors";

/** Returns a text on one line: line ends become `\\n`, and what nothing sees is spelled out. */
export const oneLine = (text: string): string => visibleLine(text);

/**
 * Returns a message with the arguments of the command that it repeats on one line each. Line ends
 * of the message itself stay.
 */
export function withArgumentsOnOneLine(message: string, args: readonly string[]): string {
  const parts = args.flatMap((arg) => [arg, ...arg.split(/[=,/]/)]).filter((part) => /[\n\t]/.test(part));
  let text = message;
  for (const part of parts.toSorted((a, b) => b.length - a.length)) {
    const [shown, line] = [visibleText(part), visibleLine(part)];
    // Of nothing but line ends, only what is quoted is the argument.
    if (part.trim() !== "") text = text.replaceAll(shown, line);
    else for (const quote of ['"', "'"]) text = text.replaceAll(quote + shown + quote, quote + line + quote);
  }
  return text;
}

/** Returns lines as a text. Names in them may hold line ends: each line stays one. */
export const linesText = (lines: readonly string[]): string =>
  lines.map((line) => `${oneLine(line)}\n`).join("");

/**
 * Returns rows as lines of equal columns, two blanks between them. `isNumber` says which columns
 * are aligned to the right.
 */
export function columns(
  rows: readonly (readonly string[])[],
  isNumber: (column: number) => boolean = () => false,
): string[] {
  const shown = rows.map((row) => row.map(oneLine));
  const widths = shown[0]!.map((_, column) =>
    shown.reduce((widest, row) => Math.max(widest, row[column]!.length), 0),
  );
  const aligned = (text: string, column: number): string =>
    isNumber(column) ? text.padStart(widths[column]!) : text.padEnd(widths[column]!);
  return shown.map((row) => row.map(aligned).join("  ").trimEnd());
}
