/** @file What a family of programs is. */
import { type Dim, exportProgram, nn } from "@sconce/capture";
import type { ExportedProgram } from "@sconce/ir";
import { type DType, Tensor, type Tensor as Traced } from "@sconce/tensor";

/** Programs of the same kind, of any number of steps. */
export interface Family {
  /** Calls of a step. */
  readonly calls: number;
  /** Shapes of the inputs. */
  readonly inputs: readonly (readonly number[])[] | ((steps: number) => readonly (readonly number[])[]);
  readonly dtype?: DType;
  /** What the first size of the first input is. */
  readonly dynamic?: (steps: number) => ReturnType<typeof Dim>;
  readonly run: (inputs: readonly Traced[], steps: number) => Traced | readonly Traced[];
}

/** Steps that each make a value of the one before. */
export const chain = (
  calls: number,
  shape: readonly number[],
  step: (x: Traced, at: number, start: Traced) => Traced,
  dtype: DType = "float32",
): Family => ({
  calls,
  inputs: [shape],
  dtype,
  run: ([start], steps) => {
    let x = start!;
    for (let at = 0; at < steps; at++) x = step(x, at, start!);
    return x;
  },
});

/** Values between 0 and 1, or whole numbers from 0 to 3. */
function inputOf(shape: readonly number[], dtype: DType): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  const values = Array.from({ length: count }, (_, i) =>
    dtype === "int64" ? i % 4 : ((i * 5 + 3) % 16) / 17,
  );
  return Tensor.from(values, [...shape], dtype);
}

export interface FamilyProgram {
  readonly program: ExportedProgram;
  readonly inputs: readonly Tensor[];
}

/** Returns the program of a family of about so many calls. */
export function programOf(
  { calls, inputs, dtype = "float32", dynamic, run }: Family,
  count: number,
): FamilyProgram {
  const steps = Math.max(1, Math.round(count / calls));
  const shapes = typeof inputs === "function" ? inputs(steps) : inputs;
  const given = shapes.map((shape) => inputOf(shape, dtype));
  class Program extends nn.Module {
    override forward(xs: readonly Traced[]): Traced | readonly Traced[] {
      return run(xs, steps);
    }
  }
  const options = dynamic === undefined ? {} : { dynamicShapes: { xs: [{ 0: dynamic(steps) }] } };
  return { program: exportProgram(new Program().eval(), [given], options), inputs: given };
}
