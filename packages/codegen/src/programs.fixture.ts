/** @file What tests of lowering share. Not exported. */
import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import type { LoopProgram } from "./ir/loop-program.js";
import { printLoops } from "./ir/print-loops.js";
import { type LowerToLoopsOptions, lowerToLoops } from "./lower/lower.js";

const operators = defaultOperators();

/** The loops of a graph in IR text. */
export const loopsOf = (text: string, options: Partial<LowerToLoopsOptions> = {}): LoopProgram =>
  lowerToLoops(parseGraph(text), { operators, ...options });
/** The same as text. */
export const textOf = (text: string, options?: Partial<LowerToLoopsOptions>): string =>
  printLoops(loopsOf(text, options));
