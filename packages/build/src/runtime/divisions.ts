/** @file Divisions of integers by zero, at which kernels stop. */
import { ModelError } from "./error.js";

interface Runs {
  run(inputs: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/**
 * Gives the stop of a kernel the error of the program. Engines have no other sign of it than their
 * text.
 */
export function dividing<Model extends Runs>(model: Model): Model {
  const run = model.run.bind(model);
  model.run = (inputs) =>
    run(inputs).catch((cause: unknown) => {
      const isStop = !(cause instanceof ModelError) && /by zero/i.test((cause as Error).message);
      throw isStop ? new ModelError("DIVISION_BY_ZERO", "ZeroDivisionError", cause) : cause;
    });
  return model;
}
