/** @file Complex numbers and Fourier transforms on the device, against the interpreter. */
import { createEvaluator } from "@sconce/backend-cpu";
import { complex, type Value } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { CallProgram } from "@sconce/ops-cases";
import { type DType, Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const operators = defaultOperators();
const evaluate = createEvaluator({ operators });
const backend = wasmBackend({ threads: 1 });

let seed = 1;
/** A number from -1 to 1. */
const next = (): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 31 - 1;
};
function random(shape: readonly number[], dtype: "float32" | "complex64" = "complex64"): Tensor {
  const count = shape.reduce((all, size) => all * size, dtype === "complex64" ? 2 : 1);
  return Tensor.fromData(Float32Array.from({ length: count }, next), dtype, shape);
}
const numbers = (tensor: Tensor): number[] => {
  const { data } = tensor.contiguous();
  return Array.from(data as Float32Array, Number);
};

type Args = readonly Parameters<CallProgram["resultOf"]>[0][number][];
/** Results on the device, which runs all of the call, and those of the interpreter. */
async function both(target: string, args: Args) {
  const call = new CallProgram(target, args, {}, operators);
  const executable = await backend.compile(call.program);
  const [own] = (await executable.run(call.inputs as Value[])) as [Tensor];
  const { nodes, fallbacks } = executable.placement!();
  expect([...nodes.filter(({ place }) => place === "host"), ...fallbacks]).toEqual([]);
  executable.dispose();
  return { own, reference: evaluate(target, args as never, {}) as Tensor };
}

/** The greatest difference, relative to the size of the numbers. */
function difference(own: Tensor, reference: Tensor): number {
  expect([own.dtype, own.shape]).toEqual([reference.dtype, reference.shape]);
  const [a, b] = [numbers(own), numbers(reference)];
  const size = Math.sqrt(b.reduce((sum, x) => sum + x * x, 0) / b.length);
  return Math.max(...a.map((x, i) => Math.abs(x - b[i]!))) / size;
}

const LENGTHS = [1, 2, 3, 4, 5, 8, 13, 31, 37, 60, 500];
test("lines of many lengths are transformed in kernels", async () => {
  for (const n of LENGTHS) {
    const half = Math.floor(n / 2) + 1;
    const calls: [string, Args][] = [
      ["aten._fft_r2c.default", [random([5, n], "float32"), [1], 0, true]],
      ["aten._fft_r2c.default", [random([n], "float32"), [0], 1, false]],
      ["aten._fft_c2c.default", [random([n, 7]), [0], 2, n % 2 === 0]],
      ["aten._fft_c2r.default", [random([3, half]), [1], 1, n]],
    ];
    for (const [target, args] of calls) {
      const { own, reference } = await both(target, args);
      expect(difference(own, reference), `${target} of ${n}`).toBeLessThan(4e-6);
    }
  }
});
test("several dimensions are transformed one after the other", async () => {
  const calls: [string, Args][] = [
    ["aten._fft_r2c.default", [random([8, 6, 20], "float32"), [0, 2, 1], 0, true]],
    ["aten._fft_c2c.default", [random([8, 6, 20]), [1, 0], 2, false]],
    ["aten._fft_c2r.default", [random([8, 6, 11]), [0, 2], 1, 20]],
    // More and fewer elements than half of a line.
    ["aten._fft_c2r.default", [random([2, 4]), [1], 0, 12]],
    ["aten._fft_c2r.default", [random([2, 9]), [1], 0, 6]],
  ];
  for (const [target, args] of calls) {
    const { own, reference } = await both(target, args);
    expect(difference(own, reference), target).toBeLessThan(2e-6);
  }
});

const [X, Y] = [random([3, 5]), random([3, 5])];
const R = random([3, 5], "float32");
const at = (...places: readonly number[]): Tensor =>
  Tensor.from(places.map(BigInt), [places.length], "int64");
