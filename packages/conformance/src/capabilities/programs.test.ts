/** @file Capabilities of programs, graphs, nodes, metadata, signatures and texts. */
import { exportProgram, nn, torch, tuple } from "@sconce/capture";
import { codeText, dimOrderOf, type ExportedProgram, FakeTensor, graphText, signatureRepr } from "@sconce/ir";
import { parseGraph } from "@sconce/ir/text";
import { verify, verifyGraph } from "@sconce/ir/verify";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { checked, exported, exportedAndRun, saved, sconce } from "./corpus.fixture.js";

const names = ({ graph }: ExportedProgram): string[] => [...graph.nodes()].map(({ name }) => name);
const targets = ({ graph }: ExportedProgram): string[] =>
  [...graph.nodes()].filter(({ op }) => op === "call_function").map(({ target }) => target);

test("a program has graph, signature, state, ranges, calls, guards and example inputs [S-057, S-136]", async () => {
  const { program } = await exported("api_dynamic_branches");
  expect(program.graph.size).toBeGreaterThan(5);
  expect(program.graphSignature.inputSpecs).toHaveLength(7);
  expect([program.stateDict.size, program.constants.size]).toEqual([4, 1]);
  expect([...program.rangeConstraints.keys()]).toHaveLength(1);
  const [root] = program.moduleCallGraph;
  expect([root!.fqn, root!.signature!.forwardArgNames]).toEqual(["", ["x1", "x2"]]);
  expect(root!.signature!.inSpec).toBe(program.inSpec);
  expect(program.guardsCode).not.toEqual([]);
  expect(program.exampleInputs!.leaves).toHaveLength(2);
  expect(program.verifiers).toEqual([{ name: "TrainingIRVerifier", dialect: "TRAINING" }]);
});

describe("graphs", () => {
  test("branches are nested graphs, read by get_attr and printed nested [S-055, T-16]", async () => {
    const compared = await checked("ir_cond");
    expect(compared).toEqual(expect.arrayContaining(["text program.loaded.txt", "run"]));
    const { graph } = await saved("ir_cond");
    const read = [...graph.nodes()].filter(({ op }) => op === "get_attr").map(({ target }) => target);
    expect(read).toEqual([...graph.subgraphs.keys()]);
  });

  test("the smallest one is an output alone [S-060]", async () => {
    const graph = parseGraph("graph() { return () }");
    expect([graph.size, verifyGraph(graph)]).toEqual([1, []]);
    await exportedAndRun("ir_identity");
    await exportedAndRun("ir_none_output");
  });

  test("nodes have name, op, target, args, kwargs and meta; their arguments are the edges [S-063]", async () => {
    const { program } = await exported("ir_add");
    const node = program.graph.node("add");
    expect(Object.keys(node).sort()).toEqual(["args", "kwargs", "meta", "name", "op", "target"]);
    expect([node.name, node.op, node.target, node.kwargs]).toEqual([
      "add",
      "call_function",
      "aten.add.Tensor",
      {},
    ]);
    expect(program.graph.users("x").map(({ name }) => name)).toEqual(["add"]);
  });

  test("parameters and buffers are inputs, not get_attr nodes [S-067]", async () => {
    const { program } = await exported("api_custom_module");
    expect(names(program).slice(0, 5)).toEqual([
      "p_my_parameter",
      "b_my_buffer1",
      "b_my_buffer2",
      "x1",
      "x2",
    ]);
    expect([...program.graph.nodes()].map(({ op }) => op)).not.toContain("get_attr");
  });

  test("several results are read by getitem [S-072]", async () => {
    const { program } = await exportedAndRun("ir_meta_values");
    expect(targets(program).filter((target) => target === "operator.getitem")).toHaveLength(2);
    expect(names(program)).toEqual(expect.arrayContaining(["getitem", "getitem_1"]));
  });

  test("graphs in the older style are read [S-098, T-14]", () => {
    const graph = parseGraph(`graph(%arg0_1: f32[2], %arg1_1: f32[2]) {
      %add_tensor: f32[2] = aten.add.Tensor(%arg0_1, %arg1_1)
      return (%add_tensor)
    }`);
    expect(verifyGraph(graph)).toEqual([]);
    expect(codeText(graph)).toContain("def forward(self, arg0_1, arg1_1):");
  });
});

