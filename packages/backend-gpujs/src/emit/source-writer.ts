import type { Index, Scalar } from "@sconce/codegen";
import type { Locals } from "./functions.js";

/** Writes the source of one kernel: the statements so far, and the texts of scalars and indices. */
export interface SourceWriter extends Locals {
  /** Returns an unused name that starts with the letter. */
  fresh(letter: string): string;
  /** Adds a statement. */
  line(text: string): void;
  /** Writes a block; `axis` when it is a loop's, which always runs. */
  block(head: string, body: () => void, axis?: string): void;
  /** Sets the expression that an axis has from here on. */
  nameAxis(name: string, source: string): void;
  /** Returns the axes that a scalar depends on, by name. */
  axesOf(scalar: Scalar): ReadonlySet<string>;
  /** Returns the expression of an index; `isWide` when it counts more elements than floats can. */
  index(index: Index, isWide?: boolean): string;
  /** Returns the expression of a value as a number; bools are 0 and 1. */
  number(scalar: Scalar): string;
  /** Returns a number as a literal, or by its bits where there is no literal for it. */
  constant(value: number | bigint | boolean, isFloat?: boolean): string;
  /** Returns what holds, as an expression for tests. */
  condition(scalar: Scalar): string;
}
