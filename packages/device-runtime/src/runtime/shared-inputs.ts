/**
 * @file Inputs that share memory. A lowered program writes to an input at its end, so a write does
 * not show in another input as it does in the program before lowering.
 */
import type { ExportedProgram, Value } from "@sconce/ir";
import { mutatedPlaceholders, type OperatorTable } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { sharedInputs } from "./errors.js";

/** Refuses the inputs of a run. @throws SconceError `INVALID_ARGUMENT` */
export type SharedCheck = (inputs: readonly Value[]) => void;

/** The check of a program; undefined where it does not write to inputs as it goes. */
export function sharedCheck(program: ExportedProgram, operators: OperatorTable): SharedCheck | undefined {
  const names = program.graphSignature.inputSpecs.flatMap(({ kind, arg }) =>
    kind !== "USER_INPUT" ? [] : [arg.kind === "tensor" ? arg.name : undefined],
  );
  const mutated = mutatedPlaceholders(program.graph, operators);
  const written = names.flatMap((name, at) => (name !== undefined && mutated.has(name) ? [at] : []));
  if (written.length === 0 || names.length < 2) return undefined;
  return (inputs) => {
    for (const at of written)
      for (const [other, input] of inputs.entries())
        if (other !== at && overlap(inputs[at], input)) throw sharedInputs(names[at]!, names[other]!);
  };
}

/** Whether two tensors have elements between each other's first and last. */
function overlap(a: Value | undefined, b: Value | undefined): boolean {
  if (!(a instanceof Tensor && b instanceof Tensor) || a.storage !== b.storage) return false;
  if (a.numel === 0 || b.numel === 0) return false;
  return a.storageOffset <= lastOf(b) && b.storageOffset <= lastOf(a);
}
const lastOf = ({ shape, strides, storageOffset }: Tensor): number =>
  shape.reduce((last, size, d) => last + (size - 1) * strides[d]!, storageOffset);
