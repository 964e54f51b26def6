/** @file What a program that writes in place is compared as. */
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { isFunctional } from "../analysis/functional.js";
import { functionalized } from "../builtin/functionalize.js";

/**
 * Returns the program without writes in place when those are what a pass takes away; itself where
 * that cannot be.
 */
export function functionalBase(
  before: ExportedProgram,
  after: ExportedProgram,
  operators: OperatorTable,
): ExportedProgram {
  if (isFunctional(before, operators) || !isFunctional(after, operators)) return before;
  try {
    return functionalized(before, operators);
  } catch (error) {
    if (isSconceError(error)) return before;
    throw error;
  }
}
