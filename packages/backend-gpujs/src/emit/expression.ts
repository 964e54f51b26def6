/** @file Values of kernels as expressions of gpu.js source. */
import type { KernelVariable } from "@sconce/codegen";
import type { IndexText } from "./index-text.js";

/** What represents a value where it is read. */
export interface Expression extends IndexText {
  /** Whether it is true or false, not a number. */
  readonly isTest?: boolean;
  /** Variables whose changes it would see. */
  readonly reads?: readonly KernelVariable[];
}
/** Returns an expression that is true or false. */
export const test = (text: string): Expression => ({ text, rank: "atom", isTest: true });

/** Returns the text of a number; bools are 0 and 1. */
export const number = ({ text, isTest }: Expression): string => (isTest ? `(${text} ? 1 : 0)` : text);
/** Returns the text of a condition. */
export const condition = ({ text, isTest }: Expression): string => (isTest ? text : `(${text} > 0.5)`);

/** Returns the variables that expressions read together. */
export function readBy(expressions: readonly Expression[]): readonly KernelVariable[] | undefined {
  let all: readonly KernelVariable[] | undefined;
  for (const { reads } of expressions)
    if (reads !== undefined) all = all === undefined ? reads : [...new Set([...all, ...reads])];
  return all;
}
