/** @file Programs that return the values of their nodes. */
import {
  type ExportedProgram,
  edit,
  FakeTensor,
  LEAF,
  type Node,
  type OutputSpec,
  ref,
  tuple,
  tupleSpec,
} from "@sconce/ir";
import { dtypeInfo } from "@sconce/tensor";
import type { RunSizes } from "../backends/sizes.js";

/** The calls of a program whose results are single tensors, in order. */
export const tensorCalls = (program: ExportedProgram): Node[] =>
  program.graph.nodes().filter(({ op, meta }) => op === "call_function" && meta.val instanceof FakeTensor);

/**
 * The program with the values of these nodes as its results. What it writes to buffers and inputs
 * is left out: the program is functional.
 */
export function returning(program: ExportedProgram, names: readonly string[]): ExportedProgram {
  const outputs = names.map((name) => ({ kind: "tensor", name }) as const);
  const outputSpecs = outputs.map((arg): OutputSpec => ({ kind: "USER_OUTPUT", arg, target: null }));
  const graph = edit(program.graph, (editor) => editor.setOutput(tuple(names.map(ref))));
  const moduleCallGraph = program.moduleCallGraph.map((entry) =>
    entry.fqn !== "" || entry.signature === null
      ? entry
      : { ...entry, signature: { ...entry.signature, outputs, outSpec: tupleSpec(names.map(() => LEAF)) } },
  );
  const { inputSpecs } = program.graphSignature;
  return program.with({ graph, graphSignature: { inputSpecs, outputSpecs }, moduleCallGraph });
}

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
