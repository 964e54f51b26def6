import { cpuBackend } from "@sconce/backend-cpu";
import type { ExportedProgram, FakeTensor } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { Storage, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { programOf, run, textOf } from "../programs.fixture.js";
import { explainRule } from "../rewrite/explain.js";
import { foldBatchNorm as pass } from "./fold-batch-norm.js";
import { batchNormRules } from "./rules/batch-norm.js";

/** Numbers between `low` and 1 that no rounding makes equal. */
function noise(shape: readonly number[], low: number, seed: number): Tensor {
  const count = shape.reduce((a, b) => a * b, 1);
  const data = Float32Array.from(
    { length: count },
    (_, i) => low + (1 - low) * ((Math.sin((i + 1) * 12.9898 + seed * 78.233) * 43758.5453) % 1) ** 2,
  );
  return new Tensor({ dtype: "float32", shape, storage: new Storage(new Uint8Array(data.buffer)) });
}

/** The program with weights of the sizes that the graph says. */
function weighted(text: string): ExportedProgram {
  const program = programOf(text);
  const fill = (tensors: ReadonlyMap<string, Tensor>): Map<string, Tensor> =>
    new Map(
      [...tensors.keys()].map((target, at) => {
        const { arg } = program.graphSignature.inputSpecs.find((spec) => spec.target === target)!;
        const { shape } = program.graph.node(arg.name).meta.val as FakeTensor;
        return [target, noise(shape as number[], target === "var" ? 0.2 : -1, at)];
      }),
    );
  return program.with({ stateDict: fill(program.stateDict), constants: fill(program.constants) });
}

const STATISTICS = "%p_gamma: f32[4], %p_beta: f32[4], %b_mean: f32[4], %b_var: f32[4]";

/** A layer with a result of four channels, and a batch norm behind it. */
const normed = (inputs: string, layer: string, type: string, norm = "%p_gamma, %p_beta", more = ""): string =>
  `graph(%x: ${inputs}, ${STATISTICS}) {
    ${layer}
    %n: (${type}, f32[0], f32[0]) = aten._native_batch_norm_legit_no_training.default(%y, ${norm}, %b_mean, %b_var, 0.1, 1e-05)
    %g: ${type} = operator.getitem(%n, 0)
    ${more === "" ? "return (%g)" : more}
  }`;

async function outputs(program: ExportedProgram): Promise<number[]> {
  const { shape } = program.graph.node("x").meta.val as FakeTensor;
  const [value] = await (await cpuBackend().compile(program)).run([noise(shape as number[], -1, 50)]);
  return [...(value as Tensor).toFloat64Array()];
}

const LINEAR = normed(
  "f32[3, 5], %p_w: f32[4, 5], %p_b: f32[4]",
  `%t: f32[5, 4]{1, 5} = aten.permute.default(%p_w, [1, 0])
   %y: f32[3, 4] = aten.addmm.default(%p_b, %x, %t)`,
  "f32[3, 4]",
);
const CONVOLUTION = "f32[1, 2, 5], %p_w: f32[4, 2, 3], %p_b: f32[4]";
const convolution = (x: string, type: string, transposed: boolean, bias: string, groups: number): string =>
  `%y: ${type} = aten.convolution.default(${x}, %p_w, ${bias}, [1], [0], [1], ${transposed}, [0], ${groups})`;
const PLAIN = convolution("%x", "f32[1, 4, 3]", false, "%p_b", 1);

describe("fold-batch-norm", () => {
  test("a linear layer takes the batch norm in", () => {
    const program = weighted(LINEAR);
    const after = run(pass, program);
    expect(textOf(after)).toMatchInlineSnapshot(`
      "graph(%c__folded_0: f32[4], %c__folded_1: f32[5, 4]{1, 5}, %x: f32[3, 5]) {
        %addmm: f32[3, 4] = aten.addmm.default(%c__folded_0, %x, %c__folded_1)
        return (%addmm)
      }"
    `);
    expect([...after.stateDict.keys(), ...after.constants.keys()]).toEqual(["_folded_0", "_folded_1"]);
    expect(after.graph.node("c__folded_0").meta.origin).toMatchObject({
      pass: "fold-batch-norm",
      from: ["t", "y", "n", "g"],
    });
  });

  test.each<[name: string, text: string]>([
    ["addmm", LINEAR],
    ["mm", normed("f32[3, 5], %p_w: f32[5, 4]", "%y: f32[3, 4] = aten.mm.default(%x, %p_w)", "f32[3, 4]")],
    [
      "linear",
      normed(
        "f32[3, 5], %p_w: f32[4, 5], %p_b: f32[4]",
        "%y: f32[3, 4] = aten.linear.default(%x, %p_w, %p_b)",
        "f32[3, 4]",
      ),
    ],
    ["a convolution", normed(CONVOLUTION, PLAIN, "f32[1, 4, 3]")],
    ["no scale, no shift", normed(CONVOLUTION, PLAIN, "f32[1, 4, 3]", "none, none")],
    [
      "groups without bias",
      normed(
        "f32[1, 4, 5], %p_w: f32[4, 2, 3]",
        convolution("%x", "f32[1, 4, 3]", false, "none", 2),
        "f32[1, 4, 3]",
      ),
    ],
    ["conv1d", normed(CONVOLUTION, "%y: f32[1, 4, 3] = aten.conv1d.default(%x, %p_w, %p_b)", "f32[1, 4, 3]")],
    [
      "a transposed convolution",
      normed(
        "f32[1, 3, 5], %p_w: f32[3, 4, 3]",
        convolution("%x", "f32[1, 4, 7]", true, "none", 1),
        "f32[1, 4, 7]",
      ),
    ],
    [
      "a transposed convolution with groups",
      normed(
        "f32[1, 6, 5], %p_w: f32[6, 2, 3], %p_b: f32[4]",
        convolution("%x", "f32[1, 4, 7]", true, "%p_b", 2),
        "f32[1, 4, 7]",
      ),
    ],
  ])("numbers are those of before, up to rounding: %s", async (_, text) => {
    const program = weighted(text);
    const after = run(pass, program);
    expect(textOf(after)).not.toContain("batch_norm");
    expect(after.graph.nodes().every(({ target }) => !target.startsWith("aten._to_copy"))).toBe(true);
    const [want, got] = [await outputs(program), await outputs(after)];
    expect(got.length).toBe(want.length);
    for (const [i, value] of want.entries()) expect(Math.abs(got[i]! - value)).toBeLessThan(2e-6);
  });

  test("what others read stays", () => {
    const program = weighted(
      normed(
        CONVOLUTION,
        PLAIN,
        "f32[1, 4, 3]",
        undefined,
        `${convolution("%x", "f32[1, 4, 3]", false, "none", 1).replace("%y", "%z")}\nreturn (%g, %z)`,
      ),
    );
    const after = run(pass, program);
    expect([...after.stateDict.keys()]).toEqual(["w"]);
    expect([...after.parameterNames]).toEqual(["w"]);
    expect(after.stateDict.get("w")).toBe(program.stateDict.get("w"));
  });

  test.each<[name: string, text: string, reason: string]>([
    [
      "another user of the convolution",
      normed(CONVOLUTION, PLAIN, "f32[1, 4, 3]", undefined, "return (%g, %y)"),
      "%y is used by %output too",
    ],
    [
      "a weight from outside",
      normed("f32[1, 2, 5], %w: f32[4, 2, 3]", PLAIN.replace("%p_w, %p_b", "%w, none"), "f32[1, 4, 3]"),
      "%w is not constant",
    ],
    [
      "no batch dimension",
      normed("f32[2, 6], %p_w: f32[4, 2, 3]", convolution("%x", "f32[4, 4]", false, "none", 1), "f32[4, 4]"),
      "the convolution has no batch dimension",
    ],
    [
      "features that are not channels",
      normed(
        "f32[2, 4, 5], %p_w: f32[4, 5]",
        "%y: f32[2, 4, 4] = aten.linear.default(%x, %p_w)",
        "f32[2, 4, 4]",
      ),
      "the channels are not the features",
    ],
    [
      "a whole matrix added",
      normed(
        "f32[3, 5], %p_w: f32[5, 4], %p_b: f32[3, 4]",
        "%y: f32[3, 4] = aten.addmm.default(%p_b, %x, %p_w)",
        "f32[3, 4]",
      ),
      "the bias has 2 dimensions",
    ],
  ])("leaves it, and says why: %s", (_, text, reason) => {
    const program = weighted(text);
    expect(run(pass, program)).toBe(program);
    const reasons = batchNormRules.flatMap((rule) => explainRule(program, rule, defaultOperators()));
    expect(reasons.map((attempt) => attempt.reason)).toContain(reason);
  });

  const filled = (program: ExportedProgram, values: Readonly<Record<string, number>>): ExportedProgram => {
    const stateDict = new Map(program.stateDict);
    for (const [name, value] of Object.entries(values)) {
      const tensor = stateDict.get(name)!;
      const data = new Float32Array(tensor.numel).fill(value);
      const storage = new Storage(new Uint8Array(data.buffer));
      stateDict.set(name, new Tensor({ dtype: "float32", shape: tensor.shape, storage }));
    }
    return program.with({ stateDict });
  };
  test.each<[name: string, values: Readonly<Record<string, number>>, folds: boolean]>([
    ["an infinite factor", { gamma: Infinity }, false],
    ["a factor that is NaN", { var: -1 }, false],
    ["a large factor", { gamma: 2 ** 60 }, false],
    ["a small factor", { gamma: 2 ** -60 }, false],
    ["an infinite mean", { mean: Infinity }, false],
    ["a bias that is NaN", { beta: Number.NaN }, false],
    ["a shift that overflows", { mean: -3e38, gamma: 4 }, false],
    ["weights that overflow", { w: 3e38, gamma: 4 }, false],
    ["factors of zero", { gamma: 0 }, true],
    ["other magnitudes", { gamma: 1e6, var: 1e-4, mean: -1e9, w: 1e20 }, true],
  ])("looks at the values: %s", (_, values, folds) => {
    const program = filled(weighted(LINEAR), values);
    expect(run(pass, program) === program).toBe(!folds);
  });

  test("statistics that the program changes are not constants", () => {
    const program = weighted(
      normed(
        CONVOLUTION,
        PLAIN,
        "f32[1, 4, 3]",
        undefined,
        "%m: f32[4] = aten.mul.Tensor(%b_var, 0.9)\nreturn (%m, %g)",
      ),
    );
    const { outputSpecs } = program.graphSignature;
    const [first, second] = [outputSpecs[0]!, outputSpecs[1]!];
    const mutating = program.with({
      graphSignature: {
        ...program.graphSignature,
        outputSpecs: [{ ...first, kind: "BUFFER_MUTATION", target: "var" }, second],
      },
    });
    expect(run(pass, mutating)).toBe(mutating);
  });
});
