/** @file Values for programs that were exported without any. */
import { type ExportedProgram, missingValues } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";

/**
 * Returns a program of which PyTorch recorded only dtypes and shapes, with zeros for its state:
 * passes that compute with weights refuse it as it is. The same object for a program that has its
 * values.
 */
export const withStandIns = (program: ExportedProgram): ExportedProgram =>
  program.withState(
    new Map(
      missingValues(program).map(({ name, tensor }) => [name, Tensor.empty(tensor.shape, tensor.dtype)]),
    ),
  );
