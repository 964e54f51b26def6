/** @file What all layouts share: the options of reading, and how the parts become a program. */
import {
  Budget,
  type Limits,
  LONG_WORK,
  type LongWorkOptions,
  type OptionNames,
  LIMITS as WORK_LIMITS,
} from "@sconce/errors";
import { ExportedProgram, type PytreeRegistry } from "@sconce/ir";
import type { SourceLimits } from "../source.js";
import { checkState } from "./consistency.js";
import type { OperatorPolicy, ProgramDescription } from "./program.js";
import type { SavedInputs } from "./sample-inputs.js";
import type { Payload } from "./weights.js";

/** Bounds on reading a file: on the work, and on what its source may send. */
export interface ReadLimits extends Limits, SourceLimits {}

/**
 * How `readPt2` reads a file: which operators may be unknown, bounds on what the file claims, and
 * how to stop. Progress counts the bytes of the entries that were read.
 */
export interface ReadPt2Options extends OperatorPolicy, LongWorkOptions {
  /** Which of several programs in the archive. Default `model`. */
  readonly model?: string | undefined;
  /** Bounds on what the file may claim; those left out keep their defaults. */
  readonly limits?: ReadLimits | undefined;
  /** A budget of work that several readers share; the limits of work are then not read. */
  readonly budget?: Budget | undefined;
  /**
   * Classes registered with pytree, by serialized name: what reads them from the saved example
   * inputs.
   */
  readonly pytreeTypes?: PytreeRegistry | undefined;
}

/** The names of the limits. */
export const LIMITS: OptionNames<ReadLimits> = {
  maxStreamBytes: true,
  stallMilliseconds: true,
  ...WORK_LIMITS,
};

/** The names of the options. */
export const READ_OPTIONS: OptionNames<ReadPt2Options> = {
  model: true,
  limits: true,
  budget: true,
  ...LONG_WORK,
  pytreeTypes: true,
  operators: true,
  unknownOperators: true,
};

/** Options with the budget that all parts of the file count on. */
export interface CountedOptions extends ReadPt2Options {
  readonly budget: Budget;
}

/** How many bytes of a program's JSON stand for one value at least; PyTorch's own files have 22. */
export const JSON_BYTES_PER_NODE = 12;

/** The budget of a file: the shared one of the options, or one for its size. */
export const budgetFor = (
  { budget, limits }: Pick<ReadPt2Options, "budget" | "limits">,
  size: number,
): Budget => budget ?? new Budget(size, limits, JSON_BYTES_PER_NODE);

/** Joins the parts of a program and checks that they fit. */
export function assemble(
  description: ProgramDescription,
  weights: Payload,
  constants: Payload,
  exampleInputs: SavedInputs | null,
): ExportedProgram {
  checkState(description, weights, constants);
  return new ExportedProgram({
    ...description,
    stateDict: weights.tensors,
    parameterNames: weights.parameterNames,
    constants: constants.tensors,
    exampleInputs,
  });
}