describe("metadata", () => {
  test("values are fake tensors, symbolic numbers, lists, or nothing [S-074]", async () => {
    const { program } = await exported("ir_meta_values");
    const kind = (val: unknown): unknown =>
      val instanceof FakeTensor
        ? "tensor"
        : Array.isArray(val)
          ? val.map(kind)
          : (val as { kind: string }).kind;
    const kinds = [...program.graph.nodes()].map(({ name, meta }) => [name, meta.val && kind(meta.val)]);
    expect(kinds).toEqual([
      ["x", "tensor"],
      ["sym_size_int_1", "SymInt"],
      ["max_pool2d_with_indices", ["tensor", "tensor"]],
      ["getitem", "tensor"],
      ["getitem_1", "tensor"],
      ["output", undefined],
    ]);
    const { program: asserting } = await exported("pm_nonzero_check");
    expect(asserting.graph.node("_assert_scalar_default").meta.val).toBeNull();
  });

  test("the stack of modules has paths and classes, as PyTorch's [S-075]", async () => {
    const { program } = await exported("ir_module_stack");
    const stack = (from: ExportedProgram): unknown =>
      from.graph
        .node("linear")
        .meta.nnModuleStack!.map(([key, path, type]) => [
          key,
          path,
          type.startsWith("torch.") ? type : "the model's",
        ]);
    expect(stack(program)).toEqual(stack(await saved("ir_module_stack")));
    expect(stack(program)).toHaveLength(3);
  });

  test("the original functions of strict exports survive lowering [S-076]", async () => {
    const program = await saved("strict_linear");
    expect(program.graph.node("linear").meta.sourceFnStack).toBeDefined();
    expect(await checked("strict_linear")).toEqual(expect.arrayContaining(["lower metadata"]));
  });

  test("calls have stack trace, module stack, function and value [T-10]", async () => {
    const { program } = await exported("api_dynamic_branches");
    for (const name of ["linear", "relu", "add"]) {
      const { stackTrace, nnModuleStack, torchFn, val } = program.graph.node(name).meta;
      expect([stackTrace, nnModuleStack, torchFn, val]).not.toContain(undefined);
    }
    expect((await saved("strict_linear")).graph.node("linear").meta.sourceFnStack).toBeDefined();
  });

  test("fake tensors have sizes, dtype, device and strides, which give the order [S-078, T-09]", async () => {
    const { program } = await exported("text_strides");
    const { val } = program.graph.node(names(program)[1]!).meta;
    const transposed = val as FakeTensor;
    expect(transposed).toMatchObject({
      dtype: "float32",
      shape: [3, 3],
      strides: [1, 3],
      device: { type: "cpu", index: null },
    });
    expect(dimOrderOf(transposed)).toEqual([1, 0]);
  });

  test("a static size is a constant, a dynamic one a symbolic number [S-079]", async () => {
    const { program } = await exported("shape_reshapes");
    const sizes = [...program.graph.nodes()].filter(({ target }) => target === "aten.sym_size.int");
    expect(sizes.map(({ meta }) => (meta.val as { kind: string }).kind)).toEqual(["SymInt", "SymInt"]);
    const flat = exportProgram((x: Tensor) => x.reshape(x.shape[0]! * x.shape[1]!), [torch.ones(2, 3)]);
    expect(flat.graph.node(names(flat)[1]!).args[1]).toEqual([6]);
  });
});

