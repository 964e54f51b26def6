/** @file Where loops of kernels begin and end. */
import type { KernelOperand } from "../kernel/kernel.js";

/** The range of a loop. */
export interface LoopRange {
  /** The axis whose place the counter is. */
  readonly axis?: string | undefined;
  /** Other axes that change with the loop. */
  readonly changes?: Iterable<string> | undefined;
  readonly start?: KernelOperand | undefined;
  readonly end: KernelOperand;
  readonly step?: number | undefined;
}
