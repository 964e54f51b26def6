/**
 * @file Built modules at several sizes: calls whose kernels depend on sizes give the backend's
 * bits.
 */
import { buildModule } from "@sconce/build";
import type { ExportedProgram, Value } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { compareBuilt } from "./built-programs.fixture.js";

/** A program of dynamic sizes `s0` and `s1`, from `least` on. */
function programOf(inputs: string, body: string, least = 0): ExportedProgram {
  const names = [...inputs.matchAll(/%(\w+):/g)].map(([, name]) => name!);
  return parseIr(`program "ATEN" {
  range "s0" [${least}, 64]
  range "s1" [${least}, 64]
  hint "s0" 7
  hint "s1" 5
${names.map((name) => `  input %${name}: USER_INPUT`).join("\n")}
  output %y: USER_OUTPUT
  call "" ((${names.map(() => "*").join(", ")}), {}) -> * names [${names.map((name) => `"${name}"`).join(", ")}]
}
graph(${inputs}) {
${body}
  return (%y,)
}
`);
}

/** Numbers in a fixed order that looks random. */
function noise(...shape: readonly number[]): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  const data = Float32Array.from({ length: count }, (_, at) => Math.sin(at * 7.3 + 1) * 2);
  return Tensor.fromData(data, "float32", shape);
}
/** Places below a limit. */
function places(limit: number, ...shape: readonly number[]): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  const data = BigInt64Array.from({ length: count }, (_, at) => BigInt((at * 5 + 2) % limit));
  return Tensor.fromData(data, "int64", shape);
}

async function same(
  program: ExportedProgram,
  runs: readonly (readonly Value[])[],
  options: Parameters<typeof compareBuilt>[2] = {},
): Promise<void> {
  const { refused, differences } = await compareBuilt(program, runs, options);
  expect(refused).toBeUndefined();
  expect(differences).toEqual([]);
}

/** Rows and sources of each run. */
const SIZES = [
  [7, 5],
  [3, 11],
  [40, 64],
] as const;

