/** @file The calls of a program whose values are compared, in runs that fit into memory. */
import { type ExportedProgram, FakeTensor, type Node } from "@sconce/ir";
import { dtypeInfo } from "@sconce/tensor";
import type { RunSizes } from "../backends/sizes.js";

/** Returns the calls of a program whose results are single tensors, in order. */
export const tensorCalls = (program: ExportedProgram): Node[] =>
  program.graph.nodes().filter(({ op, meta }) => op === "call_function" && meta.val instanceof FakeTensor);

/** Groups nodes whose values take so many bytes together; a larger value is alone. */
export function* batches(nodes: readonly Node[], bytes: number, sizes: RunSizes): Generator<readonly Node[]> {
  let batch: Node[] = [];
  let held = 0;
  for (const node of nodes) {
    const needed = bytesOf(node, sizes);
    if (batch.length > 0 && held + needed > bytes) {
      yield batch;
      [batch, held] = [[], 0];
    }
    batch.push(node);
    held += needed;
  }
  if (batch.length > 0) yield batch;
}

/** Bytes of a value; sizes that are not known count as 1. */
function bytesOf({ meta }: Node, sizes: RunSizes): number {
  const { dtype, shape } = meta.val as FakeTensor;
  return shape.reduce<number>(
    (bytes, size) => bytes * (sizes.expected(size, 1) ?? 1),
    dtypeInfo(dtype).itemSize,
  );
}
