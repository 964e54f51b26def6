import {
  type Argument,
  type ArgumentSpec,
  ExportedProgram,
  FakeTensor,
  float,
  type Graph,
  GraphBuilder,
  type InputSpec,
  type MetaValue,
  type OutputSpec,
  ref,
  symFloat,
  tuple,
  type Value,
} from "@sconce/ir";
import { symbol } from "@sconce/symbolic";
import { Storage, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { readNumbers } from "../kernel/dense.js";
import { cpuBackend } from "./backend.js";

const f32 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor => {
  const tensor = Tensor.empty(shape, "float32");
  (tensor.data as Float32Array).set(values);
  return tensor;
};
const bool = (value: boolean): Tensor => {
  const tensor = Tensor.empty([], "bool");
  (tensor.data as Uint8Array)[0] = value ? 1 : 0;
  return tensor;
};
const numbers = (value: unknown): number[] => [...readNumbers(value as Tensor)];
const meta = (shape: readonly number[]): { val: MetaValue } => ({
  val: new FakeTensor({
    dtype: "float32",
    shape,
    strides: shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1)),
  }),
});

const spec = (name: string): ArgumentSpec => ({ kind: "tensor", name });
const user = (name: string): InputSpec => ({
  kind: "USER_INPUT",
  arg: spec(name),
  target: null,
  persistent: null,
});
const buffer = (name: string, target: string): InputSpec => ({
  kind: "BUFFER",
  arg: spec(name),
  target,
  persistent: true,
});
const output = (
  name: string,
  kind: OutputSpec["kind"] = "USER_OUTPUT",
  target: string | null = null,
): OutputSpec => ({ kind, arg: spec(name), target });

function program(
  graph: Graph,
  inputSpecs: readonly InputSpec[],
  outputSpecs: readonly OutputSpec[],
  state: Readonly<Record<string, Tensor>> = {},
): ExportedProgram {
  return new ExportedProgram({
    graph,
    graphSignature: { inputSpecs, outputSpecs },
    stateDict: new Map(Object.entries(state)),
    parameterNames: new Set(),
    constants: new Map(),
    rangeConstraints: new Map(),
    moduleCallGraph: [],
    dialect: "TRAINING",
  });
}

/** A program of one input `x: f32[shape]` whose graph `build` makes; it gives the output's name. */
function single(shape: readonly number[], build: (b: GraphBuilder, x: Argument) => string): ExportedProgram {
  const b = new GraphBuilder();
  const name = build(b, b.placeholder("x", meta(shape)));
  b.output(tuple([ref(name)]));
  return program(b.build(), [user("x")], [output(name)]);
}

async function run(one: ExportedProgram, ...inputs: Value[]): Promise<readonly Value[]> {
  return (await cpuBackend().compile(one)).run(inputs);
}

function graphOf(inputs: readonly string[], build: (b: GraphBuilder) => Argument): Graph {
  const b = new GraphBuilder();
  for (const name of inputs) b.placeholder(name);
  b.output(build(b));
  return b.build();
}

