import { readFileSync } from "node:fs";
import { randomInputs } from "@sconce/passes";
import { describe, expect, test } from "vitest";
import { context, operators, recorded } from "../programs.fixture.js";
import { layerHessians } from "../report/hessians.js";
import { measure, referenceOf } from "../report/measure.js";
import { quantizeGptq } from "./gptq.js";
import { quantizeWeights } from "./quantize-weights.js";

interface Recorded {
  readonly weight: readonly number[];
  readonly inputs: readonly number[];
  readonly cases: readonly {
    readonly group: number;
    readonly symmetric: boolean;
    readonly codes: readonly number[];
  }[];
}

const FILE = new URL("../../../testing/fixtures/quantization/gptq.json", import.meta.url);
const { weight, inputs, cases } = JSON.parse(readFileSync(FILE, "utf8")) as Recorded;
const run = context.run!;

/** The sum of `x x^T` over rows of 32. */
function hessianOf(rows: readonly number[]): Float64Array {
  const sums = new Float64Array(32 * 32);
  for (let start = 0; start < rows.length; start += 32)
    for (let i = 0; i < 32; i++)
      for (let j = 0; j < 32; j++) sums[i * 32 + j]! += rows[start + i]! * rows[start + j]!;
  return sums;
}

describe("the published algorithm", () => {
  test.each(cases)(
    "codes are those of PyTorch, group $group, symmetric: $symmetric",
    ({ group, symmetric, codes }) => {
      const scheme = {
        range: { min: -8, max: 7 },
        group,
        isSymmetric: symmetric,
        scheme: "absmax",
        eps: 2 ** -23,
      } as const;
      const got = quantizeGptq(Float32Array.from(weight), 32, hessianOf(inputs), scheme);
      expect([...got.codes]).toEqual(codes);
    },
  );
});

describe("in a program", () => {
  test.each(["net_mlp", "net_bert"])(
    "%s: outputs on the samples are nearer than with absmax",
    async (name) => {
      const program = await recorded(name);
      const samples = [0, 1, 2, 3].map((seed) => randomInputs(program, { seed }));
      const hessians = layerHessians(program, samples, run);
      const linear = { bits: 4, group: "channel", exclude: ["*emb*"] } as const;
      const options = name === "net_mlp" ? ({ bits: 4, group: "channel" } as const) : linear;
      const ratio = (scheme: "absmax" | "gptq"): number => {
        const after = quantizeWeights(program, operators, { ...options, scheme, hessians }).program;
        const reference = referenceOf(program, samples, run, new Set());
        return measure(reference, after, samples, run).outputs[0]!.snr;
      };
      expect(ratio("gptq")).toBeGreaterThan(ratio("absmax"));
    },
  );

  test("needs the inputs of layers", async () => {
    const program = await recorded("net_mlp");
    expect(() => quantizeWeights(program, operators, { scheme: "gptq" })).toThrow(
      "needs the inputs of layers",
    );
    expect(() => layerHessians(program, [], run)).toThrow("there are no samples");
  });
});
