/** @file What all layouts share: the budget of reading, and how the parts become a program. */
import { Budget } from "@sconce/errors";
import { ExportedProgram } from "@sconce/ir";
import { checkState } from "./consistency.js";
import type { ReadPt2Options } from "./options.js";
import type { ProgramDescription } from "./program.js";
import type { SavedInputs } from "./sample-inputs.js";
import type { Payload } from "./weights.js";

/** Options with the budget that all parts of the file count on. */
export interface CountedOptions extends ReadPt2Options {
  readonly budget: Budget;
}

/** How many bytes of a program's JSON represent one value at least; PyTorch's own files have 22. */
export const JSON_BYTES_PER_NODE = 12;

/** Returns the budget of a file: the shared one of the options, or one for its size. */
export const budgetFor = (
  { budget, limits }: Pick<ReadPt2Options, "budget" | "limits">,
  size: number,
): Budget => budget ?? new Budget(size, limits, JSON_BYTES_PER_NODE);

/** Joins the parts of a program and checks that they fit; `file` holds its description. */
export function assemble(
  file: string,
  description: ProgramDescription,
  weights: Payload,
  constants: Payload,
  exampleInputs: SavedInputs | null,
): ExportedProgram {
  checkState(file, description, weights, constants);
  return new ExportedProgram({
    ...description,
    stateDict: weights.tensors,
    parameterNames: weights.parameterNames,
    constants: constants.tensors,
    exampleInputs,
  });
}
