import { type ExportedProgram, edit, ref, tuple } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { type PassOptions, passCall } from "@sconce/passes";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { inputTensors, operators, outputsOf, recorded, transformed } from "../programs.fixture.js";
import { weightQuantization as pass } from "./pass.js";
import { quantizeWeights } from "./quantize-weights.js";

const run = (program: ExportedProgram, options: PassOptions = {}): ExportedProgram =>
  transformed(program, [passCall(pass, options)]);

/** Returns a program with one layer, of weights 0.01, 0.02, ... */
function layer(text: string, state: Readonly<Record<string, readonly number[]>>): ExportedProgram {
  const program = parseIr(text, { operators });
  const tensors = new Map(
    Object.entries(state).map(([name, shape]) => {
      const count = shape.reduce((a, b) => a * b, 1);
      const values = Array.from({ length: count }, (_, i) => Math.sin(i) / 2);
      return [name, Tensor.from(values, shape, "float32")];
    }),
  );
  return program.withState(tensors);
}

const LINEAR = `sconce-ir 1
program "TRAINING" {
  parameter "fc.weight": f32[8, 64]
  input %p_fc_weight: PARAMETER "fc.weight"
  input %x: USER_INPUT
  output %linear: USER_OUTPUT
}
graph(%p_fc_weight: f32[8, 64], %x: f32[2, 64]) {
  %linear: f32[2, 8] = aten.linear.default(%x, %p_fc_weight)
  return (%linear)
}`;

describe("a weight becomes buffers", () => {
  test("codes and scales, with zero points when not symmetric", async () => {
    const program = await recorded("net_mlp");
    const names = [...program.parameterNames].filter((name) => name.endsWith("weight"));
    const after = run(program, { bits: 8 });
    for (const name of names.slice(0, 1)) {
      expect(after.stateDict.has(name)).toBe(false);
      expect(after.stateDict.get(`${name}_q`)?.dtype).toBe("int8");
      expect(after.stateDict.get(`${name}_scale`)?.dtype).toBe("float32");
      expect(after.stateDict.has(`${name}_zero`)).toBe(false);
      expect(run(program, { symmetric: false }).stateDict.get(`${name}_zero`)?.dtype).toBe("int32");
      expect(run(program, { dtype: "bfloat16" }).stateDict.get(`${name}_half`)?.dtype).toBe("bfloat16");
    }
  });

  test("results stay near, before and after lowering", async () => {
    for (const kind of ["program", "decomposed"] as const) {
      const program = await recorded("digits", kind);
      const inputs = inputTensors("digits");
      const [want] = outputsOf(program, inputs);
      const [got] = outputsOf(run(program), inputs);
      const errors = want!.toArray().map((value, i) => Math.abs(Number(value) - Number(got!.toArray()[i])));
      expect(Math.max(...errors)).toBeGreaterThan(0);
      expect(Math.max(...errors)).toBeLessThan(0.2);
    }
  });

  test("a tied weight is stored once, for the embedding and the head", async () => {
    const after = run(await recorded("net_gpt"), { bits: 4, group: "32" });
    const codes = [...after.stateDict.keys()].filter((name) => /^(tok|head)\.weight/.test(name));
    expect(codes).toEqual(["tok.weight_q", "tok.weight_scale"]);
  });

  test("two codes of 4 bits share a byte", async () => {
    const program = await recorded("net_gpt");
    const { weights } = quantizeWeights(program, operators, { bits: 4, group: "32" });
    for (const { bytesBefore, bytesAfter, group, shape } of weights) {
      const elements = shape.reduce((a, b) => a * b, 1);
      expect(bytesBefore).toBe(4 * elements);
      expect(bytesAfter).toBe(elements / 2 + (4 * elements) / group);
    }
  });

  test("`mse` is never farther from the weights than `absmax`", async () => {
    const program = await recorded("net_bert");
    const ratios = (scheme: "absmax" | "mse") =>
      quantizeWeights(program, operators, { bits: 4, scheme }).weights.map(
        ({ distortion }) => distortion.snr,
      );
    const [absmax, mse] = [ratios("absmax"), ratios("mse")];
    mse.forEach((snr, i) => {
      expect(snr).toBeGreaterThanOrEqual(absmax[i]!);
    });
    expect(mse.some((snr, i) => snr > absmax[i]! + 0.5)).toBe(true);
  });
});

