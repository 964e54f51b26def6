import { edit } from "@sconce/ir";
import { parseIr, printIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { strip } from "./strip.js";

const tensors = new Map([
  ["w", Tensor.from([1, 2], { dtype: "float32" })],
  ["c", Tensor.from([3, 4], { dtype: "float32" })],
]);
const plain = parseIr(
  `program "ATEN" {
  parameter "w": f32[2]
  constant "c": f32[2]
  input %p_w: PARAMETER "w"
  input %c_c: CONSTANT_TENSOR "c"
  input %x: USER_INPUT
  output %b: USER_OUTPUT
}
graph(%p_w: f32[2], %c_c: f32[2], %x: f32[2]) {
  %a: f32[2] = aten.mul.Tensor(%x, %p_w)
  %b: f32[2] = aten.add.Tensor(%a, %c_c)
  return (%b)

  graph body(%y: f32[2]) {
    %z: f32[2] = aten.relu.default(%y)
    return (%z)
  }
}`,
  { tensors },
);
const SECRET = "/home/author/model.py";
const graph = edit(plain.graph, (e) => {
  e.setMeta("a", {
    val: plain.graph.node("a").meta.val!,
    stackTrace: `File "${SECRET}", line 3`,
    nnModuleStack: [["L__self__fc", "fc", "secret.Net"]],
    sourceFnStack: [["mul", "secret.mul"]],
    torchFn: ["mul_1", "secret.mul"],
    custom: { note: "secret" },
    extra: { from: "secret" },
    origin: { pass: "secret", from: [] },
  });
});
const program = plain.with({
  graph,
  exampleInputs: { leaves: [Tensor.from([5, 6])] },
  history: [{ pass: "secret", patches: [], inverse: [], before: {}, after: {} }],
});

test("what shows the author is removed, and what is computed stays", () => {
  const bare = strip(program);
  expect(bare.graph.node("a").meta).toEqual({
    val: plain.graph.node("a").meta.val,
    nnModuleStack: [["L__self__fc", "fc", "torch.nn.modules.module.Module"]],
  });
  expect([bare.exampleInputs, bare.history, bare.undone]).toEqual([null, [], []]);
  expect([bare.stateDict, bare.constants]).toEqual([program.stateDict, program.constants]);
  expect(printIr(bare)).not.toMatch(/secret|author/);
  expect(printIr(program)).toMatch(/secret|author/);
  expect(bare.graph.node("b")).toBe(program.graph.node("b"));
});

test("paths of modules and values are removed if asked", () => {
  const bare = strip(program, { modules: true, weights: true });
  expect(bare.graph.node("a").meta).toEqual({ val: plain.graph.node("a").meta.val });
  for (const tensor of [...bare.stateDict.values(), ...bare.constants.values()])
    expect([tensor.hasValues, tensor.dtype, tensor.shape]).toEqual([false, "float32", [2]]);
  expect([...program.stateDict.values()].every(({ hasValues }) => hasValues)).toBe(true);
});

test("tensors that share memory still do without their values", () => {
  const w = tensors.get("w")!;
  const tied = program.with({ constants: new Map([["c", w.asStrided([2], [1])]]) });
  const { stateDict, constants } = strip(tied, { weights: true });
  expect(constants.get("c")!.storage).toBe(stateDict.get("w")!.storage);
});

test("unknown options are refused", () => {
  expect(() => strip(program, { weight: true } as never)).toThrow(
    expect.objectContaining({ code: "UNKNOWN_OPTION" }),
  );
});
