/** @file Capabilities of module state, functionalization, lowering and execution. */
import { readFileSync } from "node:fs";
import { exportProgram, nn, torch } from "@sconce/capture";
import { isSconceError } from "@sconce/errors";
import { graphText } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { checked, exported, exportedAndRun, saved, sconce } from "./corpus.fixture.js";

describe("lifted constants", () => {
  test("tensor attributes are inputs, with their values in constants [S-090]", async () => {
    const { program } = await exportedAndRun("lifted_masked_linear");
    expect([[...program.constants.keys()], program.stateDict.has("mask")]).toEqual([["mask"], false]);
    await exportedAndRun("lifted_buffer_vs_constant");
  });

  test("keep dtype and values [S-091]", async () => {
    const { program } = await exportedAndRun("lifted_gather");
    const indices = program.constants.get("indices")!;
    expect([indices.dtype, indices.toArray()]).toEqual(["int64", [0n, 2n, 4n, 6n]]);
  });

  test("tensors that forward makes from numbers are lifted as well [S-093]", async () => {
    const { program } = await exportedAndRun("lifted_inline");
    expect([...program.constants.keys()]).toEqual(["lifted_tensor_0", "lifted_tensor_1"]);
  });
});

describe("state", () => {
  test("in-place operators stay in training IR, and are functional after lowering [S-100, S-138, T-05]", async () => {
    const { program } = await exportedAndRun("api_conv_relu_pool");
    expect(program.opHistogram().has("aten.add_.Tensor")).toBe(true);
    const lowered = sconce.runDecompositions(program);
    expect([...lowered.opHistogram().keys()].filter((target) => /_\./.test(target))).toEqual([]);
    await exported("api_conv_batchnorm");
  });

  test("writes through views reach their bases [S-101]", async () => {
    await exportedAndRun("pm_functionalization");
    await exportedAndRun("pass_in_place");
  });

  test("buffer updates are leading outputs of lowered programs, and later calls see them [S-102]", async () => {
    const { program } = await exportedAndRun("api_custom_module");
    const { outputSpecs } = sconce.runDecompositions(program).graphSignature;
    expect(outputSpecs.map(({ kind, target }) => [kind, target])).toEqual([
      ["BUFFER_MUTATION", "my_buffer2"],
      ["USER_OUTPUT", null],
    ]);
    expect(await checked("api_custom_module")).toContain("run lowered third call");
  });

  test("static attributes may be written, and are part of the graph [S-103, S-108]", async () => {
    const { program } = await exportedAndRun("pm_state_reads");
    expect(program.graph.node("mul_1").args[1]).toBe(3);
    expect([...program.stateDict.keys(), ...program.constants.keys()]).toEqual([
      "weight",
      "kept",
      "constant",
      "passing",
    ]);
  });

  test("tensor attributes may be assigned, and the update is lost as in PyTorch [S-104]", async () => {
    await exportedAndRun("pm_attribute_update");
  });

  test("buffers are updated in place, by part and by assignment [S-105]", async () => {
    await exportedAndRun("pm_buffer_updates");
  });

  test("parameters are updated without gradients [S-106]", async () => {
    await exportedAndRun("pm_parameter_update");
  });

  test("access to state that does not exist is refused, with its line [S-107]", () => {
    class Missing extends nn.Module {
      declare readonly missing: Tensor;

      override forward(x: Tensor): Tensor {
        return torch.add(x, this.missing);
      }
    }
    expect(() => exportProgram(new Missing(), [torch.ones(2)])).toThrow(
      expect.objectContaining({
        code: "NO_SIGNATURE",
        message: "torch.add does not take the arguments (float32 tensor, undefined)",
        fix: expect.stringMatching(/^an argument is undefined: check that it exists; use /),
        where: expect.stringMatching(/state\.test\.ts:\d+$/),
      }),
    );
  });

  test("training is static [S-109]", () => {
    const model = new nn.Sequential(new nn.Dropout(0.5), new nn.Linear(2, 2));
    const texts = [true, false].map((isTraining) =>
      graphText(exportProgram(model.train(isTraining), [torch.ones(1, 2)]).graph),
    );
    expect(texts[0]).toContain("dropout.default](args = (%input, 0.5, True)");
    expect(texts[1]).toContain("dropout.default](args = (%input, 0.5, False)");
  });
});