describe("modules at several sizes", () => {
  const indexed = "%x: f32[s0, 4], %i: i64[s1], %v: f32[s1, 4]";
  test.each([
    ["index_add", "aten.index_add.default(%x, 0, %i, %v)"],
    ["index_copy", "aten.index_copy.default(%x, 0, %i, %v)"],
    ["index_put", "aten.index_put.default(%x, [%i], %v)"],
    ["index_put with sums", "aten.index_put.default(%x, [%i], %v, true)"],
    ["index_fill", "aten.index_fill.int_Scalar(%x, 0, %i, 1.5)"],
  ])("%s over dynamic rows, and of no sources", async (_, call) => {
    const program = programOf(indexed, `  %y: f32[s0, 4] = ${call}`);
    const runs = [...SIZES, [3, 0] as const, [0, 0] as const];
    await same(
      program,
      runs.map(([rows, count]) => [noise(rows, 4).neg(), places(rows, count), noise(count, 4)]),
    );
    const { report } = await buildModule(program);
    expect(report.hostCalls).toEqual([]);
  });

  const scattered = "%x: f32[3, s0], %i: i64[3, s1], %v: f32[3, s1]";
  test.each([
    ["scatter", "aten.scatter.src(%x, 1, %i, %v)"],
    ["scatter_add", "aten.scatter_add.default(%x, 1, %i, %v)"],
    ["products", 'aten.scatter_reduce.two(%x, 1, %i, %v, "prod")'],
    ["greatest", 'aten.scatter_reduce.two(%x, 1, %i, %v, "amax", include_self=false)'],
    ["means", 'aten.scatter_reduce.two(%x, 1, %i, %v, "mean")'],
  ])("%s over dynamic columns", async (_, call) => {
    const program = programOf(scattered, `  %y: f32[3, s0] = ${call}`);
    await same(
      program,
      SIZES.map(([columns, count]) => [noise(3, columns), places(columns, 3, count), noise(3, count)]),
    );
  });

  const chosen = "%x: f32[s0, 4], %i: i64[s1]";
  test.each([
    ["index_select", "  %y: f32[s1, 4] = aten.index_select.default(%x, 0, %i)"],
    ["index", "  %y: f32[s1, 4] = aten.index.Tensor(%x, [%i])"],
    [
      "index of computed places",
      "  %j: i64[s1] = aten.mul.Tensor(%i, 1)\n  %y: f32[s1, 4] = aten.index.Tensor(%x, [%j])",
    ],
    ["embedding", "  %y: f32[s1, 4] = aten.embedding.default(%x, %i)"],
  ])("%s of dynamic rows, with places outside, and with none", async (_, body) => {
    const program = programOf(chosen, body);
    await same(
      program,
      [...SIZES, [1, 1] as const, [2, 0] as const, [0, 0] as const].map(([rows, count]) => [
        noise(rows, 4),
        places(rows, count),
      ]),
    );
    const outside = places(8, 5);
    const { differences } = await compareBuilt(program, [[noise(7, 4), outside]]);
    expect(differences.map((text) => text.split("\n").map((line) => line.startsWith("throws")))).toEqual(
      differences.map(() => [true, true]),
    );
  });

  const images = "%x: f32[2, 4, s0, s1], %w: f32[4, 4, 3, 3], %d: f32[4, 1, 3, 3], %p: f32[4, 4, 1, 1]";
  const conv = (weight: string, rest: string): string =>
    `aten.convolution.default(%x, ${weight}, none, ${rest})`;
  test.each([
    ["3x3", conv("%w", "[1, 1], [1, 1], [1, 1], false, [0, 0], 1"), "s0, s1"],
    ["1x1", conv("%p", "[1, 1], [0, 0], [1, 1], false, [0, 0], 1"), "s0, s1"],
    ["depthwise", conv("%d", "[1, 1], [1, 1], [1, 1], false, [0, 0], 4"), "s0, s1"],
    [
      "strided",
      conv("%w", "[2, 2], [1, 1], [1, 1], false, [0, 0], 1"),
      "((s0 - 1)//2) + 1, ((s1 - 1)//2) + 1",
    ],
    ["transposed", conv("%w", "[2, 2], [1, 1], [1, 1], true, [0, 0], 1"), "2*s0 - 1, 2*s1 - 1"],
  ])("a convolution of images of dynamic sizes: %s", async (_, call, sizes) => {
    const type = `f32[2, 4, ${sizes}]`;
    const program = programOf(images, `  %y: ${type} = ${call}`, 3);
    await same(
      program,
      SIZES.map((size) => [noise(2, 4, ...size), noise(4, 4, 3, 3), noise(4, 1, 3, 3), noise(4, 4, 1, 1)]),
      { winograd: 0 },
    );
  });

  test("the sizes 0 and 1 of programs with four symbols, and of ones with conditions", async () => {
    const sums = `program "ATEN" {
${["s0", "s1", "s2", "s3"].map((name) => `  range "${name}" [0, 64]\n  hint "${name}" 3`).join("\n")}
  input %a: USER_INPUT
  input %b: USER_INPUT
  output %y: USER_OUTPUT
  call "" ((*, *), {}) -> * names ["a", "b"]
}
graph(%a: f32[s0, s1], %b: f32[s2, s3]) {
  %p: f32[s0] = aten.sum.dim_IntList(%a, [1])
  %q: f32[s2] = aten.sum.dim_IntList(%b, [1])
  %pp: f32[s0, 1] = aten.unsqueeze.default(%p, 1)
  %y: f32[s0, s2] = aten.add.Tensor(%pp, %q)
  return (%y,)
}
`;
    const ends = [0, 1, 4];
    const shapes = ends.flatMap((a) =>
      ends.flatMap((b) => ends.flatMap((c) => ends.map((d) => [a, b, c, d]))),
    );
    await same(
      parseIr(sums),
      shapes.map(([a, b, c, d]) => [noise(a!, b!), noise(c!, d!)]),
    );
    const halves = programOf(
      "%x: f32[s0, 4], %z: f32[s1, 4]",
      `  %both: f32[s0 + s1, 4] = aten.cat.default([%x, %z])
  %y: f32[s0 + s1, 4] = aten.mul.Tensor(%both, 2)`,
    );
    await same(
      halves,
      [0, 1, 6].map((rows) => [noise(rows, 4), noise(3, 4)]),
    );
  });

  test.each([
    [
      "sort",
      "  %p: (f32[3, s0], i64[3, s0]) = aten.sort.default(%x, 1)\n  %y: f32[3, s0] = operator.getitem(%p, 0)",
    ],
    ["median", "  %p: (f32[3], i64[3]) = aten.median.dim(%x, 1)\n  %y: f32[3] = operator.getitem(%p, 0)"],
    ["sums of rows", "  %y: f32[3, s0] = aten.cumsum.default(%x, 1)"],
  ])("kernels that are made for the length of a row: %s", async (_, body) => {
    await same(
      programOf("%x: f32[3, s0]", body, 1),
      [1, 2, 7, 64].map((size) => [noise(3, size)]),
    );
  });

  test("powers of sizes", async () => {
    const program = programOf(
      "%x: f32[s0]",
      `  %n: int(s0) = aten.sym_size.int(%x, 0)
  %square: int(s0**2) = operator.pow(%n, 2)
  %y: f32[s0] = aten.mul.Tensor(%x, %square)`,
    );
    await same(program, [[noise(7)], [noise(2)], [noise(64)]]);
  });
});
