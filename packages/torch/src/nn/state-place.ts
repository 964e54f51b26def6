/** @file Where layers make their parameters. */
import { type DType, Tensor } from "@sconce/tensor";
import type { Device } from "../functions/argument-types.js";
import { isMetaDevice } from "../functions/arguments.js";
import { metaTensor } from "../trace/meta-tensors.js";

/** The dtype and the device of parameters. */
export interface StatePlace {
  readonly device: Device | null;
  readonly dtype: DType;
}

/** Where parameters are by default. */
export const PLACE: StatePlace = { device: null, dtype: "float32" };

/** Returns a new tensor for a parameter or a buffer. */
export const emptyState = (shape: readonly number[], { device, dtype }: StatePlace): Tensor =>
  isMetaDevice(device) ? metaTensor({ dtype, shape }) : Tensor.empty(shape, dtype);
