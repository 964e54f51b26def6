/** @file What tests of lowering share. Not exported. */
import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import type { LoopProgram } from "./ir/loop-program.js";
import { printLoops } from "./ir/print-loops.js";
import type { Kernel } from "./kernel/kernel.js";
import { parseKernel } from "./kernel/parse.js";
import { printKernel } from "./kernel/print.js";
import { verifyKernel } from "./kernel/verify.js";
import { type LowerToLoopsOptions, lowerToLoops } from "./lower/lower.js";

const operators = defaultOperators();

/** Returns the loops of a graph in IR text. */
export const loopsOf = (text: string, options: Partial<LowerToLoopsOptions> = {}): LoopProgram =>
  lowerToLoops(parseGraph(text), { operators, ...options });
/** Returns the same as text. */
export const textOf = (text: string, options?: Partial<LowerToLoopsOptions>): string =>
  printLoops(loopsOf(text, options));

/** Returns a kernel as text, after it was verified, and read again from the text. */
export function textOfKernel(kernel: Kernel): string {
  verifyKernel(kernel);
  const text = printKernel(kernel);
  const read = parseKernel(text);
  verifyKernel(read);
  if (printKernel(read) !== text) throw new Error(`another kernel is read from ${text}`);
  return text;
}
