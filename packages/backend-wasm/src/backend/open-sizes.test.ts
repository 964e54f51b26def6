/** @file Kernels that serve all sizes of a symbol: later sizes compile none. */
import { cpuBackend } from "@sconce/backend-cpu";
import type { Executable, ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { afterEach, describe, expect, test, vi } from "vitest";
import { MemoryOwner } from "../device/wasm-memory.js";
import { wasmBackend } from "./backend.js";
import { backendOn } from "./open.js";

afterEach(() => vi.unstubAllGlobals());

const noise = (shape: readonly number[], seed = 1.3): Tensor => {
  const count = shape.reduce((a, b) => a * b, 1);
  return Tensor.fromData(
    Float32Array.from({ length: count }, (_, i) => Math.sin((i + 1) * seed)),
    "float32",
    shape,
  );
};
/** Whole numbers below 11. */
const places = (shape: readonly number[]): Tensor =>
  Tensor.from(
    Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => BigInt((i * 7) % 11)),
    shape,
    "int64",
  );

/** A program of weights and inputs; types that begin with s0 are those of inputs. */
function programOf(inputs: Readonly<Record<string, string>>, body: string, result: string): ExportedProgram {
  const entries = Object.entries(inputs);
  const isWeight = ([name]: readonly [string, string]): boolean => name.startsWith("w");
  const specs = entries.map((one) =>
    isWeight(one) ? `input %${one[0]}: PARAMETER "${one[0]}"` : `input %${one[0]}: USER_INPUT`,
  );
  const shapeOf = (type: string): number[] => JSON.parse(type.slice(3)) as number[];
  return parseIr(
    `sconce-ir 1
symbol s0 integer positive
symbol s1 integer positive
program "ATEN" { ${specs.join(" ")} output %y: USER_OUTPUT }
graph(${entries.map(([name, type]) => `%${name}: ${type}`).join(", ")}) {
  ${body}
  return (%y)
}`.replace("%y: RESULT", `%y: ${result}`),
  ).with({
    stateDict: new Map(
      entries.filter(isWeight).map(([name, type], i) => [name, noise(shapeOf(type), 1.7 + i)]),
    ),
  });
}

/** Counts modules of kernels. */
function watchModules(): () => number {
  let count = 0;
  const { Module } = WebAssembly;
  class Watched extends Module {
    constructor(bytes: BufferSource) {
      super(bytes);
      count += Number(Module.exports(this).some(({ name }) => name === "k0"));
    }
  }
  vi.stubGlobal("WebAssembly", Object.create(WebAssembly, { Module: { value: Watched } }));
  return () => count;
}

async function difference(executables: readonly Executable[], inputs: readonly Tensor[]): Promise<number> {
  const [a, b] = await Promise.all(
    executables.map(async (one) => ((await one.run(inputs)) as Tensor[])[0]!.toFloat64Array()),
  );
  expect(b!.length).toBe(a!.length);
  return a!.reduce((most, value, i) => Math.max(most, Math.abs(value - b![i]!)), 0);
}

const LINEAR = `%t: f32[20, 33]{1, 20} = aten.permute.default(%w, [1, 0])
  %m: f32[s0, 33] = aten.addmm.default(%wb, %x, %t)`;

