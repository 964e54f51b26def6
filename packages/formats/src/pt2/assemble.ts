/** @file What all layouts share: the options of reading, and how the parts become a program. */
import type { OptionNames } from "@sconce/errors";
import { ExportedProgram, type PytreeRegistry } from "@sconce/ir";
import { checkState } from "./consistency.js";
import type { OperatorPolicy, ProgramDescription } from "./program.js";
import { type SampleInputOptions, SavedInputs } from "./sample-inputs.js";
import type { Payload } from "./weights.js";

/**
 * How `readPt2` reads a file: which operators may be unknown, bounds on what the file claims, and
 * how to stop.
 */
export interface ReadPt2Options extends OperatorPolicy {
  /** Which of several programs in the archive. Default `model`. */
  readonly model?: string | undefined;
  /** Bounds on what the file may claim; those left out keep their defaults. */
  readonly limits?:
    | {
        /** Most bytes to take from a stream. Default 4 GiB less one. */
        readonly maxStreamBytes?: number | undefined;
        /**
         * Most bytes that compressed entries may unpack to. Default 64 MiB and four times the file.
         */
        readonly maxInflatedBytes?: number | undefined;
      }
    | undefined;
  /** Stops reading; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Classes registered with pytree, by serialized name: what reads them from the saved example
   * inputs.
   */
  readonly pytreeTypes?: PytreeRegistry | undefined;
}

/** The names of the limits. */
export const LIMITS: OptionNames<NonNullable<ReadPt2Options["limits"]>> = {
  maxStreamBytes: true,
  maxInflatedBytes: true,
};

/** The names of the options. */
export const READ_OPTIONS: OptionNames<ReadPt2Options> = {
  model: true,
  limits: true,
  signal: true,
  pytreeTypes: true,
  operators: true,
  unknownOperators: true,
};

/**
 * Sample inputs of a program; null for an empty record, or where no specification says how to
 * flatten them.
 */
export function savedInputs(
  bytes: Uint8Array,
  record: string,
  description: ProgramDescription,
  options: SampleInputOptions,
): SavedInputs | null {
  const inSpec = description.moduleCallGraph[0]?.signature?.inSpec;
  return bytes.length === 0 || inSpec === undefined ? null : new SavedInputs(bytes, inSpec, record, options);
}

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
