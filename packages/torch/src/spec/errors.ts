/** @file Errors of variables of a `ShapesSpec`. */
import { SconceError } from "@sconce/errors";

/**
 * Returns the error for a variable that cannot be made, or a use that a specification does not
 * have.
 */
export const badVariable = (
  message: string,
  fix = 'write `new ShapeVar("batch", { min: 2, max: 64 })` for a size, and `new IntVar("offset")` for an integer',
): SconceError => new SconceError({ code: "SHAPES_SPEC", message, where: "dynamicShapes", fix });

/** Returns the error for a variable that no integer fits (`ValueRangeError`). */
export const emptyVariable = (name: string, min: number, max: number): SconceError =>
  badVariable(
    `Invalid ranges [${min}:${max}] of the variable ${name}`,
    "give a min that is not above the max",
  );