describe.each<[what: string, program: ExportedProgram, inputs: (count: number) => Tensor[]]>([
  [
    "linear layers and activations",
    programOf(
      { x: "f32[s0, 20]", w: "f32[33, 20]", wb: "f32[33]" },
      `${LINEAR}
  %y: RESULT = aten.relu.default(%m)`,
      "f32[s0, 33]",
    ),
    (count) => [noise([count, 20])],
  ],
  [
    "rows of several dimensions",
    programOf(
      { x: "f32[s0, 5, 20]", w: "f32[20, 24]", wb: "f32[5, 24]" },
      `%v: f32[s0*5, 20] = aten.view.default(%x, [-1, 20])
  %m: f32[s0*5, 24] = aten.mm.default(%v, %w)
  %u: f32[s0, 5, 24] = aten.view.default(%m, [-1, 5, 24])
  %y: RESULT = aten.add.Tensor(%u, %wb)`,
      "f32[s0, 5, 24]",
    ),
    (count) => [noise([count, 5, 20])],
  ],
  [
    "batches of products",
    programOf(
      { x: "f32[s0, 9, 16]", z: "f32[s0, 16, 13]" },
      "%y: RESULT = aten.bmm.default(%x, %z)",
      "f32[s0, 9, 13]",
    ),
    (count) => [noise([count, 9, 16]), noise([count, 16, 13], 2.1)],
  ],
  [
    "softmax, and sums",
    programOf(
      { x: "f32[s0, 37]" },
      `%s: f32[s0, 37] = aten._softmax.default(%x, 1, false)
  %a: f32[s0, 1] = aten.sum.dim_IntList(%s, [1], true)
  %y: RESULT = aten.mul.Tensor(%s, %a)`,
      "f32[s0, 37]",
    ),
    (count) => [noise([count, 37])],
  ],
  [
    "layer norms and functions of elements",
    programOf(
      { x: "f32[s0, 3, 20]", w: "f32[20]", wb: "f32[20]" },
      `%n: (f32[s0, 3, 20], f32[s0, 3, 1], f32[s0, 3, 1]) = aten.native_layer_norm.default(%x, [20], %w, %wb, 1e-05)
  %g: f32[s0, 3, 20] = operator.getitem(%n, 0)
  %y: RESULT = aten.gelu.default(%g)`,
      "f32[s0, 3, 20]",
    ),
    (count) => [noise([count, 3, 20])],
  ],
  [
    "embeddings",
    programOf(
      { ids: "i64[s0, 4]", w: "f32[11, 20]" },
      "%y: RESULT = aten.embedding.default(%w, %ids)",
      "f32[s0, 4, 20]",
    ),
    (count) => [places([count, 4])],
  ],
  [
    "sums over the symbol",
    programOf({ x: "f32[s0, 20]" }, "%y: RESULT = aten.sum.dim_IntList(%x, [0])", "f32[20]"),
    (count) => [noise([count, 20])],
  ],
  [
    "transposed results",
    programOf(
      { x: "f32[s0, 20]" },
      `%t: f32[20, s0]{1, 20} = aten.permute.default(%x, [1, 0])
  %y: RESULT = aten.neg.default(%t)`,
      "f32[20, s0]{1, 20}",
    ),
    (count) => [noise([count, 20])],
  ],
  [
    "products of the symbol with itself",
    programOf(
      { x: "f32[s0, 20]" },
      `%t: f32[20, s0]{1, 20} = aten.permute.default(%x, [1, 0])
  %y: RESULT = aten.mm.default(%x, %t)`,
      "f32[s0, s0]",
    ),
    (count) => [noise([count, 20])],
  ],
  [
    "rows in the opposite order",
    programOf({ x: "f32[s0, 20]" }, "%y: RESULT = aten.flip.default(%x, [0])", "f32[s0, 20]"),
    (count) => [noise([count, 20])],
  ],
  [
    "a row behind the others",
    programOf(
      { x: "f32[s0, 20]", w: "f32[1, 20]" },
      "%y: RESULT = aten.cat.default([%x, %w])",
      "f32[s0 + 1, 20]",
    ),
    (count) => [noise([count, 20])],
  ],
  [
    "attention of any length",
    programOf(
      { x: "f32[2, s0, 16]", w: "f32[2, 16, 16]" },
      `%q: f32[2, s0, 16] = aten.bmm.default(%x, %w)
  %t: f32[2, 16, s0]{16*s0, 1, 16} = aten.permute.default(%x, [0, 2, 1])
  %a: f32[2, s0, s0] = aten.bmm.default(%q, %t)
  %p: f32[2, s0, s0] = aten._softmax.default(%a, 2, false)
  %y: RESULT = aten.bmm.default(%p, %x)`,
      "f32[2, s0, 16]",
    ),
    (count) => [noise([2, count, 16])],
  ],
  [
    "two symbols, and a column",
    programOf(
      { x: "f32[s0, s1, 20]", w: "f32[20, 1]" },
      `%v: f32[s0*s1, 20] = aten.reshape.default(%x, [-1, 20])
  %m: f32[s0*s1, 1] = aten.mm.default(%v, %w)
  %z: f32[s0, 20] = aten.mean.dim(%x, [1])
  %z1: f32[s0, 1, 20] = aten.unsqueeze.default(%z, 1)
  %z2: f32[s0, s1, 20] = aten.add.Tensor(%x, %z1)
  %z3: f32[s0*s1, 20] = aten.reshape.default(%z2, [-1, 20])
  %y: RESULT = aten.mul.Tensor(%z3, %m)`,
      "f32[s0*s1, 20]",
    ),
    (count) => [noise([count, 1 + (count % 9), 20])],
  ],
  [
    "the place of the greatest along the symbol",
    programOf({ x: "f32[3, s0, 5]" }, "%y: RESULT = aten.argmax.default(%x, 1)", "i64[3, 5]"),
    (count) => [noise([3, count, 5])],
  ],
  [
    "running sums",
    programOf({ x: "f32[3, s0, 5]" }, "%y: RESULT = aten.cumsum.default(%x, 1)", "f32[3, s0, 5]"),
    (count) => [noise([3, count, 5])],
  ],
  [
    "a cache and what comes new",
    programOf(
      { x: "f32[2, s0, 8]", z: "f32[2, 1, 8]" },
      `%c: f32[2, s0 + 1, 8] = aten.cat.default([%x, %z], 1)
  %t: f32[2, 8, s0 + 1]{8*s0 + 8, 1, 8} = aten.permute.default(%c, [0, 2, 1])
  %a: f32[2, 1, s0 + 1] = aten.bmm.default(%z, %t)
  %p: f32[2, 1, s0 + 1] = aten._softmax.default(%a, 2, false)
  %y: RESULT = aten.bmm.default(%p, %c)`,
      "f32[2, 1, 8]",
    ),
    (count) => [noise([2, count, 8]), noise([2, 1, 8], 2.1)],
  ],
  [
    "convolutions and pools of any number of images",
    programOf(
      { x: "f32[s0, 3, 12, 12]", w: "f32[16, 3, 3, 3]", wb: "f32[16]", w2: "f32[16, 16, 3, 3]" },
      `%a: f32[s0, 16, 6, 6] = aten.convolution.default(%x, %w, %wb, [2, 2], [1, 1], [1, 1], false, [0, 0], 1)
  %r: f32[s0, 16, 6, 6] = aten.relu.default(%a)
  %b: f32[s0, 16, 6, 6] = aten.convolution.default(%r, %w2, none, [1, 1], [1, 1], [1, 1], false, [0, 0], 1)
  %c: f32[s0, 16, 6, 6] = aten.add.Tensor(%b, %r)
  %p: (f32[s0, 16, 3, 3], i64[s0, 16, 3, 3]) = aten.max_pool2d_with_indices.default(%c, [2, 2], [2, 2])
  %g: f32[s0, 16, 3, 3] = operator.getitem(%p, 0)
  %y: RESULT = aten.mean.dim(%g, [2, 3])`,
      "f32[s0, 16]",
    ),
    (count) => [noise([Math.ceil(count / 40), 3, 12, 12])],
  ],
])("%s", (_, program, inputs) => {
  test("compile once, and give the same bits with 1, 2 and 3 threads", async () => {
    const count = watchModules();
    // All kernels are divided, however small they are.
    const owners = [1, 2, 3].map((threads) => new MemoryOwner(threads, { least: 0 }));
    const executables = await Promise.all(owners.map((owner) => backendOn(owner).compile(program)));
    const reference = await cpuBackend().compile(program);
    for (const size of [3, 1, 96, 97, 513, 2]) {
      const given = inputs(size);
      const [one, ...others] = executables as [Executable, ...Executable[]];
      expect(await difference([reference, one], given), `size ${size}`).toBeLessThan(2e-5);
      for (const other of others) expect(await difference([one, other], given), `size ${size}`).toBe(0);
      expect(count()).toBe(executables.length);
    }
    for (const executable of executables) {
      expect(executable.placement!().nodes.every(({ place }) => place === "device")).toBe(true);
      expect(executable.executionPlan!().kernels.flatMap(({ perSizes }) => perSizes ?? [])).toEqual([]);
      executable.dispose();
    }
    reference.dispose();
  });
});

