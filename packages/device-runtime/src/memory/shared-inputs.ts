/**
 * @file Inputs that share memory with what a program writes to. A lowered program writes at its
 * end, so a write does not show in another tensor as it does in the program before lowering.
 */
import type { ExportedProgram, Value } from "@sconce/ir";
import { mutatedPlaceholders, type OperatorTable, sharesPlaces } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { sharedInputs } from "./errors.js";

/**
 * Refuses the inputs of a run, or returns why the host has to compute it. @throws SconceError
 * `INVALID_ARGUMENT`
 */
export type SharedCheck = (inputs: readonly Value[]) => string | undefined;

/** Some calls write to such a tensor, and others refuse it. */
const SHARES_PLACES = "it writes to an input of which several elements are one place in memory";

/**
 * Returns the check of a program; undefined where it does not write to tensors as it goes.
 * @param own the state of the executable, by its names in the model
 */
export function sharedCheck(
  program: ExportedProgram,
  operators: OperatorTable,
  own: ReadonlyMap<string, Tensor>,
): SharedCheck | undefined {
  const mutated = mutatedPlaceholders(program.graph, operators);
  if (mutated.size === 0) return undefined;
  const { inputSpecs } = program.graphSignature;
  const names = inputSpecs.flatMap(({ kind, arg }) =>
    kind !== "USER_INPUT" ? [] : [arg.kind === "tensor" ? arg.name : undefined],
  );
  const written = names.flatMap((name, at) => (name !== undefined && mutated.has(name) ? [at] : []));
  const state = inputSpecs.flatMap(({ kind, arg, target }) =>
    kind !== "USER_INPUT" && target !== null && mutated.has(arg.name) ? [target] : [],
  );
  if (names.length === 0 || written.length + state.length === 0) return undefined;
  return (inputs) => {
    let reason: string | undefined;
    for (const at of written) {
      const input = inputs[at];
      if (input instanceof Tensor && input.numel > 0 && sharesPlaces(input)) reason = SHARES_PLACES;
      for (const [other, value] of inputs.entries())
        if (other !== at && overlap(input, value)) throw sharedInputs(names[at]!, names[other]!);
    }
    for (const name of state)
      for (const [at, input] of inputs.entries())
        if (overlap(own.get(name), input)) throw sharedInputs(name, names[at]!);
    return reason;
  };
}

/** Returns whether two tensors have elements between each other's first and last. */
function overlap(a: Value | undefined, b: Value | undefined): boolean {
  if (!(a instanceof Tensor && b instanceof Tensor) || a.storage !== b.storage) return false;
  if (a.numel === 0 || b.numel === 0) return false;
  return a.storageOffset <= lastOf(b) && b.storageOffset <= lastOf(a);
}
const lastOf = ({ shape, strides, storageOffset }: Tensor): number =>
  shape.reduce((last, size, d) => last + (size - 1) * strides[d]!, storageOffset);