describe("what stays as it is", () => {
  test("a program without layers is the same object", async () => {
    const program = await recorded("api_sin_cos");
    expect(run(program)).toBe(program);
  });

  test("weights that are excluded, or not included", async () => {
    const program = await recorded("digits");
    const [first, ...rest] = quantizeWeights(program, operators).weights.map(({ name }) => name);
    const names = (options: PassOptions) =>
      [...run(program, options).stateDict.keys()].filter((name) => name.endsWith("_q"));
    expect(names({ include: [first!] })).toEqual([`${first}_q`]);
    expect(names({ exclude: [first!] })).toEqual(rest.map((name) => `${name}_q`));
    expect(run(program, { exclude: ["*"] })).toBe(program);
  });

  test("a name that is not a weight is refused, with the nearest one", async () => {
    const program = await recorded("digits");
    expect(() => run(program, { include: ["fc9.wait"] })).toThrow(/include names fc9.wait, which is not/);
  });

  test("a weight that would not get smaller is noted", () => {
    const small = LINEAR.replaceAll("8, 64", "8, 1").replaceAll("2, 64", "2, 1");
    const notes: string[] = [];
    const program = layer(small, { "fc.weight": [8, 1] });
    expect(quantizeWeights(program, operators, { note: (text) => notes.push(text) }).program).toBe(program);
    expect(notes).toEqual(["fc.weight stays as it is: it takes 32 bytes, and 40 when quantized"]);
  });
});

describe("what is refused", () => {
  test("a weight that the program gives a new value", () => {
    const base = layer(LINEAR, { "fc.weight": [8, 64] });
    const graph = edit(base.graph, (e) => {
      const val = base.graph.node("p_fc_weight").meta.val!;
      const mul = e.insertBefore("output", {
        op: "call_function",
        target: "aten.mul.Tensor",
        args: [ref("p_fc_weight"), 2],
        meta: { val },
      });
      e.setOutput(tuple([mul, ref("linear")]));
    });
    const { inputSpecs, outputSpecs } = base.graphSignature;
    const name = graph.nodes().find(({ target }) => target === "aten.mul.Tensor")!.name;
    const write = { kind: "PARAMETER_MUTATION", arg: { kind: "tensor", name }, target: "fc.weight" } as const;
    const program = base.with({
      graph,
      graphSignature: { inputSpecs, outputSpecs: [write, ...outputSpecs] },
    });
    expect(() => quantizeWeights(program, operators)).toThrow(
      "cannot quantize the weight fc.weight: the program gives it a new value",
    );
  });

  test("a weight that a call writes to in place", () => {
    const text = LINEAR.replace(
      "  %linear",
      "  %t: f32[64, 8] = aten.t.default(%p_fc_weight)\n  %mul_: f32[64, 8] = aten.mul_.Tensor(%t, 2.0)\n  %linear",
    );
    const program = layer(text, { "fc.weight": [8, 64] });
    expect(() => quantizeWeights(program, operators)).toThrow("aten.mul_.Tensor writes to it");
    expect(quantizeWeights(program, operators, { exclude: ["fc"] }).weights).toEqual([]);
  });

  test("a weight with NaN", () => {
    const values = new Array<number>(512).fill(1).with(7, Number.NaN);
    const program = layer(LINEAR, { "fc.weight": [8, 64] }).withState({
      "fc.weight": Tensor.from(values, [8, 64], "float32"),
    });
    expect(() => quantizeWeights(program, operators)).toThrow("the weight fc.weight: element 7 is NaN");
  });

  test("options that do not exist", () => {
    expect(() => passCall(pass, { bits: 3 })).toThrow("bits must be 8, 4 or 2, got 3");
    expect(passCall(pass, { group: 64 }).options.group).toBe("64");
    expect(() => passCall(pass, { group: 65 })).toThrow('"group" must be a string');
  });
});
