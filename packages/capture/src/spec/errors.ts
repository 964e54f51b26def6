/** @file Errors of a `ShapesSpec`; the messages are PyTorch's. */
import { type ErrorEdit, SconceError } from "@sconce/errors";

const FORM =
  'write `new ShapesSpec({ x: new TensorSpec([new ShapeVar("batch"), STATIC]) })`, with an entry for each parameter that is dynamic';

/** Returns the error for a specification that cannot be made, or does not fit the inputs. */
export const badSpec = (message: string, fix = FORM, edits?: readonly ErrorEdit[]): SconceError =>
  new SconceError({ code: "SHAPES_SPEC", message, where: "dynamicShapes", fix, edits });
