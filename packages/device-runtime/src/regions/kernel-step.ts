/** @file A kernel in the order of a region. */
import type { RegionStep } from "../device/device.js";

/** What one kernel computes: a nest, or nests over the same rows. */
export interface KernelStep extends RegionStep {
  /** The nest at whose place in the program it runs. */
  readonly at: number;
  /** The calls that it computes, by their names. */
  readonly nodes: readonly string[];
}
