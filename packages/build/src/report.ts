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

/** A call that no kernel of WebAssembly computes. */
export interface HostCall {
  /** The name of the node in the lowered program. */
  readonly node: string;
  /** The operator. */
  readonly target: string;
  /** Why the backend does not compute it. */
  readonly reason: string;
}

/** What was built. */
export interface BuildReport {
  /** All files, in order. */
  readonly files: readonly BuiltFile[];
  /** Calls of the lowered program. */
  readonly calls: number;
  /**
   * Calls that are not in kernels of WebAssembly: numbers, control flow, kernels of the
   * interpreter.
   */
  readonly hostCalls: readonly HostCall[];
  /** Bytes of the interpreter's kernels in the module; 0 without any. */
  readonly interpreterBytes: number;
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
  interpreter: string | undefined,
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
    hostCalls: nodes.flatMap(({ node, target, place, reason = "the interpreter runs it" }) =>
      place === "host" ? [{ node, target, reason }] : [],
    ),
    interpreterBytes: interpreter?.length ?? 0,
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
