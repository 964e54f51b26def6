import { type OutputSpec, ref } from "@sconce/ir";
import { verify } from "@sconce/ir/verify";
import { describe, expect, test, vi } from "vitest";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { FunctionalTensor } from "../functionalize/functional-tensor.js";
import { programOf } from "../programs.fixture.js";

const calls = (text: string): string[] =>
  [...runDecompositions(programOf(text, "TRAINING")).graph.nodes()]
    .filter((node) => node.op === "call_function")
    .map((node) => node.target);

describe("in-place views", () => {
  test("resize_ to fewer elements is a view", () => {
    expect(
      calls(`graph(%x: f32[12]) {
      %y: f32[12] = aten.clone.default(%x)
      %z: f32[2, 3] = aten.resize_.default(%y, [2, 3])
      return (%z)
    }`),
    ).toEqual(["aten.clone.default", "aten.as_strided.default"]);
  });

  test("fill_diagonal_ writes through a strided view", () => {
    expect(
      calls(`graph(%x: f32[3, 3]) {
      %y: f32[3, 3] = aten.clone.default(%x)
      %z: f32[3, 3] = aten.fill_diagonal_.default(%y, 1.0)
      return (%z)
    }`),
    ).toEqual([
      "aten.clone.default",
      "aten.as_strided.default",
      "aten.full_like.default",
      "aten.as_strided_scatter.default",
    ]);
  });

  test("a write through a lazy conjugate goes through a copy", () => {
    expect(
      calls(`graph(%x: c64[3]) {
      %y: c64[3] = aten.clone.default(%x)
      %c: c64[3] = aten._conj.default(%y)
      %m: c64[3] = aten.mul_.Tensor(%c, 2)
      return (%y)
    }`),
    ).toEqual([
      "aten.clone.default",
      "aten._conj.default",
      "aten.clone.default",
      "aten.mul.Tensor",
      "aten.clone.default",
      "aten.copy.default",
      "aten._conj.default",
    ]);
  });
});

test("buffers that take each other's value: copies of copies go too", () => {
  const program = programOf(
    `graph(%b_a: f32[2, 2], %b_b: f32[2, 2], %x: f32[2, 2]) {
      %copy_: f32[2, 2] = aten.copy_.default(%b_a, %x)
      %copy__1: f32[2, 2] = aten.copy_.default(%b_b, %b_a)
      %y: f32[2, 2] = aten.relu.default(%x)
      return (%y)
    }`,
    "TRAINING",
  );
  const lowered = runDecompositions(program);
  expect(verify(lowered)).toEqual([]);
  expect([...lowered.buffersToMutate.keys()]).toEqual(["x"]);
  expect(lowered.graphSignature.outputSpecs.map(({ kind, target }) => `${kind} ${target}`)).toEqual([
    "BUFFER_MUTATION a",
    "BUFFER_MUTATION b",
    "USER_OUTPUT null",
  ]);
});

test("buffers that a functional program exchanges are still exchanged when it is lowered again", () => {
  const program = programOf(`graph(%b_a: f32[2, 2], %b_b: f32[2, 2], %x: f32[2, 2]) {
    %relu: f32[2, 2] = aten.relu.default(%x)
    return (%b_b, %b_a, %relu)
  }`);
  const write = (name: string, target: string): OutputSpec => ({
    kind: "BUFFER_MUTATION",
    arg: { kind: "tensor", name },
    target,
  });
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const specs = [write("b_b", "a"), write("b_a", "b"), outputSpecs[2]!];
  const swap = program.with({ graphSignature: { inputSpecs, outputSpecs: specs } });
  const lowered = runDecompositions(swap);
  expect(lowered.graphSignature.outputSpecs.map(({ target }) => target)).toEqual(["a", "b", null]);
  expect(["copy", "copy_1"].map((name) => lowered.graph.node(name).args)).toEqual([
    [ref("b_a"), ref("b_b")],
    [ref("b_b"), ref("b_a")],
  ]);
});

test("an assertion on values without a message is dropped, as PyTorch drops it", () => {
  expect(
    calls(`graph(%x: f32[3], %p: b8[]) {
    %checked = aten._assert_async.default(%p)
    %y: f32[3] = aten.neg.default(%x)
    return (%y)
  }`),
  ).toEqual(["aten.neg.default"]);
});

test("torch.vmap: reductions and selections act one dimension further right, other operators lane by lane", () => {
  expect(
    calls(`graph(%x: f32[2, 3]) {
    %in = torch._functorch.predispatch._vmap_increment_nesting(2, "error")
    %b: f32[3] = torch._functorch.predispatch._add_batch_dim(%x, 0, 1)
    %s: f32[] = aten.sum.default(%b)
    %f: f32[] = aten.select.int(%b, 0, 0)
    %a: f32[] = aten.add.Tensor(%s, %f)
    %r: f32[2] = torch._functorch.predispatch._remove_batch_dim(%a, 1, 2, 0)
    return (%r)
  }`),
  ).toEqual(["aten.sum.dim_IntList", "aten.select.int", "aten.add.Tensor"]);
});

test("a number of elements is computed size by size, in the order of dimensions", () => {
  const program = programOf(`graph(%x: f32[s77, 3, s53]) {
    %n: int(3*s53*s77) = aten.sym_numel.default(%x)
    %y: f32[s77, 3, s53] = aten.div.Tensor(%x, %n)
    return (%y)
  }`).with({
    rangeConstraints: new Map(["s53", "s77"].map((name) => [name, { min: 2, max: Infinity }])),
    dialect: "TRAINING",
  });
  const read = (dim: number): object => ({ target: "aten.sym_size.int", args: [ref("x"), dim] });
  expect([...runDecompositions(program).graph.nodes()].slice(1, -1)).toMatchObject([
    { ...read(0), name: "sym_size_int_2" },
    { ...read(2), name: "sym_size_int_3" },
    { target: "operator.mul", args: [ref("sym_size_int_2"), 3] },
    { target: "operator.mul", args: [ref("mul"), ref("sym_size_int_3")] },
    { target: "aten.div.Tensor" },
  ]);
});

test("picking from the results of a call looks at one of them", async () => {
  const reads = (count: number): number => {
    const names = Array.from({ length: count }, (_, i) => `%v${i}`);
    const program = programOf(`graph(%x: f32[${count}]) {
      %s: (${names.map(() => "f32[1]").join(", ")}) = aten.split.Tensor(%x, 1)
      ${names.map((name, i) => `${name}: f32[1] = operator.getitem(%s, ${i})`).join("\n")}
      return (${names.join(", ")})
    }`);
    const read = vi.spyOn(FunctionalTensor.prototype, "lastValue", "get");
    try {
      runDecompositions(program);
      return read.mock.calls.length;
    } finally {
      read.mockRestore();
    }
  };
  const [few, many] = [reads(20), reads(80)];
  expect(many).toBeGreaterThan(80);
  expect(many).toBeLessThanOrEqual(4 * few);
});
