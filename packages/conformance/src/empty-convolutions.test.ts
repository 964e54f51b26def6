/**
 * @file Convolutions of no images, or of images without channels, as PyTorch 2.14 computes them.
 */
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const session = createSconce({
  backends: [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")],
});
const ones = (shape: readonly number[]): Tensor =>
  Tensor.from(new Array<number>(shape.reduce((a, b) => a * b, 1)).fill(1), [...shape], "float32");

const programOf = (inputs: Readonly<Record<string, string>>, body: string, outputs: readonly string[]) => {
  const names = Object.keys(inputs);
  const text = `sconce-ir 1
program "TRAINING" {
  ${names.map((name) => `input %${name}: USER_INPUT`).join("\n  ")}
  ${outputs.map((name) => `output %${name}: USER_OUTPUT`).join("\n  ")}
}
graph(${names.map((name) => `%${name}: f32[${inputs[name]}]`).join(", ")}) {
  ${body}
  return (${outputs.map((name) => `%${name}`).join(", ")})
}`;
  return session.transform(session.parseIr(text), "propagate-shapes");
};
const plain = (rank: number): string => {
  const list = (value: number): string => `[${new Array(rank).fill(value)}]`;
  return `${list(1)}, ${list(0)}, ${list(1)}, false, ${list(0)}`;
};

const CONVOLUTIONS = [
  [[1, 0, 4, 4], [3, 0, 1, 1], 1, [1, 0, 4, 4]],
  [[1, 0, 4, 4], [3, 0, 3, 3], 1, [1, 0, 2, 2]],
  [[1, 0, 4, 4], [4, 0, 1, 1], 2, [1, 0, 4, 4]],
  [[0, 0, 4, 4], [3, 0, 3, 3], 1, [0, 0, 2, 2]],
  [[0, 2, 4, 4], [3, 2, 3, 3], 1, [0, 3, 2, 2]],
  [[1, 0, 4], [3, 0, 2], 1, [1, 0, 3]],
  [[1, 0, 4, 4, 4], [3, 0, 2, 2, 2], 1, [1, 0, 3, 3, 3]],
] as const;

describe.each(["cpu", "wasm", "gpujs:cpu"])("%s", (backend) => {
  test.each(CONVOLUTIONS)("%j by %j in %i groups", async (input, weight, groups, shape) => {
    const call = `aten.convolution.default(%x, %w, none, ${plain(input.length - 2)}, ${groups})`;
    const program = programOf({ x: String(input), w: String(weight) }, `%y = ${call}`, ["y"]);
    for (const one of [program, session.runDecompositions(program)]) {
      using executable = await session.compile(one, backend);
      const [y] = (await executable.run([ones(input), ones(weight)])) as [Tensor];
      expect(y.shape).toEqual(shape);
    }
  });

  test.each([
    [
      [1, 3, 4, 4],
      [1, 0, 4, 4],
      [3, 0, 1, 1],
      [0, 0, 0],
    ],
    [
      [0, 3, 4, 4],
      [0, 1, 4, 4],
      [3, 1, 1, 1],
      [0, 0, 0],
    ],
    [
      [1, 3, 4, 4],
      [1, 1, 4, 4],
      [3, 1, 1, 1],
      [16, 16, 16],
    ],
  ] as const)("gradients of %j by %j", async (grad, input, weight, bias) => {
    const call = `aten.convolution_backward.default(%g, %x, %w, [3], ${plain(2)}, 1, [true, true, true])`;
    const body = ["c", "a", "b", "d"].map((name, i) =>
      i === 0 ? `%c = ${call}` : `%${name} = operator.getitem(%c, ${i - 1})`,
    );
    const inputs = { g: String(grad), x: String(input), w: String(weight) };
    using executable = await session.compile(programOf(inputs, body.join("\n  "), ["a", "b", "d"]), backend);
    const [a, b, d] = (await executable.run([ones(grad), ones(input), ones(weight)])) as [
      Tensor,
      Tensor,
      Tensor,
    ];
    expect([a.shape, b.shape, d.toArray()]).toEqual([input, weight, bias]);
  });
});

test("other sizes of zero are refused", () => {
  const call = "aten.convolution.default(%x, %w, none, [1, 1], [2, 1], [1, 1], false, [0, 0], 1)";
  expect(() => programOf({ x: "1, 2, 0, 4", w: "3, 2, 3, 3" }, `%y = ${call}`, ["y"])).toThrow(
    "Only zero batch or zero channel inputs are supported, but got input shape: [1, 2, 0, 4]",
  );
});
