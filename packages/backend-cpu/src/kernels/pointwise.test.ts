import { float } from "@sconce/ir";
import { contiguousStrides, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const run = (target: string, ...args: readonly unknown[]): Tensor =>
  evaluate(target, args as never) as Tensor;
const f32 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values, shape, "float32");
const i64 = (values: readonly (number | bigint)[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values.map(BigInt), shape, "int64");
const transposed = (tensor: Tensor): Tensor =>
  tensor.asStrided([tensor.shape[1]!, tensor.shape[0]!], [tensor.strides[1]!, tensor.strides[0]!]);

describe("elementwise kernels", () => {
  test("broadcast and strided operands meet in the output's order", () => {
    const matrix = transposed(f32([0, 1, 2, 3, 4, 5], [3, 2]));
    const column = f32([10, 20], [2, 1]);
    expect(run("aten.add.Tensor", matrix, column).toArray()).toEqual([10, 12, 14, 21, 23, 25]);
  });

  test("operands longer than a lane agree with the element by element result", () => {
    const count = 5000;
    const values = Array.from({ length: count }, (_, i) => Math.fround(Math.sin(i)));
    const every = f32(values.flatMap((x) => [x, 0]));
    const sparse = every.asStrided([count], [2]);
    expect(run("aten.mul.Tensor", sparse, sparse).toArray()).toEqual(values.map((x) => Math.fround(x * x)));
  });

  test("activations of float32 overflow and vanish where PyTorch's do", () => {
    const [most, least] = [Math.fround(3.4e38), Math.fround(-1.982353486685854e-37)];
    expect(run("aten.hardswish.default", f32([most, -most, 1])).toArray()).toEqual([
      Infinity,
      -0,
      Math.fround(4 / 6),
    ]);
    expect(run("aten.silu.default", f32([-89, -104, 0])).toArray()).toEqual([-0, -0, 0]);
    expect(run("aten.log_sigmoid.default", f32([104, 1e10])).toArray()).toEqual([0, 0]);
    const double = (...values: number[]): Tensor => Tensor.from(values, [values.length], "float64");
    expect(run("aten.hardswish.default", double(3.4e38)).toArray()).toEqual([3.4e38]);
    expect(Math.fround(run("aten.silu.default", double(-89)).toArray()[0] as number)).toBe(least);
    expect(run("aten.log_sigmoid.default", double(1000)).toArray()).toEqual([0]);
  });

  test("an empty operand gives an empty result", () => {
    const empty = Tensor.empty([0, 3], "float32");
    expect(run("aten.add.Tensor", empty, f32([1, 2, 3])).shape).toEqual([0, 3]);
  });

  test("64-bit integers stay exact beyond 2^53 and wrap beyond 2^63", () => {
    const large = i64([2n ** 60n + 1n, 2n ** 63n - 1n]);
    expect(run("aten.add.Tensor", large, i64([1])).toArray()).toEqual([2n ** 60n + 2n, -(2n ** 63n)]);
    expect(run("aten.mul.Tensor", i64([3037000500, 5]), i64([3037000500, -7])).toArray()).toEqual([
      -9223372036709301616n,
      -35n,
    ]);
    expect(run("aten.eq.Tensor", large, i64([2n ** 60n])).toArray()).toEqual([false, false]);
  });

  test("narrow integers wrap around", () => {
    const bytes = Tensor.from([250, 3], [2], "uint8");
    expect(run("aten.add.Tensor", bytes, 300).toArray()).toEqual([38, 47]);
    const ints = Tensor.from([2147483647, -5], [2], "int32");
    expect(run("aten.mul.Tensor", ints, ints).toArray()).toEqual([1, 25]);
  });

  test("halves are rounded once, numbers beside them stay float32", () => {
    const half = Tensor.from([2.796875], [1], "bfloat16");
    const divided = evaluate("aten.div.Scalar_mode", [half, -0.7], { rounding_mode: "trunc" }) as Tensor;
    expect(divided.toArray()).toEqual([-3]);
    expect(run("aten.add.Tensor", Tensor.from([2048], [1], "float16"), float(1)).toArray()).toEqual([2048]);
  });

  test("integer division refuses zero, float division does not", () => {
    expect(() => run("aten.remainder.Tensor", i64([1]), i64([0]))).toThrow("ZeroDivisionError");
    expect(run("aten.div.Tensor", f32([1, -1, 0]), f32([0, 0, 0])).toArray()).toEqual([
      Infinity,
      -Infinity,
      Number.NaN,
    ]);
  });

  test("remainder takes the divisor's sign, fmod the dividend's", () => {
    const [x, y] = [f32([5, -5, 5, -5]), f32([3, 3, -3, -3])];
    expect(run("aten.remainder.Tensor", x, y).toArray()).toEqual([2, 1, -1, -2]);
    expect(run("aten.fmod.Tensor", x, y).toArray()).toEqual([2, -2, 2, -2]);
  });

  test("round goes half to even", () => {
    expect(run("aten.round.default", f32([0.5, 1.5, 2.5, -0.5, -1.5])).toArray()).toEqual([0, 2, 2, -0, -2]);
  });

  test("NaN goes through relu, clamp and maximum, but not through fmax", () => {
    const x = f32([Number.NaN, -1]);
    expect(run("aten.relu.default", x).toArray()).toEqual([Number.NaN, 0]);
    expect(run("aten.maximum.default", x, f32([0, 0])).toArray()).toEqual([Number.NaN, 0]);
    expect(run("aten.fmax.default", x, f32([0, 0])).toArray()).toEqual([0, 0]);
    expect(run("aten.clamp.default", x, 2, 1).toArray()).toEqual([Number.NaN, 1]);
  });

  test("powers keep C's special cases", () => {
    expect(run("aten.pow.Tensor_Tensor", f32([1, -1, 2]), f32([Number.NaN, Infinity, -1])).toArray()).toEqual(
      [1, 1, 0.5],
    );
    expect(run("aten.pow.Tensor_Tensor", i64([2, -1, 3]), i64([-1, -3, 40])).toArray()).toEqual([
      0n,
      -1n,
      -6289078614652622815n,
    ]);
  });

  test("complex numbers multiply and divide", () => {
    const z = Tensor.from([{ re: 1, im: 2 }], [1], "complex64");
    const w = Tensor.from([{ re: 3, im: -1 }], [1], "complex64");
    expect(run("aten.mul.Tensor", z, w).toArray()).toEqual([{ re: 5, im: 5 }]);
    expect(run("aten.abs.default", Tensor.from([{ re: 3, im: 4 }], [1], "complex64")).toArray()).toEqual([5]);
  });

  test("the result keeps a dense layout", () => {
    const x = transposed(f32([1, 2, 3, 4, 5, 6], [3, 2]));
    const y = run("aten.neg.default", x);
    expect(y.strides).toEqual([1, 2]);
    expect(y.toArray()).toEqual([-1, -3, -5, -2, -4, -6]);
    expect(contiguousStrides(y.shape)).not.toEqual(y.strides);
  });
});

describe("frexp", () => {
  const parts = (values: readonly number[]): unknown[][] =>
    (
      evaluate("aten.frexp.Tensor", [
        Tensor.from(values, [values.length], "float64"),
      ]) as unknown as readonly Tensor[]
    ).map((part) => [...part.toArray()]);

  test("gives mantissas from one half on, next to powers of two as well", () => {
    const near = 2 ** 40 * (1 - 2 ** -53);
    expect(parts([-3, 2 ** 40, near, 2 ** -1074])).toEqual([
      [-0.75, 0.5, 1 - 2 ** -53, 0.5],
      [2, 41, 40, -1073],
    ]);
    expect(parts([0, Infinity, Number.NaN])).toEqual([
      [0, Infinity, Number.NaN],
      [0, 0, 0],
    ]);
  });
});
