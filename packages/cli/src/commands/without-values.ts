/** @file State without values, as commands report it. */
import { type MissingValue, missingText } from "@sconce/ir";
import { oneLine } from "../text.js";

/** For JSON; nothing for a program that has all its values. */
export const withoutValues = (missing: readonly MissingValue[]): object =>
  missing.length === 0
    ? {}
    : {
        runnable: missing.every(({ reader }) => reader === null),
        withoutValues: missing.map(({ name, tensor: { dtype, shape }, placeholder, reader }) => ({
          name,
          dtype,
          shape,
          placeholder,
          reader,
        })),
      };

/** One line for each tensor. */
export const missingLines = (missing: readonly MissingValue[]): string[] =>
  missing.map((one) => `${oneLine(missingText(one))}${one.reader === null ? "; no node reads it" : ""}`);

/**
 * Returns what goes behind "valid": a program that lacks values is well formed and does not run.
 */
export function missingNote(missing: readonly MissingValue[]): string {
  if (missing.length === 0) return "";
  const count = missing.length === 1 ? "1 tensor has" : `${missing.length} tensors have`;
  const head = missing.some(({ reader }) => reader !== null)
    ? `; it cannot run: ${count} no values (give them with --weights)`
    : `; ${count} no values, which no node reads`;
  return [head, ...missingLines(missing).map((line) => `  ${line}`)].join("\n");
}
