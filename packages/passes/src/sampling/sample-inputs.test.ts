import { cpuBackend } from "@sconce/backend-cpu";
import { openPt2File } from "@sconce/formats/node";
import type { Value } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { sampleInputs } from "./sample-inputs.js";

/** A program that takes `x: f32[s0, 3]` and whatever else, with these lines in its block. */
const program = (
  lines: string,
  inputs = "%x: f32[s0, 3]",
  signature = "input %x: USER_INPUT",
): string => `sconce-ir 1
program "ATEN" {
  range "s0" [2, 9]
  ${lines}
  ${signature}
  output %y: USER_OUTPUT
  call "" ((${signature.includes("%n") ? "*, *" : "*"}), {}) -> (*) names [${signature.includes("%n") ? '"x", "n"' : '"x"'}]
  examples
    example tensor f32[4, 3]
    ${signature.includes("%n") ? "example 4" : ""}
}
graph(${inputs}) {
  %y: f32[s0, 3] = aten.relu.default(%x)
  return (%y)
}`;

const open = (text: string) =>
  parseIr(text, { tensors: new Map([["example.0", Tensor.from([...Array(12).keys()], [4, 3], "float32")]]) });
const shapes = (samples: readonly Value[][]): string[] => samples.map(([x]) => (x as Tensor).shape.join("x"));

describe("sampled inputs", () => {
  test("the examples come first, as copies, and the others have sizes within the ranges", () => {
    const opened = open(program(""));
    const samples = sampleInputs(opened, { count: 40 });
    const [example] = samples[0] as [Tensor];
    expect(example.data).toEqual((opened.exampleInputs!.leaves[0] as Tensor).data);
    expect(example.storage).not.toBe((opened.exampleInputs!.leaves[0] as Tensor).storage);
    const rows = new Set(shapes(samples).map((shape) => Number(shape.split("x")[0])));
    expect(Math.min(...rows)).toBe(2);
    expect(Math.max(...rows)).toBeLessThanOrEqual(9);
    expect(rows.size).toBeGreaterThan(4);
  });

  test("elements stay between the least and the largest of the example", () => {
    const values = sampleInputs(open(program("")), { count: 10 }).flatMap(([x]) => [...(x as Tensor).data]);
    expect(Math.min(...values.map(Number))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...values.map(Number))).toBeLessThanOrEqual(11);
  });

  test("guards hold", () => {
    const opened = open(program("guard \"L['x'].size()[0] % 2 == 0\""));
    expect(new Set(shapes(sampleInputs(opened, { count: 30 })))).toEqual(
      new Set(["2x3", "4x3", "6x3", "8x3"]),
    );
  });

  test("a guard that only the example meets falls back to it", () => {
    const opened = open(program("guard \"L['x'].size()[0] * 1000 == 4000\""));
    expect(new Set(shapes(sampleInputs(opened, { count: 3 })))).toEqual(new Set(["4x3"]));
  });

  test("a symbolic number agrees with the sizes", () => {
    const text = program(
      "",
      "%x: f32[s0, 3], %n: int(s0)",
      "input %x: USER_INPUT\n  input symint %n: USER_INPUT",
    );
    for (const [x, n] of sampleInputs(open(text), { count: 10 })) expect(n).toBe((x as Tensor).shape[0]);
  });

  test("the same seed gives the same inputs, another seed others", () => {
    const opened = open(program(""));
    const drawn = (seed: number): string =>
      sampleInputs(opened, { seed })
        .map(([x]) => String((x as Tensor).data))
        .join(";");
    expect(drawn(3)).toBe(drawn(3));
    expect(drawn(3)).not.toBe(drawn(4));
  });

  test("strides are as declared", () => {
    const text = program("", "%x: f32[s0, 3]{1, s0}");
    const [, [x]] = sampleInputs(open(text), { count: 2 }) as [Value[], [Tensor]];
    expect(x.strides).toEqual([1, x.shape[0]]);
  });
});

test.each(["net_mlp", "net_gpt", "api_sin_cos"])("%s takes what is sampled for it", async (name) => {
  const operators = defaultOperators();
  const opened = await openPt2File(`packages/testing/fixtures/programs/${name}/program.pt2`, { operators });
  const executable = await cpuBackend({ operators }).compile(opened);
  for (const inputs of sampleInputs(opened)) expect((await executable.run(inputs)).length).toBeGreaterThan(0);
});