test.each<[string, Args]>([
  ["aten.add.Tensor", [X, Y]],
  ["aten.add.Tensor", [X, R]],
  ["aten.add.Scalar", [R, complex(1, -2)]],
  ["aten.sub.Tensor", [R, X]],
  ["aten.rsub.Scalar", [X, 2]],
  ["aten.mul.Tensor", [X, Y]],
  ["aten.mul.Tensor", [X, R]],
  ["aten.mul.Scalar", [X, complex(0, 1)]],
  ["aten.div.Tensor", [X, Y]],
  ["aten.div.Tensor", [X, R]],
  ["aten.reciprocal.default", [X]],
  ["aten.neg.default", [X]],
  ["aten.abs.default", [X]],
  ["aten.angle.default", [X]],
  ["aten.angle.default", [R]],
  ["aten._conj_physical.default", [X]],
  ["aten.complex.default", [R, R]],
  ["aten.polar.default", [R, R]],
  ["aten.real.default", [X]],
  ["aten.imag.default", [X]],
  ["aten.view_as_real.default", [X]],
  ["aten.view_as_complex.default", [random([3, 2], "float32")]],
  ["aten.eq.Tensor", [X, X]],
  ["aten.ne.Tensor", [X, Y]],
  ["aten.where.self", [Tensor.from([true, false, true, true, false], [5], "bool"), X, Y]],
  ["aten.cat.default", [[X, Y], 1]],
  ["aten.stack.default", [[X, Y], 1]],
  ["aten.index.Tensor", [X, [at(2, 0)]]],
  ["aten.index_select.default", [X, 1, at(4, 1)]],
  ["aten.constant_pad_nd.default", [X, [1, 2], 3]],
  ["aten.flip.default", [X, [0]]],
  ["aten.roll.default", [X, [2], [1]]],
  ["aten.repeat.default", [X, [2, 1]]],
  ["aten.permute.default", [X, [1, 0]]],
  ["aten.full_like.default", [X, complex(1, 2)]],
])("%s of complex numbers %#", async (target, args) => {
  const { own, reference } = await both(target, args);
  const [a, b] = [numbers(own), numbers(reference)];
  expect([own.dtype, own.shape]).toEqual([reference.dtype, reference.shape]);
  a.forEach((x, i) => {
    expect(Math.abs(x - b[i]!)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(b[i]!)));
  });
});

const ODD = [0, -0, 1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];
const PAIRS = ODD.flatMap((re) => ODD.map((im) => [re, im] as const));
const COUNT = PAIRS.length ** 2;
const ofPairs = (pick: (place: number) => number): Tensor =>
  Tensor.fromData(
    Float32Array.from(Array.from({ length: COUNT }, (_, i) => PAIRS[pick(i)]!).flat()),
    "complex64",
    [COUNT],
  );
const FIRST = ofPairs((i) => i % PAIRS.length);
const SECOND = ofPairs((i) => Math.floor(i / PAIRS.length));
test.each([
  "add.Tensor",
  "sub.Tensor",
  "mul.Tensor",
  "div.Tensor",
  "eq.Tensor",
  "abs.default",
  "neg.default",
])("%s keeps the signs of zeros, infinities and NaN", async (name) => {
  const args = name.endsWith("Tensor") ? [FIRST, SECOND] : [FIRST];
  const { own, reference } = await both(`aten.${name}`, args);
  expect(numbers(own)).toEqual(numbers(reference));
});
test.each<[string, readonly number[] | number]>([
  ["add", 2],
  ["sub", 2],
  ["add", [1, -2]],
  ["sub", [1, -2]],
])("%s with a factor of %s keeps them", async (name, factor) => {
  const alpha = typeof factor === "number" ? factor : complex(factor[0]!, factor[1]!);
  const call = new CallProgram(`aten.${name}.Tensor`, [FIRST, SECOND], { alpha }, operators);
  using executable = await backend.compile(call.program);
  const [own] = (await executable.run(call.inputs as Value[])) as [Tensor];
  const reference = evaluate(`aten.${name}.Tensor`, [FIRST, SECOND] as never, { alpha } as never) as Tensor;
  expect(executable.placement!().fallbacks).toEqual([]);
  expect(numbers(own)).toEqual(numbers(reference));
});

test.each<[DType, string]>([
  ["complex128", "aten.add.Tensor"],
  ["complex64", "aten.sum.default"],
  ["complex64", "aten.exp.default"],
])("%s numbers of %s are the host's", async (dtype, target) => {
  const x = evaluate(
    "aten._to_copy.default",
    [X] as never,
    { dtype: { kind: "dtype", dtype } } as never,
  ) as Tensor;
  const args = target === "aten.add.Tensor" ? [x, x] : [x];
  const call = new CallProgram(target, args, {}, operators);
  const executable = await backend.compile(call.program);
  const [own] = (await executable.run(call.inputs as Value[])) as [Tensor];
  expect(executable.placement!().nodes.some(({ place }) => place === "host")).toBe(true);
  expect(numbers(own)).toEqual(numbers(evaluate(target, args as never, {}) as Tensor));
  executable.dispose();
});