describe("state", () => {
  const counter = (): ExportedProgram => {
    const b = new GraphBuilder();
    const count = b.placeholder("b_count", meta([1]));
    b.call("add_", "aten.add_.Tensor", [count, b.placeholder("x", meta([1]))]);
    b.output(tuple([ref("add_")]));
    return program(b.build(), [buffer("b_count", "count"), user("x")], [output("add_")], {
      count: f32([10]),
    });
  };

  test("in-place updates carry over between runs and leave the program alone", async () => {
    const one = counter();
    const executable = await cpuBackend().compile(one);
    await executable.run([f32([1])]);
    await executable.run([f32([2])]);
    expect(numbers(executable.state.get("count"))).toEqual([13]);
    expect(numbers(one.stateDict.get("count"))).toEqual([10]);
  });

  test("mutations that are outputs are written back", async () => {
    const b = new GraphBuilder();
    const count = b.placeholder("b_count", meta([1]));
    const x = b.placeholder("x", meta([1]));
    b.call("add", "aten.add.Tensor", [count, x]);
    b.call("mul", "aten.mul.Tensor", [x, 2]);
    b.output(tuple([ref("add"), ref("mul"), ref("add")]));
    const outputs = [
      output("add", "BUFFER_MUTATION", "count"),
      output("mul", "USER_INPUT_MUTATION", "x"),
      output("add"),
    ];
    const executable = await cpuBackend().compile(
      program(b.build(), [buffer("b_count", "count"), user("x")], outputs, { count: f32([10]) }),
    );
    const input = f32([3]);
    const [sum] = await executable.run([input]);
    expect([numbers(sum), numbers(input), numbers(executable.state.get("count"))]).toEqual([[13], [6], [13]]);
  });

  test("mutations that are outputs are refused where elements share a place, before any is written", async () => {
    const b = new GraphBuilder();
    const [count, x] = [b.placeholder("b_count", meta([1])), b.placeholder("x", meta([2]))];
    b.output(
      tuple([b.call("more", "aten.add.Tensor", [count, 1]), b.call("sum", "aten.add.Tensor", [x, 1])]),
    );
    const outputs = [output("more", "BUFFER_MUTATION", "count"), output("sum", "USER_INPUT_MUTATION", "x")];
    const executable = await cpuBackend().compile(
      program(b.build(), [buffer("b_count", "count"), user("x")], outputs, { count: f32([10]) }),
    );
    const expanded = f32([3]).asStrided([2], [0], 0);
    await expect(executable.run([expanded])).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("more than one element of the written-to tensor"),
      where: "sum",
    });
    expect([numbers(expanded), numbers(executable.state.get("count"))]).toEqual([[3, 3], [10]]);
    const dense = f32([3, 4]);
    await executable.run([dense]);
    expect([numbers(dense), numbers(executable.state.get("count"))]).toEqual([[4, 5], [11]]);
  });

  test("a mutation that gives an expanded tensor itself is none", async () => {
    const b = new GraphBuilder();
    b.output(tuple([b.placeholder("x", meta([2])), b.placeholder("y", meta([2]))]));
    const outputs = [output("x", "USER_INPUT_MUTATION", "x"), output("y", "USER_OUTPUT")];
    const executable = await cpuBackend().compile(program(b.build(), [user("x"), user("y")], outputs, {}));
    const expanded = f32([3]).asStrided([2], [0], 0);
    expect(numbers((await executable.run([expanded, f32([1, 2])]))[0])).toEqual([1, 2]);
    expect(numbers(expanded)).toEqual([3, 3]);
  });
});

test("batch normalization in training moves its own statistics, not the program's", async () => {
  const b = new GraphBuilder();
  const [mean, variance] = [b.placeholder("b_mean", meta([1])), b.placeholder("b_var", meta([1]))];
  const x = b.placeholder("x", meta([2, 1]));
  const args = [x, null, null, mean, variance, true, 0.5, 1e-5, false];
  b.output(tuple([b.call("norm", "aten.batch_norm.default", args)]));
  // Weights of a file lie in a window of its bytes, in Node a `Buffer`, whose `slice` does not
  // copy.
  const bytes = Buffer.alloc(8);
  const state = {
    mean: new Tensor({ dtype: "float32", shape: [1], storage: new Storage(bytes.subarray(4)) }),
  };
  const specs = [buffer("b_mean", "mean"), buffer("b_var", "var"), user("x")];
  const one = program(b.build(), specs, [output("norm")], { ...state, var: f32([1]) });
  const executable = await cpuBackend().compile(one);
  await executable.run([f32([1, 3], [2, 1])]);
  expect([numbers(executable.state.get("mean")), numbers(executable.state.get("var"))]).toEqual([[1], [1.5]]);
  expect([numbers(state.mean), numbers(one.stateDict.get("var"))]).toEqual([[0], [1]]);
});

