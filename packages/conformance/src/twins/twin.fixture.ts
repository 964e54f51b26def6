/** @file Models that are written twice: here, and in `oracle/twins.py`. */
import { type Exportable, type ExportOptions, manualSeed, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";

/** A model with the arguments of its example call. */
export interface Twin {
  readonly model: Exportable;
  readonly args: readonly unknown[];
  readonly options?: ExportOptions;
}

/** Models by the names of their twins. */
export type Twins = Readonly<Record<string, () => Twin>>;

/** Returns a random tensor of floats. */
export const floats = (...sizes: number[]): Tensor => torch.randn(...sizes);

/** Returns the integers from 0 on, taken by `high`, in a shape. */
export const integers = (high: number, ...sizes: number[]): Tensor =>
  torch
    .arange(sizes.reduce((a, b) => a * b, 1))
    .mul(7)
    .remainder(high)
    .reshape(sizes);

/** Makes a twin with the seeds of the Python script: one for the weights, one for the inputs. */
export function twin(
  make: () => Exportable,
  args: () => readonly unknown[],
  options?: ExportOptions,
): () => Twin {
  return () => {
    manualSeed(7);
    const model = make();
    manualSeed(11);
    return options === undefined ? { model, args: args() } : { model, args: args(), options };
  };
}
