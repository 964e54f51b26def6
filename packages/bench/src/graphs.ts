/** @file Synthetic programs for benchmarks of graph work. */
import {
  CPU,
  ExportedProgram,
  FakeTensor,
  type Graph,
  GraphBuilder,
  type NodeRef,
  ref,
  tuple,
} from "@sconce/ir";
import { contiguousStrides } from "@sconce/tensor";

const SHAPE = [4, 4];
export const fakeF32 = (shape: readonly number[] = SHAPE): FakeTensor =>
  new FakeTensor({ dtype: "float32", shape, strides: contiguousStrides(shape), device: CPU });

const OPS = ["aten.add.Tensor", "aten.mul.Tensor", "aten.relu.default"] as const;

/**
 * Returns a chain of add, mul and relu of `count` calls; with `dead`, every other node hangs off
 * the chain unused.
 */
export function chain(count: number, dead = false): Graph {
  const builder = new GraphBuilder();
  const meta = { val: fakeF32() };
  let current: NodeRef = builder.placeholder("x", meta);
  for (let i = 0; i < count; i++) {
    const target = OPS[i % 3]!;
    const next = builder.call(
      `n${i}`,
      target,
      target === "aten.relu.default" ? [current] : [current, current],
      {},
      meta,
    );
    if (!dead || i % 2 === 0) current = next;
  }
  builder.output(tuple([current]));
  return builder.build();
}

/**
 * Returns calls that each appear twice with the same arguments: half of the nodes are duplicates.
 */
export function duplicates(count: number): Graph {
  const builder = new GraphBuilder();
  const meta = { val: fakeF32() };
  let current: NodeRef = builder.placeholder("x", meta);
  for (let i = 0; i + 2 < count; i += 3) {
    const a = builder.call(`a${i}`, "aten.relu.default", [current], {}, meta);
    const b = builder.call(`b${i}`, "aten.relu.default", [current], {}, meta);
    current = builder.call(`c${i}`, "aten.add.Tensor", [a, b], {}, meta);
  }
  builder.output(tuple([current]));
  return builder.build();
}

/**
 * Constant subgraphs beside a live chain: a third of the calls depend on a lifted constant only.
 */
export function constants(count: number): Graph {
  const builder = new GraphBuilder();
  const meta = { val: fakeF32() };
  builder.placeholder("c_k", meta);
  let current: NodeRef = builder.placeholder("x", meta);
  for (let i = 0; i + 2 < count; i += 3) {
    const a = builder.call(`a${i}`, "aten.relu.default", [ref("c_k")], {}, meta);
    const b = builder.call(`b${i}`, "aten.mul.Tensor", [current, a], {}, meta);
    current = builder.call(`c${i}`, "aten.relu.default", [b], {}, meta);
  }
  builder.output(tuple([current]));
  return builder.build();
}

/**
 * Returns a program around a graph with user inputs, and constants where the placeholder is called
 * `c_k`.
 */
export function programOf(graph: Graph, constant?: ExportedProgram["constants"]): ExportedProgram {
  const output = graph.outputArgument() as { items: readonly NodeRef[] };
  return new ExportedProgram({
    graph,
    graphSignature: {
      inputSpecs: graph.placeholders().map((node) => ({
        kind: node.name === "c_k" ? "CONSTANT_TENSOR" : "USER_INPUT",
        arg: { kind: "tensor", name: node.name },
        target: node.name === "c_k" ? "k" : null,
        persistent: null,
      })),
      outputSpecs: output.items.map((item) => ({
        kind: "USER_OUTPUT",
        arg: { kind: "tensor", name: item.name },
        target: null,
      })),
    },
    stateDict: new Map(),
    parameterNames: new Set(),
    constants: constant ?? new Map(),
    rangeConstraints: new Map(),
    moduleCallGraph: [],
    dialect: "ATEN",
  });
}
