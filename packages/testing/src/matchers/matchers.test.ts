import { edit } from "@sconce/ir";
import { parseGraph } from "@sconce/ir/text";
import { createSconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import "../vitest.js";
import { programOf } from "./programs.fixture.js";

/** What a failing expectation says. */
async function failure(expectation: () => unknown): Promise<string> {
  try {
    await expectation();
  } catch (error) {
    return (error as Error).message;
  }
  return "passed";
}

const TYPED = `graph(%x: f32[2]) {
  %a: f32[2] = aten.neg.default(%x)
  %b: f32[2] = aten.relu.default(%a)
  return (%b)
}`;

describe("toEqualIR", () => {
  const graph = parseGraph(TYPED);

  test("accepts texts with and without types, graphs and programs", () => {
    expect(graph).toEqualIR(TYPED);
    expect(graph).toEqualIR(TYPED.replaceAll(": f32[2]", ""));
    expect(graph).toEqualIR(parseGraph(TYPED));
    expect(TYPED).toEqualIR(graph);
    expect(programOf(TYPED)).toEqualIR(TYPED);
    expect(programOf(TYPED)).toEqualIR(programOf(TYPED));
  });

  test("compares metadata only where there is any", () => {
    const traced = `${TYPED.replace("neg.default(%x)", "neg.default(%x) #0")}\nmetadata {\n#0 {"stackTrace":"line 3"}\n}`;
    expect(parseGraph(traced)).toEqualIR(TYPED);
    expect(parseGraph(TYPED)).not.toEqualIR(traced);
  });

  test("reports a wrong type, operator and name", async () => {
    expect(graph).not.toEqualIR(TYPED.replace("%a: f32[2]", "%a: f32[3]"));
    expect(graph).not.toEqualIR(TYPED.replaceAll("%a", "%c"));
    expect(await failure(() => expect(graph).toEqualIR(TYPED.replace("relu", "exp")))).toBe(
      [
        "the IR differs (- expected, + received):",
        "",
        "  graph(%x: f32[2]) {",
        "    %a: f32[2] = aten.neg.default(%x)",
        "-   %b: f32[2] = aten.exp.default(%a)",
        "+   %b: f32[2] = aten.relu.default(%a)",
        "    return (%b)",
        "  }",
        "  ...",
      ].join("\n"),
    );
  });

  test("a program cannot be compared with a graph alone", async () => {
    expect(await failure(() => expect(graph).toEqualIR(programOf(TYPED)))).toContain(
      "a program was expected",
    );
    expect(await failure(() => expect(graph).not.toEqualIR(TYPED))).toContain("to be different");
  });
});

describe("toBeCloseToTensor", () => {
  const vector = (...values: number[]): Tensor => Tensor.from(values, [values.length], "float32");

  test("defaults are those of torch.testing.assert_close", () => {
    expect(vector(1)).toBeCloseToTensor(vector(1 + 1e-5));
    expect(vector(1)).not.toBeCloseToTensor(vector(1 + 2e-5));
    expect(Tensor.from([1], [1], "float64")).not.toBeCloseToTensor(Tensor.from([1 + 1e-6], [1], "float64"));
    expect(Tensor.from([1], [1], "int32")).not.toBeCloseToTensor(Tensor.from([2], [1], "int32"));
    expect(vector(Number.NaN)).toBeCloseToTensor(vector(Number.NaN));
  });

  test("takes lists and tolerances", () => {
    expect(Tensor.from([1, 2, 3, 4], [2, 2], "float32")).toBeCloseToTensor([
      [1, 2],
      [3, 4],
    ]);
    expect(vector(1, 2)).toBeCloseToTensor([1.1, 2.1], { atol: 0.2 });
    expect(vector(100)).toBeCloseToTensor([101], { rtol: 0.02 });
    expect(vector(100)).not.toBeCloseToTensor([101], { atol: 0.02 });
    expect(Tensor.from([true], [1], "bool")).toBeCloseToTensor([true]);
  });

  test("reports the first and the worst element", async () => {
    const got = Tensor.from([1, 2, 3, 4, 5, 6], [2, 3], "float32");
    const message = await failure(() =>
      expect(got).toBeCloseToTensor([
        [1, 2.5, 3],
        [4, 5, 9],
      ]),
    );
    expect(message).toBe(
      [
        "the tensors differ: 2 of 6 elements differ (33.3 %), rtol 0.0000013, atol 0.00001",
        "  first: [0, 1] is 2, expected 2.5 (off by 0.5)",
        "  worst: [1, 2] is 6, expected 9 (off by 3)",
      ].join("\n"),
    );
  });

  test("reports another dtype, shape and kind", async () => {
    expect(
      await failure(() => expect(vector(1)).toBeCloseToTensor(Tensor.from([1], [1], "float64"))),
    ).toContain("dtype float32, expected float64");
    expect(await failure(() => expect(vector(1)).toBeCloseToTensor([1, 2]))).toContain(
      "shape [1], expected [2]",
    );
    expect(await failure(() => expect(1).toBeCloseToTensor([1]))).toContain("expected a tensor, received 1");
    expect(await failure(() => expect(vector(1)).not.toBeCloseToTensor([1]))).toContain("to differ");
  });
});

describe("toHaveOps", () => {
  const graph = parseGraph(TYPED);

  test("by count and by presence", () => {
    expect(graph).toHaveOps({ "aten.relu.default": 1, "aten.exp.default": 0 });
    expect(programOf(TYPED)).toHaveOps(["aten.relu.default", "aten.neg.default"]);
    expect(graph).not.toHaveOps(["aten.exp.default"]);
    expect(graph).not.toHaveOps({ "aten.relu.default": 2 });
  });

  test("reports the counts", async () => {
    expect(await failure(() => expect(graph).toHaveOps({ "aten.relu.default": 2 }))).toBe(
      "aten.relu.default is called once, expected 2 times\nthe calls are:\n  aten.neg.default: 1\n  aten.relu.default: 1",
    );
    expect(await failure(() => expect(graph).toHaveOps(["aten.exp.default"]))).toContain(
      "aten.exp.default is not called",
    );
    expect(await failure(() => expect(graph).not.toHaveOps(["aten.relu.default"]))).toContain(
      "expected other operators",
    );
  });
});

describe("toPreserveMeaning", () => {
  const before = programOf(TYPED);

  test("passes for another way to the same numbers", async () => {
    const after = programOf(TYPED.replace("relu.default(%a)", "clamp.default(%a, 0)"));
    await expect(after).toPreserveMeaning({ of: before });
    await expect(after).toPreserveMeaning({ of: before, runs: 5, seed: 3, rtol: 0, atol: 0 });
  });

  test("names the first output that differs, with both nodes", async () => {
    const after = programOf(
      TYPED.replace("%b: f32[2] = aten.relu", "%c: f32[2] = aten.exp").replace("(%b)", "(%c)"),
    );
    await expect(after).not.toPreserveMeaning({ of: before });
    const inputs = [[Tensor.from([0, -1], [2], "float32")]];
    expect(await failure(() => expect(after).toPreserveMeaning({ of: before, inputs }))).toMatch(
      /^the meaning is not preserved: run 1 on \(float32\[2\]\): output 0 \(%c, in the original %b\): 2 of 2 elements differ/,
    );
  });

  test("tolerances are the caller's", async () => {
    const after = programOf(TYPED.replace("aten.neg.default(%x)", "aten.mul.Tensor(%x, -1.001)"));
    await expect(after).not.toPreserveMeaning({ of: before });
    await expect(after).toPreserveMeaning({ of: before, rtol: 0.01, atol: 0.01 });
  });

  test("reports a program that fails, and inputs that the original refuses", async () => {
    const after = programOf(TYPED.replace("aten.neg", "aten.unknown"));
    expect(await failure(() => expect(after).toPreserveMeaning({ of: before }))).toContain(
      "the program fails:",
    );
    const inputs = [[3]];
    expect(await failure(() => expect(before).toPreserveMeaning({ of: before, inputs }))).toContain(
      "the original program takes none of the inputs",
    );
    expect(await failure(() => expect(before).not.toPreserveMeaning({ of: before }))).toContain("to differ");
  });

  test("compares what is written to inputs and buffers", async () => {
    const writes = (by: string) =>
      programOf(
        `graph(%b_n: f32[2], %x: f32[2]) {
        %add: f32[2] = aten.add_.Tensor(%b_n, ${by})
        %mul: f32[2] = aten.mul_.Tensor(%x, ${by})
        %c: f32[2] = aten.zeros.default([2])
        return (%c)
      }`,
        "TRAINING",
      );
    await expect(writes("1")).toPreserveMeaning({ of: writes("1") });
    const message = await failure(() => expect(writes("2")).toPreserveMeaning({ of: writes("1") }));
    expect(message).toContain("input 0 after the run");
  });

  describe("another precision", () => {
    const sconce = createSconce();
    const linear = programOf(`graph(%b_w: f32[2], %b_n: f32[2], %x: f32[2]) {
      %a: f32[2] = aten.mul.Tensor(%b_w, %x)
      %y: f32[2] = aten.add.Tensor(%a, %b_n)
      return (%y)
    }`);
    const counted = linear.with({
      graphSignature: {
        ...linear.graphSignature,
        outputSpecs: [{ kind: "BUFFER_MUTATION", arg: { kind: "tensor", name: "y" }, target: "b_n" }],
      },
      stateDict: new Map(["b_w", "b_n"].map((name) => [name, Tensor.from([1 / 3, 7], [2], "float32")])),
    });

    test.each(["convert-dtype", "convert-dtype{io=true}"])("%s", async (pass) => {
      const after = sconce.transform(counted, pass);
      expect(after.stateDict.get("b_w")!.dtype).toBe("bfloat16");
      await expect(after).toPreserveMeaning({ of: counted, precision: "bfloat16" });
      await expect(after).toPreserveMeaning({ of: counted, precision: "bfloat16", rtol: 0.1, atol: 0.1 });
      await expect(after).not.toPreserveMeaning({ of: counted });
      const strict = { of: counted, precision: "bfloat16", rtol: 0, atol: 0 } as const;
      await expect(after).not.toPreserveMeaning(strict);
    });

    test("weights that nothing writes are not results of a run", async () => {
      const after = sconce.transform(counted, "convert-dtype");
      await expect(after).toPreserveMeaning({ of: counted, rtol: 0.1, atol: 0.1 });
    });

    test("what the program writes is compared all the same", async () => {
      const after = sconce.transform(counted, "convert-dtype{io=true}");
      const wrong = after.with({
        graph: edit(after.graph, (e) => void e.replaceNode("a", { target: "aten.div.Tensor" })),
      });
      const message = await failure(() =>
        expect(wrong).toPreserveMeaning({ of: counted, precision: "bfloat16" }),
      );
      expect(message).toContain('"b_n" after the run');
    });
  });
});