describe("control flow", () => {
  test("cond runs the branch that the predicate picks [S-053]", async () => {
    const b = new GraphBuilder();
    b.placeholder("p", { val: new FakeTensor({ dtype: "bool", shape: [], strides: [] }) });
    b.placeholder("x", meta([1]));
    b.getAttr(
      "t",
      "true_graph_0",
      graphOf(["x"], (g) => tuple([g.call("add", "aten.add.Tensor", [ref("x"), 1])])),
    );
    b.getAttr(
      "f",
      "false_graph_0",
      graphOf(["x"], (g) => tuple([g.call("neg", "aten.neg.default", [ref("x")])])),
    );
    b.call("cond", "higher_order.cond", [ref("p"), ref("t"), ref("f"), tuple([ref("x")])]);
    b.output(tuple([b.call("getitem", "operator.getitem", [ref("cond"), 0])]));
    const one = program(b.build(), [user("p"), user("x")], [output("getitem")]);
    expect(numbers((await run(one, bool(true), f32([5])))[0])).toEqual([6]);
    expect(numbers((await run(one, bool(false), f32([5])))[0])).toEqual([-5]);
  });

  test("while_loop runs until its condition fails", async () => {
    const one = single([1], (b, x) => {
      b.getAttr(
        "c",
        "cond_0",
        graphOf(["a"], (g) => g.call("lt", "aten.lt.Scalar", [ref("a"), 100])),
      );
      b.getAttr(
        "d",
        "body_0",
        graphOf(["a"], (g) => tuple([g.call("mul", "aten.mul.Tensor", [ref("a"), 2])])),
      );
      b.call("while_loop", "higher_order.while_loop", [ref("c"), ref("d"), tuple([x]), tuple([])]);
      return b.call("getitem", "operator.getitem", [ref("while_loop"), 0]).name;
    });
    expect(numbers((await run(one, f32([3])))[0])).toEqual([192]);
  });

  test("scan carries and stacks, map only stacks [S-054]", async () => {
    const one = single([3], (b, x) => {
      b.getAttr(
        "s",
        "scan_0",
        graphOf(["c", "v"], (g) => {
          const sum = g.call("add", "aten.add.Tensor", [ref("c"), ref("v")]);
          return [sum, g.call("clone", "aten.clone.default", [sum])];
        }),
      );
      b.call("first", "aten.select.int", [x, 0, 0]);
      b.call("scan", "higher_order.scan", [ref("s"), [ref("first")], [x], tuple([])]);
      b.call("sums", "operator.getitem", [ref("scan"), 1]);
      b.getAttr(
        "m",
        "body_0",
        graphOf(["v"], (g) => tuple([g.call("neg", "aten.neg.default", [ref("v")])])),
      );
      b.call("map_impl", "higher_order.map_impl", [ref("m"), [ref("sums")], []]);
      return b.call("getitem", "operator.getitem", [ref("map_impl"), 0]).name;
    });
    expect(numbers((await run(one, f32([1, 2, 3])))[0])).toEqual([-2, -4, -7]);
  });

  test("a vmap region runs once for each lane", async () => {
    const at = "torch._functorch.predispatch.";
    const one = single([2, 3], (b, x) => {
      b.call("open", `${at}_vmap_increment_nesting`, [3, "error"]);
      b.call("lane", `${at}_add_batch_dim`, [x, 1, 1]);
      b.call("sum", "aten.sum.default", [ref("lane")]);
      b.call("out", `${at}_remove_batch_dim`, [ref("sum"), 1, 3, 0]);
      b.call("close", `${at}_vmap_decrement_nesting`, []);
      return "out";
    });
    expect(numbers((await run(one, f32([1, 2, 3, 10, 20, 30], [2, 3])))[0])).toEqual([11, 22, 33]);
  });
});

