/** @file Functions that code of kernels calls. */

/** Finds the functions of a module that are not kernels. */
export interface SharedFunctions {
  /** Whether one instruction may multiply and add, which rounds once. */
  readonly relaxed: boolean;
  /** Returns the index of an imported function. */
  host(name: string): number;
  /** Returns the index of a function that is added when it is first needed. */
  helper(name: string): number;
}
