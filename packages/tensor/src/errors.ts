/** @file Every error that this package raises on purpose. */
import { SconceError } from "@sconce/errors";
import type { DType } from "./dtype.js";

export const promotionError = (a: DType, b: DType, family: string): SconceError =>
  new SconceError({
    code: "PROMOTION",
    message: `promotion for ${family} types is not supported, attempted to promote ${a} and ${b}`,
    fix: "convert one operand to the other's dtype first",
  });

export const elementCountMismatch = (have: number, shape: readonly number[]): SconceError =>
  new SconceError({
    code: "SHAPE",
    message: `${have} values do not fill the shape [${shape.join(", ")}]`,
    fix: `give ${shape.reduce((count, size) => count * size, 1)} values, or another shape`,
  });

export const indexOutOfRange = (index: readonly number[], shape: readonly number[]): SconceError =>
  new SconceError({
    code: "INDEX",
    message: `index [${index.join(", ")}] is out of range for the shape [${shape.join(", ")}]`,
    fix: "give one index for each dimension, from 0 to its size - 1",
  });

export const safetensorsError = (message: string, where?: string): SconceError =>
  new SconceError({
    code: "SAFETENSORS",
    message,
    where,
    fix: "write the file again; it is damaged or not safetensors",
  });

/** A shape that does not broadcast to the shape of the tensor that it is written to. */
export const broadcastMismatch = (from: readonly number[], to: readonly number[]): SconceError =>
  new SconceError({
    code: "SHAPE_MISMATCH",
    message: `output with shape [${to.join(", ")}] doesn't match the broadcast shape [${from.join(", ")}]`,
    fix: "expand the output, or reduce the value, to the same shape",
  });

const SUPPLY = "give the values: program.withState(tensors), or --weights FILE.safetensors";

/** Something read the bytes of a storage that has none. */
export const storageWithoutValues = (byteLength: number): SconceError =>
  new SconceError({
    code: "NO_VALUES",
    message: `a tensor of ${byteLength} bytes has a dtype and a shape but no values`,
    fix: SUPPLY,
  });

/** Tensors were to be written that have no values. */
export const writtenWithoutValues = (names: readonly string[]): SconceError =>
  new SconceError({
    code: "NO_VALUES",
    message: `${names.length === 1 ? "1 tensor has" : `${names.length} tensors have`} no values to write: ${names.map((name) => JSON.stringify(name)).join(", ")}`,
    where: names[0],
    fix: SUPPLY,
  });
