/** @file The kernels that come with an interpreter, which a page may load in parts. */
import type { Graph } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { KernelTable } from "../kernel/kernel.js";

/** Calls to run: those of a graph and of the graphs inside of it, or any. */
export type Calls = Graph | "any";

/** Kernels by target, and what loads those of them that are not there yet. */
export interface KernelSet {
  /** All kernels; one that is not loaded throws `PART_NOT_LOADED`. */
  readonly table: KernelTable;
  /** Returns whether the calls find their kernels loaded. */
  has(calls: Calls, operators: OperatorTable): boolean;
  /**
   * Loads what the calls may need.
   * @throws SconceError `PART_NOT_LOADED` when a module cannot be loaded
   */
  load(calls: Calls, operators: OperatorTable): Promise<void>;
}
