/** @file The options of checks, without what checks. */
import type { OptionNames } from "@sconce/errors";
import type { Value } from "@sconce/ir";
import type { ToleranceOptions } from "@sconce/tensor/compare";
import type { SampleOptions } from "../sampling/sample-inputs.js";

/**
 * How passes are checked. Tolerances are by dtype those of `torch.testing.assert_close`, unless
 * given.
 */
export interface CheckOptions extends SampleOptions, ToleranceOptions {
  /** Sets of flat user inputs to run on; sampled when left out. */
  readonly inputs?: readonly (readonly Value[])[] | undefined;
  /**
   * Most iterations of all `while_loop`s of a run before the pass: 10,000 for inputs that are
   * drawn, unlimited for `inputs` that are given. A run that needs more is left out when its inputs
   * were drawn, since loops may not end on them; with given inputs it is an error (`LOOP_LIMIT`).
   * After the pass a run may take ten times the iterations of the run before.
   */
  readonly maxIterations?: number | undefined;
  /**
   * The bound for passes that change numbers on purpose (`changesNumbers`). Without one, passes
   * that declare their float dtype are allowed its rounding, and the others are not compared.
   */
  readonly changed?: ToleranceOptions | undefined;
}

/** The names of the options. */
export const CHECK_OPTIONS: OptionNames<CheckOptions> = {
  inputs: true,
  maxIterations: true,
  changed: true,
  seed: true,
  count: true,
  rtol: true,
  atol: true,
};
