import type { ExportedProgram, InputKind } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";

const WEIGHTS: ReadonlySet<InputKind> = new Set<InputKind>(["PARAMETER", "BUFFER"]);

/**
 * Placeholders with a value that no run changes: lifted tensor constants, and with `weights`
 * parameters and buffers that the program does not write to.
 */
export function constantInputs(program: ExportedProgram, weights: boolean): Map<string, Tensor> {
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const mutated = new Set(outputSpecs.map((spec) => spec.target));
  const values = new Map<string, Tensor>();
  for (const { kind, target, arg } of inputSpecs) {
    const counts = kind === "CONSTANT_TENSOR" || (weights && WEIGHTS.has(kind));
    const value = counts && target !== null && !mutated.has(target) ? program.tensor(target) : undefined;
    if (value !== undefined) values.set(arg.name, value);
  }
  return values;
}
