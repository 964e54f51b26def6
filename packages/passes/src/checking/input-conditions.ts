/** @file Whether a program still refuses the inputs that it refused before a pass. */
import { isSconceError, type SconceError } from "@sconce/errors";
import type { ExportedProgram, Value } from "@sconce/ir";
import { type InputCheck, inputCheck } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { inputProbes, type ProbeOptions } from "../sampling/input-probes.js";

/** Inputs that a program refused, with the refusal, and that it takes now. */
export interface NewlyAccepted {
  readonly inputs: readonly Value[];
  readonly refusal: SconceError;
}

/**
 * Returns the first of the probed inputs that the program before refuses and the one after takes.
 * Runs nothing.
 */
export function newlyAccepted(
  before: ExportedProgram,
  after: ExportedProgram,
  options: ProbeOptions,
): NewlyAccepted | undefined {
  if (before.userInputs.length !== after.userInputs.length) return undefined;
  const [was, is] = [inputCheck(before), inputCheck(after)];
  for (const inputs of inputProbes(before, options)) {
    const refusal = refusalOf(was, inputs);
    if (refusal !== undefined && refusalOf(is, inputs) === undefined)
      return { inputs: inputs.map(filled), refusal };
  }
  return undefined;
}

function refusalOf(check: InputCheck, inputs: readonly Value[]): SconceError | undefined {
  try {
    check(inputs);
    return undefined;
  } catch (error) {
    if (isSconceError(error)) return error;
    throw error;
  }
}

/** Inputs are shown and written to files: those that are not too large get elements. */
const MOST_ELEMENTS = 1_000_000;

const filled = (value: Value): Value =>
  value instanceof Tensor && value.numel <= MOST_ELEMENTS ? Tensor.empty(value.shape, value.dtype) : value;
