/** @file Files that programs are written to: the name says which format. */
import { requireFolder } from "@sconce/formats/files";
import type { ExportedProgram, OperatorLookup } from "@sconce/ir";
import { savePt2File } from "@sconce/session/files";
import { usage } from "./errors.js";
import { STANDARD } from "./input-file.js";
import { json, jsonLine, type SafeIo } from "./io.js";
import { sirWithTensors, weightsPath, writeSir } from "./sir.js";

/** Returns whether a name is that of a file for PyTorch. */
export const isPt2 = (output: string): boolean => /\.pt2$/i.test(output);

/** Returns the path of the file for the weights; null where they stand in that of the program. */
export const weightsBeside = (output: string): string | null =>
  output === STANDARD || isPt2(output) ? null : weightsPath(output);

/** Where the tensors of a written program are, as a summary says it. */
export const tensorsText = (output: string): string =>
  isPt2(output)
    ? "tensors in the file"
    : output === STANDARD
      ? "tensors at the end of the text"
      : `tensors in ${weightsPath(output)}`;

/**
 * Checks before long work that a program can be written there: as `.pt2` or IR text, by the name.
 * @throws SconceError `USAGE`, `FILE`
 */
export async function requireOutput(output: string): Promise<void> {
  if (/\.safetensors$/i.test(output))
    throw usage(
      `${output} cannot be written: the result is a program`,
      "name it OUT.pt2 for PyTorch, or OUT.sir for IR text",
    );
  if (output !== STANDARD) await requireFolder(output);
}

/**
 * Writes a program as `.pt2`, or as IR text with its tensors beside it; `-` is standard output, as
 * one text.
 * @throws SconceError `FILE`, `NOT_SAVABLE`, `DTYPE`, `NO_VALUES`
 */
export async function writeProgram(
  output: string,
  program: ExportedProgram,
  io: Pick<SafeIo, "exact" | "warn">,
  operators?: OperatorLookup,
): Promise<void> {
  if (output === STANDARD) for (const piece of sirWithTensors(program)) io.exact(piece);
  else if (isPt2(output))
    await savePt2File(program, output, {
      ...(operators && { operators }),
      onWarning: (message) => io.warn(message),
    });
  else await writeSir(output, program);
}

/**
 * Reports what was written: as JSON if asked, else as a summary. Behind a program on standard
 * output only JSON is reported, on standard error.
 */
export function reportWritten(
  facts: { readonly output: string },
  summary: string,
  asJson: boolean | undefined,
  io: SafeIo,
): void {
  if (facts.output === STANDARD) {
    if (asJson) io.err(jsonLine(facts));
  } else if (asJson) io.out(json(facts));
  else io.summary(summary);
}
