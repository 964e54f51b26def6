/** @file Generated programs that several properties are checked on: they are drawn once. */
import type { ExportedProgram } from "@sconce/ir";
import fc from "fast-check";

/** How programs are drawn. */
const RUNS = { seed: 19_491_001, numRuns: 700 };

/** 700 programs, which are the same in each run. */
export class DrawnPrograms {
  readonly #arbitrary: fc.Arbitrary<ExportedProgram>;
  readonly #programs: ExportedProgram[] = [];

  constructor(arbitrary: fc.Arbitrary<ExportedProgram>) {
    this.#arbitrary = arbitrary;
    fc.assert(
      fc.property(arbitrary, (program) => {
        this.#programs.push(program);
      }),
      RUNS,
    );
  }

  /**
   * Checks a property on all programs; the first that fails is made smaller, as fast-check does.
   */
  async assert(holds: (program: ExportedProgram) => Promise<void>): Promise<void> {
    for (const program of this.#programs) {
      try {
        await holds(program);
      } catch (error) {
        await fc.assert(fc.asyncProperty(this.#arbitrary, holds), RUNS);
        throw error;
      }
    }
  }
}

/** Returns a function of programs, which is called once for each. */
export function once<T>(compute: (program: ExportedProgram) => T): (program: ExportedProgram) => T {
  const known = new WeakMap<ExportedProgram, { readonly value: T }>();
  return (program) => {
    const found = known.get(program) ?? { value: compute(program) };
    known.set(program, found);
    return found.value;
  };
}
