/** @file The memory of executables: what a run of any backend may take, and what is in use. */
import {
  type Executable,
  type ExportedProgram,
  FakeTensor,
  type MemoryUse,
  nodePlace,
  type Value,
} from "@sconce/ir";
import { overLimit, storageBytes } from "@sconce/ops";
import type { IntLike } from "@sconce/symbolic";
import { dtypeInfo } from "@sconce/tensor";
import { RunSizes } from "./sizes.js";

/** Memory in use by the executables of a backend that were not disposed of. */
export interface BackendMemory extends MemoryUse {
  /** How many executables there are. */
  readonly executables: number;
}

const NOTHING: MemoryUse = { hostBytes: 0, tensors: 0, deviceBytes: 0, deviceBuffers: 0, keptBytes: 0 };

/** The executables of a session that were not disposed of, by backend. */
export class LiveExecutables {
  readonly #byBackend = new Map<string, Set<WeakRef<Executable>>>();

  /** Counts an executable; returns what counts it no longer. */
  add(backend: string, executable: Executable): () => void {
    const live = this.#byBackend.get(backend) ?? new Set();
    this.#byBackend.set(backend, live);
    const reference = new WeakRef(executable);
    live.add(reference);
    return () => void live.delete(reference);
  }

  /** Returns what the executables of each backend hold. */
  memory(backends: Iterable<string>): ReadonlyMap<string, BackendMemory> {
    const names = new Set([...backends, ...this.#byBackend.keys()]);
    return new Map([...names].map((name) => [name, this.#of(name)]));
  }

  #of(name: string): BackendMemory {
    const live = this.#byBackend.get(name) ?? new Set();
    let [total, executables] = [NOTHING, 0];
    for (const reference of live) {
      const executable = reference.deref();
      if (executable === undefined) {
        live.delete(reference);
        continue;
      }
      executables++;
      total = sum(total, usedBy(executable));
    }
    return { executables, ...total };
  }
}

/** Returns what an executable holds; of one that does not count, the bytes of its state. */
export const usedBy = (executable: Executable): MemoryUse =>
  executable.memory?.() ?? {
    ...NOTHING,
    hostBytes: storageBytes(executable.state.values()),
    tensors: executable.state.size,
  };

const sum = (a: MemoryUse, b: MemoryUse): MemoryUse => ({
  hostBytes: a.hostBytes + b.hostBytes,
  tensors: a.tensors + b.tensors,
  deviceBytes: a.deviceBytes + b.deviceBytes,
  deviceBuffers: a.deviceBuffers + b.deviceBuffers,
  keptBytes: a.keptBytes + b.keptBytes,
});

/** Refuses a run whose outputs, of the sizes that the inputs give, do not fit. */
export type OutputMemoryCheck = (inputs: readonly Value[]) => void;

/**
 * Prepares the check for a program: whatever a backend does in between, its outputs are there in
 * the end.
 *
 * @throws (when checking) SconceError `OUT_OF_MEMORY` with the node
 */
export function outputMemoryCheck(program: ExportedProgram, maxBytes: number): OutputMemoryCheck {
  const { graph, graphSignature } = program;
  const names = new Set(
    graphSignature.outputSpecs.flatMap(({ arg }) => (arg.kind === "tensor" ? [arg.name] : [])),
  );
  const nodes = [...names].flatMap((name) => {
    const node = graph.find(name);
    return node?.op === "call_function" && node.meta.val instanceof FakeTensor
      ? [{ node, val: node.meta.val }]
      : [];
  });
  return (inputs) => {
    const sizes = RunSizes.of(program, inputs);
    let total = 0;
    for (const { node, val } of nodes) {
      const bytes = bytesIn(val, sizes);
      if (total + bytes > maxBytes)
        throw overLimit(
          bytes,
          maxBytes - total,
          `for a result of shape [${val.shape.map(String).join(", ")}] and dtype ${val.dtype}`,
          nodePlace(node),
        );
      total += bytes;
    }
  };
}

/**
 * Bytes of the elements that a result has in memory; 0 where a size depends on data. Recorded
 * strides only show elements that share their memory: a file may state any.
 */
function bytesIn({ dtype, shape, strides }: FakeTensor, sizes: RunSizes): number {
  const sizeOf = (size: IntLike): number | undefined => (typeof size === "number" ? size : sizes.known(size));
  let [last, elements] = [0, 1];
  for (const [d, size] of shape.entries()) {
    const [count, stride] = [sizeOf(size), sizeOf(strides[d]!)];
    if (count === undefined || stride === undefined || count === 0) return 0;
    last += (count - 1) * stride;
    elements *= count;
  }
  return Math.min(last + 1, elements) * dtypeInfo(dtype).itemSize;
}
