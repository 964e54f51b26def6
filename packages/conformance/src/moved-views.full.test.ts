/**
 * @file `sink-transposes` and `fuse-regions` on random graphs of views and pointwise calls: every
 * bit and stride stays.
 */
import {
  type Argument,
  ExportedProgram,
  FakeTensor,
  type InputSpec,
  isRef,
  itemsOf,
  NO_KWARGS,
  type Node,
  ref,
  tuple,
} from "@sconce/ir";
import { verify } from "@sconce/ir/verify";
import { defaultOperators, metaOf } from "@sconce/ops";
import {
  builtinPasses,
  type Draw,
  drawFrom,
  PassManager,
  propagateShapes,
  sampleInputs,
} from "@sconce/passes";
import { ShapeEnv } from "@sconce/symbolic";
import { meaningDifference } from "@sconce/testing";
import { expect, test } from "vitest";
import { graphOf } from "./graph-of.js";

const operators = defaultOperators();
const SHAPES = [[6], [2, 3], [3, 2], [1, 6], [2, 1, 3], [3, 2, 1], [6, 1]];
const UNARY = ["relu", "neg", "sigmoid", "abs"];
const BINARY = ["add", "mul", "sub"];

/** Calls on inputs of six elements each; what a shape rule refuses is left out. */
class RandomGraph {
  readonly nodes: Node[] = [];
  readonly #draw: Draw;
  readonly #env = new ShapeEnv();

  constructor(seed: number) {
    this.#draw = drawFrom(seed);
    for (const [name, shape] of [
      ["x", [2, 3]],
      ["y", [2, 3]],
      ["z", [3, 2]],
      ["s", []],
    ] as const) {
      const val = new FakeTensor({
        dtype: "float32",
        shape,
        strides: shape.map((_, d) => (d === 0 ? shape[1]! : 1)),
      });
      this.nodes.push({ name, op: "placeholder", target: name, args: [], kwargs: NO_KWARGS, meta: { val } });
    }
    for (let i = 0; i < 24; i++) this.#step(i);
  }

  program(): ExportedProgram {
    const calls = this.nodes.filter((node) => node.op === "call_function");
    const results = [calls.at(-1)!, calls.at(-3)!, calls[this.#draw.integer(0, calls.length - 1)]!];
    const output = tuple(results.map(({ name }) => ref(name)));
    const graph = graphOf([
      ...this.nodes,
      { name: "output", op: "output", target: "output", args: [output], kwargs: NO_KWARGS, meta: {} },
    ]);
    const inputSpecs = graph.placeholders().map(
      ({ name }): InputSpec => ({
        kind: "USER_INPUT",
        arg: { kind: "tensor", name },
        target: null,
        persistent: null,
      }),
    );
    return new ExportedProgram({
      graph,
      graphSignature: {
        inputSpecs,
        outputSpecs: (itemsOf(output) ?? []).flatMap((value) =>
          isRef(value)
            ? [{ kind: "USER_OUTPUT", target: null, arg: { kind: "tensor", name: value.name } } as const]
            : [],
        ),
      },
      stateDict: new Map(),
      parameterNames: new Set(),
      constants: new Map(),
      rangeConstraints: new Map(),
      moduleCallGraph: [],
      dialect: "ATEN",
    });
  }

  #step(i: number): void {
    const node = this.#recent();
    const { ndim } = node.meta.val as FakeTensor;
    const dim = this.#draw.integer(0, Math.max(0, ndim - 1));
    const kinds: readonly (readonly [target: string, args: readonly Argument[]])[] = [
      ["aten.permute.default", [ref(node.name), Array.from({ length: ndim }, (_, d) => ndim - 1 - d)]],
      ["aten.permute.default", [ref(node.name), Array.from({ length: ndim }, (_, d) => (d + 1) % ndim)]],
      ["aten.view.default", [ref(node.name), this.#pick(SHAPES)]],
      ["aten.unsqueeze.default", [ref(node.name), dim]],
      ["aten.squeeze.dim", [ref(node.name), dim]],
      [`aten.${this.#pick(UNARY)}.default`, [ref(node.name)]],
      [`aten.${this.#pick(UNARY)}.default`, [ref(node.name)]],
      [`aten.${this.#pick(BINARY)}.Tensor`, [ref(node.name), ref(this.#recent().name)]],
      [`aten.${this.#pick(BINARY)}.Tensor`, [ref(node.name), ref("s")]],
    ];
    const [target, args] = this.#pick(kinds);
    const resolve = ({ name }: { readonly name: string }): unknown =>
      this.nodes.find((other) => other.name === name)!.meta.val;
    try {
      const val = metaOf(operators, target, args, {}, this.#env, resolve as never) as FakeTensor;
      if (val.ndim > 4 || (val.shape as number[]).reduce((a, b) => a * b, 1) > 6) return;
      const meta = { val: new FakeTensor(val) };
      this.nodes.push({ name: `v${i}`, op: "call_function", target, args, kwargs: NO_KWARGS, meta });
    } catch {
      // The sizes do not go together.
    }
  }

  #recent(): Node {
    return this.nodes[Math.max(0, this.nodes.length - 1 - this.#draw.integer(0, 4))]!;
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#draw.integer(0, items.length - 1)]!;
  }
}

const isView = (target: string): boolean => /permute|view|squeeze/.test(target);
const views = (program: ExportedProgram): number =>
  program.graph.nodes().filter(({ target }) => isView(target)).length;

test.each(["sink-transposes", "fuse-regions"])("%s keeps every bit", async (name) => {
  const pass = builtinPasses.find((one) => one.name === name)!;
  let changed = 0;
  for (let seed = 0; seed < 400; seed++) {
    const before = new RandomGraph(seed).program();
    const after = new PassManager({ operators }, { verify: true }).run(before, [pass]);
    if (after === before) continue;
    changed++;
    expect(verify(propagateShapes(after, operators), { operators })).toEqual([]);
    if (name === "sink-transposes") expect(views(after)).toBeLessThan(views(before));
    const inputs = sampleInputs(before, { count: 2, seed: 7 });
    expect(await meaningDifference(after, { of: before, inputs, rtol: 0, atol: 0 })).toBeUndefined();
  }
  expect(changed).toBeGreaterThan(100);
});
