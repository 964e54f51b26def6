/** @file Sizes that calls do not take: a built module refuses what the backend `wasm` refuses. */
import { wasmBackend } from "@sconce/backend-wasm";
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram, Value } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Storage, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { bitsOf, leavesOf, moduleTensor, withModule } from "./built-modules.fixture.js";

/** A program of `x` and `y`, whose rows `s` and `t` are open. */
function programOf([, x, y, [s, t], body]: Case): ExportedProgram {
  return parseIr(
    `program "ATEN" {
  range "s" [0, 1000]
  range "t" [0, 1000]
  hint "s" ${s}
  hint "t" ${t}
  input %x: USER_INPUT
  input %y: USER_INPUT
  output %out: USER_OUTPUT
  call "" ((*, *), {}) -> * names ["x", "y"]
}
graph(%x: ${x}, %y: ${y}) {
${body.map((line) => `  ${line}`).join("\n")}
  return (%out)
}
`,
    { tensors: new Map() },
  );
}

/** Operands, example sizes and calls. */
type Case = readonly [
  name: string,
  x: string,
  y: string,
  examples: readonly number[],
  body: readonly string[],
];
const CASES: readonly Case[] = [
  [
    "slice_scatter with steps",
    "f32[s, 3]",
    "f32[t, 3]",
    [8, 4],
    ["%out: f32[s, 3] = aten.slice_scatter.default(%x, %y, 0, 1, None, 2)"],
  ],
  [
    "slice_scatter to an end",
    "f32[s, 3]",
    "f32[t, 3]",
    [8, 4],
    ["%out: f32[s, 3] = aten.slice_scatter.default(%x, %y, 0, 0, 4)"],
  ],
  [
    "slice_scatter of columns",
    "f32[3, s]",
    "f32[3, t]",
    [8, 4],
    ["%out: f32[3, s] = aten.slice_scatter.default(%x, %y, 1, -4)"],
  ],
  [
    "select_scatter of rows",
    "f32[s, 4]",
    "f32[t]",
    [8, 4],
    ["%out: f32[s, 4] = aten.select_scatter.default(%x, %y, 0, 5)"],
  ],
  [
    "select_scatter of columns",
    "f32[s, 3]",
    "f32[t]",
    [8, 8],
    ["%out: f32[s, 3] = aten.select_scatter.default(%x, %y, 1, -1)"],
  ],
  [
    "diagonal_scatter",
    "f32[s, 4]",
    "f32[t]",
    [8, 4],
    ["%out: f32[s, 4] = aten.diagonal_scatter.default(%x, %y)"],
  ],
  [
    "where",
    "f32[s, 3]",
    "f32[t, 3]",
    [8, 8],
    ["%c: b8[s, 3] = aten.gt.Scalar(%x, 3)", "%out: f32[s, 3] = aten.where.self(%c, %x, %y)"],
  ],
  ["add", "f32[s, 3]", "f32[t, 3]", [8, 8], ["%out: f32[s, 3] = aten.add.Tensor(%x, %y)"]],
  ["copy", "f32[s, 3]", "f32[t, 3]", [8, 8], ["%out: f32[s, 3] = aten.copy.default(%x, %y)"]],
  [
    "view",
    "f32[s, 3]",
    "f32[t]",
    [8, 4],
    ["%v: f32[2, 12] = aten.view.default(%x, [2, 12])", "%out: f32[2, 12] = aten.mul.Scalar(%v, 2)"],
  ],
  ["cat", "f32[s, 3]", "f32[t, 3]", [8, 8], ["%out: f32[s, 6] = aten.cat.default([%x, %y], 1)"]],
  [
    "select",
    "f32[s, 3]",
    "f32[t]",
    [8, 4],
    ["%v: f32[3] = aten.select.int(%x, 0, 5)", "%out: f32[3] = aten.mul.Scalar(%v, 2)"],
  ],
  [
    "narrow",
    "f32[s, 3]",
    "f32[t]",
    [8, 4],
    ["%v: f32[4, 3] = aten.narrow.default(%x, 0, 2, 4)", "%out: f32[4, 3] = aten.mul.Scalar(%v, 2)"],
  ],
  ["mm", "f32[3, s]", "f32[t, 3]", [8, 8], ["%out: f32[3, 3] = aten.mm.default(%x, %y)"]],
  [
    "constant_pad_nd",
    "f32[s, 3]",
    "f32[t]",
    [8, 4],
    ["%out: f32[s - 4, 3] = aten.constant_pad_nd.default(%x, [0, 0, -2, -2])"],
  ],
  [
    "reflection_pad1d",
    "f32[3, s]",
    "f32[t]",
    [8, 4],
    ["%out: f32[3, s + 8] = aten.reflection_pad1d.default(%x, [4, 4])"],
  ],
  [
    "avg_pool1d",
    "f32[3, s]",
    "f32[t]",
    [10, 5],
    ["%out: f32[3, s - 4] = aten.avg_pool1d.default(%x, [5], [1])"],
  ],
];

const SIZES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16];
const inputOf = (type: string, sizes: ReadonlyMap<string, number>): Tensor => {
  const [, dims] = /^f32\[(.*)\]$/.exec(type)!;
  const shape = dims!.split(", ").map((dim) => sizes.get(dim) ?? Number(dim));
  const data = Float32Array.from({ length: shape.reduce((all, one) => all * one, 1) }, (_, i) => i + 1);
  return new Tensor({ dtype: "float32", shape, storage: new Storage(new Uint8Array(data.buffer)) });
};

describe.each(["wasm", "js"] as const)("a module of %s", (target) => {
  test.for(CASES)("refuses the sizes that the backend refuses: %s", async (one) => {
    const [, x, y] = one;
    const program = programOf(one);
    using executable = await wasmBackend({ threads: 1 }).compile(program);
    await withModule(program, { targets: [target] }, async ({ load, ModelError }) => {
      const model = await load();
      const taken = { backend: 0, module: 0, refused: 0 };
      const wrong: unknown[] = [];
      for (const s of SIZES)
        for (const t of SIZES) {
          const sizes = new Map([
            ["s", s],
            ["t", t],
          ]);
          const inputs: readonly Tensor[] = [inputOf(x, sizes), inputOf(y, sizes)];
          const wanted = await executable.run(inputs as readonly Value[]).then(
            (values) => values.map(bitsOf).join(),
            (error: unknown) => {
              if (!isSconceError(error)) throw error;
              return undefined;
            },
          );
          const given = await model.run({ x: moduleTensor(inputs[0]!), y: moduleTensor(inputs[1]!) }).then(
            (value) => leavesOf(value).map(bitsOf).join(),
            (error: unknown) => {
              if (!(error instanceof ModelError)) throw error;
              return undefined;
            },
          );
          if (wanted === undefined) taken.refused++;
          else taken.backend++;
          if (given !== undefined) taken.module++;
          if (given !== undefined && given !== wanted) wrong.push([s, t, given, wanted]);
        }
      expect(wrong).toEqual([]);
      expect(taken.module).toBeGreaterThan(0);
      expect(taken.refused).toBeGreaterThan(0);
    });
  });
});
