import "sconce/testing/vitest";
import { createEvaluator, createSconce, kernels, passes, Tensor } from "sconce";
import { describe, expect, test } from "vitest";
import { difference, fuse, openDigits, openSession } from "./fuse.js";
import { addmmRelu, addmmReluKernel, fuseAddmmRelu } from "./plugin.js";

const sconce = openSession();
const digits = await openDigits(sconce);
/** `relu(addmm(...))` with a bias of this type. */
const layer = (bias: string) =>
  createSconce().parseIr(`sconce-ir 1
program "ATEN" {
  input %bias: USER_INPUT input %a: USER_INPUT input %b: USER_INPUT output %relu: USER_OUTPUT
}
graph(%bias: ${bias}, %a: f32[2, 4], %b: f32[4, 3]) {
  %addmm: f32[2, 3] = aten.addmm.default(%bias, %a, %b)
  %relu: f32[2, 3] = aten.relu.default(%addmm)
  return (%relu)
}`);

describe("the operator", () => {
  const { operators } = sconce;
  const byKernel = createEvaluator({ operators, kernels: kernels.table([addmmReluKernel]) });
  const byDecomposition = createEvaluator({ operators });
  const bias = Tensor.from([1, -2, 0.5], [3], "float32");
  const a = Tensor.from([1, 2, 3, 4, -1, -2, -3, -4], [2, 4], "float32");
  const b = Tensor.from([1, 0, -1, 2, 1, 0, -2, 3, 1, 0, 1, 1], [4, 3], "float32");

  test.each([
    ["rows", b],
    ["columns", b.asStrided([4, 3], [1, 4])],
  ])("gives by its kernel what it gives by its decomposition, with %s", (_, right) => {
    const want = byDecomposition(addmmRelu.target, [bias, a, right]) as Tensor;
    expect(byKernel(addmmRelu.target, [bias, a, right])).toBeCloseToTensor(want);
  });

  test("stays in lowered programs", () => {
    expect(sconce.defaultDecompositions().has(addmmRelu.target)).toBe(false);
    expect(sconce.describeSupport(addmmRelu.target).get("cpu")).toBe("kernel");
  });
});

describe("the rule", () => {
  const rewrite = "rewrite{rules=[fuse-addmm-relu]}";

  test("fires", async () => {
    const program = layer("f32[3]");
    const after = sconce.transform(program, rewrite, { verify: true });
    expect(after).toEqualIR(
      "graph(%bias, %a, %b) { %addmm_relu = fused.addmm_relu.default(%bias, %a, %b) return (%addmm_relu) }",
    );
    const [operators, backend] = [sconce.operators, sconce.backends.get("cpu")];
    await expect(after).toPreserveMeaning({ of: program, operators, backend });
  });

  test("does not fire on a bias of two dimensions, and says why", () => {
    const program = layer("f32[2, 3]");
    expect(sconce.transform(program, rewrite)).toBe(program);
    expect(passes.explainRule(program, fuseAddmmRelu, sconce.operators)[0]?.reason).toBe(
      "the bias is not one-dimensional",
    );
  });
});

describe("the pass", () => {
  test("drops dropout, and nothing else", () => {
    const after = sconce.transform(digits, "drop-dropout", { verify: true });
    expect(digits).toHaveOps({ "aten.dropout.default": 1 });
    expect(after).toHaveOps({ "aten.dropout.default": 0 });
    expect(after.graph.size).toBe(digits.graph.size - 1);
    expect(sconce.transform(after, "drop-dropout")).toBe(after);
  });
});

describe("the digit classifier", () => {
  test("has one layer fused, and classifies as before", async () => {
    const { program, steps } = fuse(sconce, digits);
    expect(program).toHaveOps({ [addmmRelu.target]: 1, "aten.relu.default": 2 });
    expect(steps).toEqual([
      "drop-dropout: 32 -> 31 nodes",
      "decompose: 31 -> 38 nodes",
      "rewrite: 38 -> 37 nodes, fuse-addmm-relu fired 1x",
      "dce: unchanged",
    ]);
    const [operators, backend] = [sconce.operators, sconce.backends.get("cpu")];
    await expect(program).toPreserveMeaning({ of: digits, operators, backend, rtol: 1e-4, atol: 1e-4 });
  });

  test("reports the changes and nothing else", () => {
    const before = String(digits);
    const lines = difference(sconce, digits, fuse(sconce, digits).program);
    expect(lines.filter((line) => line.startsWith("+")).join()).toContain("fused.addmm_relu.default");
    expect(lines.some((line) => line.includes("convolution"))).toBe(false);
    expect(String(digits)).toBe(before);
  });
});