describe("running", () => {
  test("Python floats keep their type on the way in", async () => {
    const b = new GraphBuilder();
    b.placeholder("s", { val: symFloat(symbol("zf0", { float: true })) });
    b.call("full", "aten.full.default", [[1], ref("s")]);
    b.output(tuple([ref("full"), b.call("mul", "operator.mul", [ref("s"), float(2)])]));
    const scalar: InputSpec = {
      kind: "USER_INPUT",
      arg: { kind: "symfloat", name: "s" },
      target: null,
      persistent: null,
    };
    const [full, product] = await run(program(b.build(), [scalar], [output("full"), output("mul")]), 3);
    expect([(full as Tensor).dtype, numbers(full), product]).toEqual(["float32", [3], 6]);
  });

  test("progress and profile name every node", async () => {
    const executable = await cpuBackend().compile(
      single([1], (b, x) => b.call("neg", "aten.neg.default", [x]).name),
    );
    const seen: string[] = [];
    await executable.run([f32([1])], {
      onProgress: ({ done, total, item }) => seen.push(`${done}/${total} ${item}`),
    });
    expect(seen).toEqual(["0/1 neg", "1/1 "]);
    expect(executable.profile?.().map(({ node }) => node)).toEqual(["neg"]);
  });

  test("a signal stops an endless loop", async () => {
    const endless = single([1], (b, x) => {
      b.getAttr(
        "c",
        "cond_0",
        graphOf(["a"], (g) => g.call("eq", "aten.eq.Tensor", [ref("a"), ref("a")])),
      );
      b.getAttr(
        "d",
        "body_0",
        graphOf(["a"], (g) => tuple([g.call("clone", "aten.clone.default", [ref("a")])])),
      );
      b.call("while_loop", "higher_order.while_loop", [ref("c"), ref("d"), tuple([x]), tuple([])]);
      return b.call("getitem", "operator.getitem", [ref("while_loop"), 0]).name;
    });
    const executable = await cpuBackend().compile(endless);
    await expect(executable.run([f32([1])], { signal: AbortSignal.timeout(40) })).rejects.toMatchObject({
      code: "ABORTED",
    });
  });

  test("an error names the node and the user's line [S-132]", async () => {
    const one = single([1], (b, x) => {
      const stackTrace = '  File "model.py", line 7, in forward\n    y = x.view(2)\n';
      return b.call("view", "aten.view.default", [x, [2]], {}, { stackTrace }).name;
    });
    await expect(run(one, f32([1]))).rejects.toMatchObject({
      where: expect.stringContaining('node "view" (aten.view.default), model.py:7'),
    });
  });

  test("a failed assertion reports the program's message", async () => {
    const one = single([1], (b, x) => {
      b.call("lt", "aten.lt.Scalar", [x, 0]);
      b.call("all_1", "aten.all.default", [ref("lt")]);
      b.call("check", "aten._assert_async.msg", [ref("all_1"), "x has to be negative"]);
      return "lt";
    });
    await expect(run(one, f32([1]))).rejects.toMatchObject({
      code: "ASSERTION_FAILED",
      message: "x has to be negative",
    });
  });

  test("values die after their last use, outputs live", async () => {
    const one = single([1], (b, x) => {
      b.call("a", "aten.neg.default", [x]);
      b.call("unused", "aten.exp.default", [ref("a")]);
      return b.call("b", "aten.neg.default", [ref("a")]).name;
    });
    expect(numbers((await run(one, f32([4])))[0])).toEqual([4]);
  });

  test("placement is reported before anything runs", () => {
    const b = new GraphBuilder();
    b.call("odd", "mylib.odd.default", []);
    b.output(tuple([]));
    const graph = b.build();
    expect(cpuBackend().supports(graph.node("odd"), graph)).toMatchObject({
      reason: expect.stringContaining("mylib.odd.default"),
    });
  });
});