test("a page says what each kind of state becomes [S-152]", () => {
  const page = readFileSync(
    new URL("../../../../docs/concepts/running-programs.md", import.meta.url),
    "utf8",
  );
  class Net extends nn.Module {
    readonly weight = new nn.Parameter(torch.ones(2));
    readonly count = new nn.Buffer(torch.zeros(2));
    readonly cache = new nn.Buffer(torch.zeros(2), { persistent: false });
    readonly mask = torch.ones(2);
    readonly factor = 3;

    override forward(x: Tensor): Tensor {
      const state = [this.weight, this.count, this.cache, this.mask];
      return state.reduce((sum, value) => sum.add(value), x).mul(this.factor);
    }
  }
  const { graphSignature, stateDict, constants } = exportProgram(new Net(), [torch.ones(2)]);
  const kinds = ["`nn.Parameter`", "`nn.Buffer`", "`nn.Buffer`, not persistent", "tensor"];
  for (const [i, kind] of kinds.entries()) {
    const { arg, target } = graphSignature.inputSpecs[i]!;
    const has = (values: ReadonlyMap<string, unknown>): string => (values.has(target!) ? "yes" : "no");
    expect(page).toContain(`| ${kind} | \`${arg.name}\` | ${has(stateDict)} | ${has(constants)} |`);
  }
});

describe("lowering", () => {
  test("gives a new program, and leaves the old one alone [S-110]", async () => {
    const { program } = await exported("api_decomposition_tables");
    const before = String(program);
    const lowered = sconce.runDecompositions(program);
    expect([String(program), lowered === program]).toEqual([before, false]);
    expect(lowered.dialect).toBe("ATEN");
  });

  test("training batch normalization becomes functional, with mutations of its statistics [S-115, T-04]", async () => {
    const compared = await checked("api_conv_batchnorm");
    expect(compared).toEqual(
      expect.arrayContaining(["lower", "lower keep_conv2d", "lower custom_conv2d", "run lowered"]),
    );
    const lowered = await saved("api_conv_batchnorm", "decomposed");
    expect(lowered.opHistogram().has("aten._native_batch_norm_legit_functional.default")).toBe(true);
    expect([...lowered.buffersToMutate.values()]).toEqual([
      "bn.running_mean",
      "bn.running_var",
      "bn.num_batches_tracked",
    ]);
  });

  test("a joint graph is lowered as PyTorch lowers it [S-117]", async () => {
    const compared = await checked("api_joint_backward");
    expect(compared).toEqual(expect.arrayContaining(["lower joint_lowered"]));
  });
});

describe("calls", () => {
  test("wrong values, shapes, dtypes and structures have typed errors [S-130]", async () => {
    const model = (x: Tensor, n: number): Tensor => x.mul(n);
    const module = await sconce.module(exportProgram(model, [torch.ones(2, 3), 2]));
    const code = async (...args: unknown[]): Promise<string> => {
      try {
        await module.call(args);
        return "ran";
      } catch (error) {
        return isSconceError(error) ? error.code : String(error);
      }
    };
    expect(await code(torch.ones(2, 3), 2)).toBe("ran");
    expect(await code(torch.ones(2, 4), 2)).toBe("GUARD_FAILED");
    expect(await code(torch.ones(2, 3), 3)).toBe("GUARD_FAILED");
    expect(await code(torch.ones(2, 3, { dtype: "float64" }), 2)).toBe("INPUT_DTYPE");
    expect(await code([torch.ones(2, 3)], 2)).toBe("TREE_MISMATCH");
    expect(await code(torch.ones(2, 3))).toBe("TREE_MISMATCH");
  });

  test("keyword arguments come in any order [S-129]", async () => {
    expect(await checked("tree_keyword_order")).toContain("run other order");
  });
});
