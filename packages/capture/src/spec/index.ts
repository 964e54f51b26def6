/** @file `ShapesSpec` and its parts. */

export { badSpec } from "./errors.js";
export {
  attachedSpec,
  dynamicSpec,
  ParamsSpec,
  type ParamsSpecInit,
  ShapesSpec,
  type ShapesSpecOptions,
} from "./shapes-spec.js";
export { makeSpecInputs } from "./spec-inputs.js";
export {
  DictSpec,
  type IntermediateSpec,
  type LeafIntSpec,
  ObjectSpec,
  SeqSpec,
  STATIC,
  TensorSpec,
} from "./specs.js";