describe("signature", () => {
  test("is PyTorch's, with numbers of kinds [S-080, S-084]", async () => {
    const { program } = await exported("lifted_buffer_vs_constant");
    const kinds = signatureRepr(program.graphSignature).match(/(?:Input|Output)Kind\.\w+: \d/g);
    expect(kinds).toEqual([
      "InputKind.PARAMETER: 2",
      "InputKind.PARAMETER: 2",
      "InputKind.BUFFER: 3",
      "InputKind.CONSTANT_TENSOR: 4",
      "InputKind.USER_INPUT: 1",
      "OutputKind.USER_OUTPUT: 1",
    ]);
  });

  test("maps names of nodes to names of state [S-085]", async () => {
    const { program } = await exported("lifted_buffer_vs_constant");
    expect([...program.inputsToParameters]).toEqual([
      ["p_linear_weight", "linear.weight"],
      ["p_linear_bias", "linear.bias"],
    ]);
    expect([...program.inputsToBuffers]).toEqual([["b_scale", "scale"]]);
    expect([...program.inputsToLiftedTensorConstants]).toEqual([["c_offset", "offset"]]);
    expect([program.userInputs, program.userOutputs]).toEqual([[{ name: "x" }], [{ name: "add" }]]);
    expect(program.namedParameters().map(([name]) => name)).toEqual(["linear.weight", "linear.bias"]);
    expect(program.namedBuffers().map(([name]) => name)).toEqual(["scale"]);
    const { program: updating } = await exported("pm_buffer_updates");
    expect([...sconce.runDecompositions(updating).buffersToMutate.values()]).toEqual([
      "in_place",
      "sliced",
      "replaced",
    ]);
    expect(program.assertionDepToken).toBeNull();
  });

  test("placeholders of state have prefixes, user inputs their names [S-086, S-089, S-092]", async () => {
    const { program } = await exported("lifted_buffer_vs_constant");
    expect(names(program).slice(0, 5)).toEqual([
      "p_linear_weight",
      "p_linear_bias",
      "b_scale",
      "c_offset",
      "x",
    ]);
    expect([[...program.stateDict.keys()], [...program.constants.keys()]]).toEqual([
      ["linear.weight", "linear.bias", "scale"],
      ["offset"],
    ]);
  });

  test("only buffers are persistent or not, and others are in no state dict [S-087, T-11]", async () => {
    const { program } = await exportedAndRun("pm_state_reads");
    const { inputSpecs } = program.graphSignature;
    expect(inputSpecs.map(({ target, persistent }) => [target, persistent])).toEqual([
      ["weight", null],
      ["kept", true],
      ["passing", false],
      ["constant", null],
      [null, null],
    ]);
    expect([...program.stateDict.keys()]).toEqual(["weight", "kept"]);
  });

  test("the state dict has the names and values of the module [S-088]", () => {
    const model = new nn.Sequential(new nn.Linear(2, 3), new nn.BatchNorm1d(3));
    const { stateDict } = exportProgram(model, [torch.ones(4, 2)]);
    const values = (state: Iterable<readonly [string, Tensor]>): unknown[] =>
      [...state].map(([name, value]) => [name, value.toArray()]);
    expect(values(stateDict)).toEqual(values(model.stateDict()));
  });

  test("a joint graph names loss and gradients [S-139, S-140]", async () => {
    const joint = await saved("api_joint_backward", "joint");
    expect(joint.backwardSignature!.gradientsToParameters.size).toBe(2);
    expect([...joint.backwardSignature!.gradientsToParameters.values()]).toEqual([
      "linear.weight",
      "linear.bias",
    ]);
    expect(joint.graphSignature.outputSpecs[0]!.kind).toBe("LOSS_OUTPUT");
    expect(verify(joint)).toEqual([]);
  });
});

describe("texts", () => {
  test("dtypes have short names, scalars no sizes [S-096]", async () => {
    const { text } = await exported("text_dtypes");
    for (const type of ["f64[", "f16[", "bf16[", "i8[", "u8[", "b8[", "c64[", "f32[]"])
      expect(text).toContain(`"${type}`);
    expect((await exported("lifted_dtypes")).text).toMatch(/b_int64: "i64\[3\]".*b_int16: "i16\[3\]"/);
    expect((await exported("api_dynamic_branches")).text).toMatch(/x1: "f32\[s\d+, 64\]"/);
  });

  test("code frees values behind their last use [S-097]", async () => {
    const program = exportProgram((x: Tensor) => tuple(x.sin().cos()), [torch.ones(2)]);
    expect(codeText(program.graph).trim().split("\n")).toEqual([
      "def forward(self, x):",
      "    sin = torch.ops.aten.sin.default(x);  x = None",
      "    cos = torch.ops.aten.cos.default(sin);  sin = None",
      "    return (cos,)",
    ]);
    expect(graphText(program.graph)).toContain("%cos : [num_users=1] = call_function");
  });
});
