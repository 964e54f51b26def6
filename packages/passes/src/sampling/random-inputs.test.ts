import type { Value } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { exampleInputs, randomInputs } from "./sample-inputs.js";

const program = (examples: boolean, guard = "") =>
  parseIr(
    `sconce-ir 1
program "ATEN" {
  range "s0" [2, 9]
  ${guard}
  input %x: USER_INPUT
  input %i: USER_INPUT
  output %y: USER_OUTPUT
  call "" ((*, *), {}) -> (*) names ["x", "i"]
  ${examples ? "examples\n    example tensor f32[4, 3]\n    example tensor i64[2]" : ""}
}
graph(%x: f32[s0, 3], %i: i64[2]) {
  %y: f32[2, 3] = aten.index_select.default(%x, 0, %i)
  return (%y)
}`,
    {
      tensors: new Map([
        [
          "example.0",
          Tensor.from(
            Array.from({ length: 12 }, (_, i) => i / 4),
            [4, 3],
            "float32",
          ),
        ],
        ["example.1", Tensor.from([0, 3], [2], "int64")],
      ]),
    },
  );
const shapes = (inputs: readonly Value[]): string[] =>
  inputs.map((input) => (input as Tensor).shape.join("x"));
const elements = (inputs: readonly Value[]): unknown[] => inputs.map((input) => (input as Tensor).toArray());

describe("random inputs", () => {
  test("have the sizes of the example, and values in its range", () => {
    const [x, i] = randomInputs(program(true), { seed: 3 }) as [Tensor, Tensor];
    expect(shapes([x, i])).toEqual(["4x3", "2"]);
    for (const value of x) expect(value).toBeGreaterThanOrEqual(0);
    for (const value of x) expect(value).toBeLessThanOrEqual(2.75);
    for (const value of i) expect([0n, 1n, 2n, 3n]).toContain(value);
  });

  test("are the same for the same seed, and others for another", () => {
    const draw = (seed?: number) => elements(randomInputs(program(true), { seed }));
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(draw()).toEqual(draw(0));
  });

  test("have the sizes that are given", () => {
    for (const examples of [true, false])
      expect(shapes(randomInputs(program(examples), { sizes: new Map([["s0", 7]]) }))[0]).toBe("7x3");
  });

  test("have drawn sizes where nothing says which", () => {
    const rows = Number(shapes(randomInputs(program(false), { seed: 1 }))[0]!.split("x")[0]);
    expect(rows).toBeGreaterThanOrEqual(2);
    expect(rows).toBeLessThanOrEqual(9);
  });

  const guard = "guard \"L['x'].size()[0] % 2 == 0\"";
  test.each<[string, ReadonlyMap<string, number>, string]>([
    [
      "",
      new Map([["s0", 10]]),
      "the program does not take the sizes s0 = 10: they are outside of their ranges",
    ],
    [
      guard,
      new Map([["s0", 5]]),
      "the program does not take the sizes s0 = 5: Guard failed: x.size()[0] % 2 == 0",
    ],
    ["", new Map([["s1", 5]]), 'the inputs have no symbol "s1"'],
  ])("sizes that the program does not take are refused: %s %o", (line, sizes, message) => {
    expect(() => randomInputs(program(true, line), { sizes })).toThrow(
      expect.objectContaining({
        code: "NO_SAMPLE_INPUTS",
        message: expect.stringContaining(message),
        fix: expect.any(String),
      }),
    );
  });
});

test("example inputs are copies, where the program has them", () => {
  const opened = program(true);
  const [x] = exampleInputs(opened) as [Tensor];
  const own = opened.exampleInputs!.leaves[0] as Tensor;
  expect(x.toArray()).toEqual(own.toArray());
  expect(x.storage).not.toBe(own.storage);
  expect(exampleInputs(program(false))).toBeUndefined();
});
