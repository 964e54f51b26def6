import { cpuBackend } from "@sconce/backend-cpu";
import type { Backend, ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { loadBackend } from "../backends.js";
import { createSconce } from "../index.js";

const parse = (signature: string, graph: string, dialect = "ATEN"): ExportedProgram =>
  parseIr(`sconce-ir 1\nprogram "${dialect}" {\n${signature}\n}\n${graph}`);

const STACK = '{"stackTrace":"File \\"/home/me/model.py\\", line 9, in forward\\n    y = y.relu()"}';
/** `y = relu(x - 1); values, indices = max(y, 1); y, exp(values)` */
const model = parse(
  "input %x: USER_INPUT output %relu: USER_OUTPUT output %exp: USER_OUTPUT",
  `graph(%x: f32[2, 3]) {
  %sub: f32[2, 3] = aten.sub.Tensor(%x, 1)
  %relu: f32[2, 3] = aten.relu.default(%sub) #0
  %max: (f32[2], i64[2]) = aten.max.dim(%relu, 1)
  %values: f32[2] = operator.getitem(%max, 0)
  %exp: f32[2] = aten.exp.default(%values)
  return (%relu, %exp)
}
metadata {
  #0 ${STACK}
}`,
);
const x = Tensor.from([
  [1, 2, 3.5],
  [-1, 0, 1],
]);

/** An interpreter whose relu adds 0.5 to each element. */
const wrongRelu = (name: string): Backend => ({
  ...cpuBackend({
    kernels: {
      "aten.relu.default": ({ self }) => {
        const input = self as Tensor;
        const values = input.toArray().map((value) => Math.max(0, Number(value)) + 0.5);
        return Tensor.from(values, input.shape, "float32");
      },
    },
  }),
  name,
});

describe("two backends", () => {
  test("the first node that differs is named, with its line", async () => {
    const sconce = createSconce({ backends: [wrongRelu("wrong")] });
    const report = await sconce.compareBackends(model, [x], ["cpu", "wrong"]);
    expect(report.backends).toEqual(["cpu", "wrong"]);
    expect(report.nodes.map(({ node, target, differs }) => [node, target, differs])).toEqual([
      ["sub", "aten.sub.Tensor", false],
      ["relu", "aten.relu.default", true],
      ["values", "aten.max.dim", true],
      ["exp", "aten.exp.default", true],
    ]);
    expect(report.first).toMatchObject({
      node: "relu",
      dtype: "float32",
      shape: [2, 3],
      maxAbsolute: 0.5,
      maxRelative: Infinity,
      differing: 6,
      first: [0, 0],
      line: expect.stringContaining("/home/me/model.py:9"),
    });
    expect(report.outputs.map(({ node, differs }) => [node, differs])).toEqual([
      ["relu", true],
      ["exp", true],
    ]);
    expect(report.differs).toBe(true);
  });

  test("tolerances admit it", async () => {
    const sconce = createSconce({ backends: [wrongRelu("wrong")] });
    const report = await sconce.compareBackends(model, [x], ["cpu", "wrong"], { atol: 10 });
    expect([report.differs, report.first]).toEqual([false, undefined]);
    expect(report.nodes[1]).toMatchObject({ maxAbsolute: 0.5, differing: 0 });
  });

  test("a device that agrees, with the places of nodes", async () => {
    const sconce = createSconce({ backends: [await loadBackend("gpujs:cpu")] });
    const progress: string[] = [];
    const report = await sconce.compareBackends(model, [x], ["cpu", "gpujs:cpu"], {
      onProgress: ({ done, total }) => progress.push(`${done}/${total}`),
    });
    expect([report.differs, report.first]).toEqual([false, undefined]);
    expect(report.nodes[0]!.place).toBe("device");
    expect(progress).toEqual(["0/4", "4/4"]);
  });

  test("a fault that shows only where nodes are not results is found", async () => {
    const cpu = cpuBackend();
    const fused: Backend = {
      ...cpu,
      name: "fused",
      // Wrong where relu is computed within another kernel, as in the program that returns exp
      // only.
      compile: (program, options) =>
        (program.userOutputs.length > 1 ? cpu : wrongRelu("")).compile(program, options),
    };
    const one = parse(
      "input %x: USER_INPUT output %exp: USER_OUTPUT",
      `graph(%x: f32[3]) {
  %neg: f32[3] = aten.neg.default(%x)
  %relu: f32[3] = aten.relu.default(%neg)
  %exp: f32[3] = aten.exp.default(%relu)
  return (%exp)
}`,
    );
    const sconce = createSconce({ backends: [fused] });
    const report = await sconce.compareBackends(one, [Tensor.from([1, 2, 0.5])], ["cpu", "fused"]);
    expect(report.nodes.some(({ differs }) => differs)).toBe(false);
    expect(report.outputs).toMatchObject([{ node: "exp", differs: true }]);
    expect(report.first).toMatchObject({ node: "relu", maxAbsolute: 0.5 });
  });
});

describe("programs", () => {
  test("with random numbers draw the same on both", async () => {
    const random = parse(
      "input %x: USER_INPUT output %y: USER_OUTPUT",
      `graph(%x: f32[5]) {
  %rand: f32[5] = aten.rand_like.default(%x)
  %y: f32[5] = aten.add.Tensor(%rand, %x)
  return (%y)
}`,
    );
    const sconce = createSconce({ backends: [await loadBackend("gpujs:cpu")] });
    const input = Tensor.from([1, 2, 3, 4, 0.5]);
    expect(await sconce.compareBackends(random, [input], ["cpu", "gpujs:cpu"])).toMatchObject({
      differs: false,
    });
  });

  test("that write to their inputs are made functional, and the inputs stay", async () => {
    const writes = parse(
      "input %x: USER_INPUT output %mul: USER_OUTPUT",
      `graph(%x: f32[2]) {
  %add_: f32[2] = aten.add_.Tensor(%x, 1)
  %mul: f32[2] = aten.mul.Tensor(%add_, 3)
  return (%mul)
}`,
      "TRAINING",
    );
    const sconce = createSconce({ backends: [wrongRelu("other")] });
    const input = Tensor.from([1.5, 2]);
    const report = await sconce.compareBackends(writes, [input], ["cpu", "other"]);
    expect(report.nodes.map(({ target }) => target)).toEqual(["aten.add.Tensor", "aten.mul.Tensor"]);
    expect(report.differs).toBe(false);
    expect(input.toArray()).toEqual([1.5, 2]);
  });

  test("of constants and scalars", async () => {
    const scalars = parse(
      'input constant %n = "k": USER_INPUT\ninput %x: USER_INPUT\noutput %y: USER_OUTPUT\noutput constant %"" = 3: USER_OUTPUT',
      `graph(%n: const "k", %x: f32[2]) {
  %y: f32[2] = aten.neg.default(%x)
  return (%y, 3) -> (f32[2], const 3)
}`,
    );
    const sconce = createSconce({ backends: [wrongRelu("other")] });
    const report = await sconce.compareBackends(scalars, ["k", Tensor.from([1.5, 2])], ["cpu", "other"]);
    expect([report.nodes.length, report.outputs.length, report.differs]).toEqual([1, 1, false]);
  });

  test("unknown backends, and those that cannot run it, are refused", async () => {
    const sconce = createSconce();
    expect(() => sconce.compareBackends(model, [x], ["cpu", "gpu"])).toThrow(
      expect.objectContaining({ code: "UNKNOWN_BACKEND" }),
    );
    const aborted = sconce.compareBackends(model, [x], ["cpu", "cpu"], { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ code: "ABORTED" });
  });
});