test.each([
  ["aten.sum.dim_IntList(%x, [0])", "f32[20]"],
  ["aten.mul.Tensor(%x, 2.5)", "f32[s0, 20]"],
  ["aten.cat.default([%x, %w])", "f32[s0 + 1, 20]"],
  ["aten._softmax.default(%x, 0, false)", "f32[s0, 20]"],
  ["aten.mm.default(%x, %v)", "f32[s0, 20]"],
])("%s runs in the sizes 0 and 1, too", async (call, type) => {
  const program = parseIr(`sconce-ir 1
symbol s0 integer nonnegative
program "ATEN" { input %w: USER_INPUT input %v: USER_INPUT input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%w: f32[1, 20], %v: f32[20, 20], %x: f32[s0, 20]) {
  %y: ${type} = ${call}
  return (%y)
}`);
  const executable = await wasmBackend({ threads: 1 }).compile(program);
  const reference = await cpuBackend().compile(program);
  for (const size of [4, 0, 1, 0, 5]) {
    const inputs = [noise([1, 20]), noise([20, 20], 1.9), noise([size, 20])];
    expect(await difference([reference, executable], inputs), `size ${size}`).toBeLessThan(1e-5);
  }
  executable.dispose();
  reference.dispose();
});

test("code in several sizes keeps its module for as long as one of them is there", async () => {
  const count = watchModules();
  const program = programOf(
    { x: "f32[s0, 20]", w: "f32[33, 20]", wb: "f32[33]" },
    `${LINEAR}
  %s: (f32[s0, 33], i64[s0, 33]) = aten.sort.default(%m, 0)
  %y: RESULT = operator.getitem(%s, 0)`,
    "f32[s0, 33]",
  );
  const executable = await wasmBackend({ threads: 1 }).compile(program);
  const reference = await cpuBackend().compile(program);
  // More sizes than are kept: those that come first go first.
  for (let size = 1; size <= 40; size++)
    expect(await difference([reference, executable], [noise([size, 20])])).toBeLessThan(1e-5);
  expect(await difference([reference, executable], [noise([1, 20])])).toBeLessThan(1e-5);
  expect(count()).toBeGreaterThan(20);
  executable.dispose();
});
