/** @file The loop nests of a program as commands report them. */
import { LOOP_PIPELINE, type LoweredProgram, lowerProgram } from "@sconce/codegen";
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import type { Sconce } from "@sconce/session";

/**
 * Returns a program brought into the form that loops are made of, and its loops. One that cannot be
 * lowered stays as it is, every call of it with an interpreter, as backends do with it.
 */
export function loopsOf(
  program: ExportedProgram,
  session: Sconce,
): { readonly prepared: ExportedProgram; readonly lowered: LoweredProgram } {
  try {
    const prepared = session.transform(program, LOOP_PIPELINE);
    return { prepared, lowered: lowerProgram(prepared, { operators: session.operators }) };
  } catch (error) {
    if (!isSconceError(error, "PASS_FAILED") && !isSconceError(error, "NOT_FUNCTIONAL")) throw error;
    const calls = program.graph.calls();
    const reason = `the program cannot be lowered: ${error.message}`;
    const left = calls.map(({ name, target }) => ({ node: name, target, reason }));
    return { prepared: program, lowered: { program, regions: [], left } };
  }
}
