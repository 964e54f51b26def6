import type { ExportedProgram } from "@sconce/ir";

/**
 * How close the outputs of a program can be expected to be when it is computed in another correct
 * way.
 */
export interface Tolerance {
  /** Relative tolerance, of the expected value. */
  readonly rtol: number;
  /** Absolute tolerance. */
  readonly atol: number;
}

const NOISE = new WeakMap<ExportedProgram, Tolerance>();

/** Notes what rounding may do to the values that a generated program gives. */
export function rememberNoise(program: ExportedProgram, facts: readonly { readonly noise: number }[]): void {
  const most = facts.reduce((noise, fact) => Math.max(noise, fact.noise), 0);
  NOISE.set(program, { rtol: 1e-5 + most, atol: 1e-6 + 4 * most });
}

/** Returns the tolerance for results of a generated program; undefined for any other. */
export const toleranceOf = (program: ExportedProgram): Tolerance | undefined => NOISE.get(program);
