/** @file Runs kernels of one thread. */
import { type DType, elementReader, elementWriter, type TypedArray, valueTable } from "@sconce/tensor";
import type { Kernel } from "../kernel/kernel.js";
import type { Element } from "./functions.js";
import { printJavaScript } from "./print.js";

/** Elements of a buffer. */
export interface ElementData {
  readonly dtype: DType;
  readonly data: TypedArray;
}

/** Runs a kernel on the buffers of its program. */
export function runJavaScript(kernel: Kernel, buffers: (id: number) => ElementData): void {
  const { source, functions } = printJavaScript(kernel);
  const data = kernel.memories.map(({ buffer }) => buffers(buffer!));
  // The source is made of numbers and of the printer's own words.
  const run = new Function("f", "r", "w", source) as (
    f: typeof functions,
    r: readonly ((at: number) => Element)[],
    w: readonly ((at: number, value: Element) => void)[],
  ) => void;
  run(
    functions,
    data.map(readerOf),
    data.map(({ dtype, data: elements }) => elementWriter(dtype, elements)),
  );
}

function readerOf({ dtype, data }: ElementData): (at: number) => Element {
  const table = valueTable(dtype);
  if (table === undefined) return elementReader(dtype, data) as (at: number) => Element;
  return (at) => table[data[at] as number]!;
}
