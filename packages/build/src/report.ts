/** @file What a built module takes. */
import { fixedValue, product } from "@sconce/codegen";
import type { NodePlacement } from "@sconce/ir";
import { dtypeInfo } from "@sconce/tensor";
import { codesOf } from "./plan/module-plan.js";
import type { Timeline } from "./plan/timeline.js";

/** A file of a module. */
export interface BuiltFile {
  /** Its name in the folder. */
  readonly name: string;
  /** Bytes as they are. */
  readonly bytes: number;
  /** Bytes when it is compressed with gzip. */
  readonly gzipBytes: number;
}

/** What was built. */
export interface BuildReport {
  /** All files, in order. */
  readonly files: readonly BuiltFile[];
  /** Calls of the lowered program, which kernels compute. */
  readonly calls: number;
  /** Runs of kernels for each call of the module. */
  readonly kernels: number;
  /** Different kernels. */
  readonly functions: number;
  /** Bytes of memory for weights, as kernels read them. */
  readonly weightBytes: number;
  /** Bytes of values, each for itself, where all sizes are fixed. */
  readonly valueBytes: number | undefined;
}

/** Counts what a module takes. */
export async function reportOf(
  files: ReadonlyMap<string, Uint8Array>,
  timeline: Timeline,
  nodes: readonly NodePlacement[],
): Promise<BuildReport> {
  const bytes = timeline.values.map(
    ({ dtype, shape }) => (fixedValue(product(shape)) ?? Number.NaN) * dtypeInfo(dtype).itemSize,
  );
  const total = bytes.reduce((sum, one) => sum + one, 0);
  return {
    files: await Promise.all(
      [...files].map(async ([name, one]) => ({ name, bytes: one.length, gzipBytes: await gzipBytes(one) })),
    ),
    calls: nodes.length,
    kernels: timeline.steps.length,
    functions: new Set(codesOf(timeline).map(({ emit }) => emit)).size,
    weightBytes: timeline.constants.reduce((sum, one) => sum + one.bytes, 0),
    valueBytes: Number.isNaN(total) ? undefined : total,
  };
}

async function gzipBytes(bytes: Uint8Array): Promise<number> {
  const packed = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new CompressionStream("gzip"));
  return (await new Response(packed).arrayBuffer()).byteLength;
}
