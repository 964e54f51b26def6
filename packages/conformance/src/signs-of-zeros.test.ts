/**
 * @file Which of two equal zeros operators take, on every backend. PyTorch 2.14 takes the first in
 * all rows: always, but for `maximum`, `minimum` and reductions of whole tensors, whose vector code
 * takes others for some sizes.
 */

import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const session = createSconce({
  backends: [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")],
});
/** Vectors, and what is left over. */
const SIZE = 7;
const TYPES = { f32: "float32", f64: "float64", f16: "float16" } as const;

const signOf = (value: number): string => (Object.is(value, -0) ? "-" : value === 0 ? "+" : "?");
const signs = (value: unknown): string => Array.from((value as Tensor).toFloat64Array(), signOf).join("");

/** The signs of `%r0`, `%r1`, ... of lines of IR text. */
async function results(
  backend: string,
  type: keyof typeof TYPES,
  args: readonly Tensor[],
  lines: readonly string[],
) {
  const typeOf = ({ shape }: Tensor): string => `${type}[${shape.join(", ")}]`;
  const names = lines.map((_, i) => `%r${i}`);
  const program = session.parseIr(`sconce-ir 1
program "TRAINING" {
  ${args.map((_, i) => `input %x${i}: USER_INPUT`).join(" ")}
  ${names.map((name) => `output ${name}: USER_OUTPUT`).join(" ")}
}
graph(${args.map((arg, i) => `%x${i}: ${typeOf(arg)}`).join(", ")}) {
  ${lines.join("\n  ")}
  return (${names.join(", ")})
}`);
  using executable = await session.compile(program, backend);
  return (await executable.run(args)).map(signs);
}

const filled = (type: keyof typeof TYPES, values: readonly number[]): Tensor =>
  Tensor.from([...values], [values.length], TYPES[type]);
const [PLUS, MINUS] = [Array<number>(SIZE).fill(0), Array<number>(SIZE).fill(-0)];

const KEEP_SELF = [
  "relu.default(%x0)",
  "relu6.default(%x0)",
  "hardtanh.default(%x0, 0, 1)",
  "hardtanh.default(%x0, -1, 0)",
  "clamp.default(%x0, 0, 1)",
  "clamp.default(%x0, -1, -0.0)",
  "clamp_min.default(%x0, 0)",
  "clamp_max.default(%x0, -0.0)",
  "leaky_relu.default(%x0)",
  "clamp.Tensor(%x0, %x1, none)",
  "clamp.Tensor(%x0, none, %x1)",
  "maximum.default(%x0, %x1)",
  "minimum.default(%x0, %x1)",
  "fmax.default(%x0, %x1)",
  "fmin.default(%x0, %x1)",
];
const BACKENDS = ["cpu", "wasm", "gpujs:cpu"] as const;

describe.each(BACKENDS)("%s", (backend) => {
  test.each(["f32", "f64", "f16"] as const)("keeps the first of two zeros, %s", async (type) => {
    const lines = KEEP_SELF.map((call, i) => `%r${i}: ${type}[${SIZE}] = aten.${call}`);
    for (const [first, sign] of [
      [PLUS, "+"],
      [MINUS, "-"],
    ] as const)
      for (const second of [PLUS, MINUS]) {
        const found = await results(backend, type, [filled(type, first), filled(type, second)], lines);
        expect(found).toEqual(KEEP_SELF.map(() => sign.repeat(SIZE)));
      }
  });

  test.each(["int8", "int16", "int32", "int64"] as const)("knows no negative zero of %s", async (dtype) => {
    const type = `i${dtype.slice(3)}[3]`;
    const program = session.parseIr(`sconce-ir 1
program "TRAINING" { input %x: USER_INPUT input %y: USER_INPUT ${[0, 1, 2, 3].map((i) => `output %r${i}: USER_OUTPUT`).join(" ")} }
graph(%x: ${type}, %y: ${type}) {
  %product: ${type} = aten.mul.Tensor(%x, %y)
  %r0: f32[3] = aten.reciprocal.default(%product)
  %negative: ${type} = aten.neg.default(%x)
  %r1: f32[3] = aten.reciprocal.default(%negative)
  %float: f32[3] = aten.mul.Tensor(%x, -0.25)
  %cut: ${type} = aten._to_copy.default(%float, dtype=${dtype})
  %r2: f32[3] = aten.reciprocal.default(%cut)
  %rest: ${type} = aten.fmod.Tensor(%y, %y)
  %r3: f32[3] = aten.reciprocal.default(%rest)
  return (%r0, %r1, %r2, %r3)
}`);
    using executable = await session.compile(program, backend);
    const found = await executable.run([
      Tensor.from([0, -1, 2], [3], dtype),
      Tensor.from([-3, -2, 5], [3], dtype),
    ]);
    expect(found.map((value) => Array.from((value as Tensor).toFloat64Array()))).toEqual([
      [Infinity, 0.5, Math.fround(0.1)],
      [Infinity, 1, -0.5],
      [Infinity, Infinity, Infinity],
      [Infinity, Infinity, Infinity],
    ]);
  });

  test("keeps the first zero of a reduction and of a window", async () => {
    const type = "f32";
    const lines = [
      "%r0: f32[1] = aten.amax.default(%x0, [0], true)",
      "%r1: f32[1] = aten.amin.default(%x0, [0], true)",
      "%m: (f32[], i64[]) = aten.max.dim(%x0, 0) %r2: f32[] = operator.getitem(%m, 0)",
      "%n: (f32[], i64[]) = aten.min.dim(%x0, 0) %r3: f32[] = operator.getitem(%n, 0)",
      `%v: f32[1, 1, ${SIZE}] = aten.view.default(%x0, [1, 1, ${SIZE}]) %r4: f32[1, 1, 1] = aten.max_pool1d.default(%v, [${SIZE}])`,
    ];
    const tail = Array<number>(SIZE - 1);
    for (const values of [
      [0, ...tail.fill(-0)],
      [-0, ...tail.fill(0)],
    ]) {
      const found = await results(backend, type, [filled(type, values)], lines);
      expect(found).toEqual(lines.map(() => signOf(values[0]!)));
    }
  });

  test("keeps the zero of a product and of a window before them", async () => {
    const [a, b] = [Tensor.empty([40, 40], "float32"), Tensor.empty([40, 40], "float32")];
    const image = Tensor.empty([1, 8, 12, 12], "float32");
    const kernel = Tensor.empty([8, 1, 3, 3], "float32");
    const found = await results(
      backend,
      "f32",
      [a, b, image, kernel],
      [
        "%p: f32[40, 40] = aten.mm.default(%x0, %x1) %q: f32[40, 40] = aten.neg.default(%p) %r0: f32[40, 40] = aten.relu.default(%q)",
        `%c: f32[1, 8, 10, 10] = aten.conv2d.default(%x2, %x3, none, [1, 1], [0, 0], [1, 1], 8)
  %d: f32[1, 8, 10, 10] = aten.neg.default(%c) %r1: f32[1, 8, 10, 10] = aten.relu6.default(%d)`,
      ],
    );
    expect(found.map((text) => [...new Set(text)].join(""))).toEqual(["-", "-"]);
  });
});
