/** @file Complex forms of operators; the numbers are PyTorch 2.14's. */
import { complex, float } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { createEvaluator, evaluate } from "../interpreter/backend.js";
import { createRandomSource } from "./random-source.js";

type Pair = readonly [re: number, im: number];

const c64 = (...values: readonly Pair[]): Tensor =>
  Tensor.from(
    values.map(([re, im]) => ({ re, im })),
    [values.length],
    "complex64",
  );
const pairs = (tensor: unknown): number[][] =>
  ((tensor as Tensor).toArray() as { re: number; im: number }[]).map(({ re, im }) => [re, im]);
const run = (target: string, args: readonly unknown[], kwargs: Record<string, unknown> = {}): unknown =>
  evaluate(target, args as never, kwargs as never);

function expectNear(got: unknown, wanted: readonly Pair[]): void {
  pairs(got).forEach((pair, i) => {
    pair.forEach((part, k) => {
      if (Number.isFinite(wanted[i]![k]!)) expect(part).toBeCloseTo(wanted[i]![k]!, 5);
      else expect(part).toBe(wanted[i]![k]!);
    });
  });
  expect(pairs(got)).toHaveLength(wanted.length);
}

const z = c64([1, 2], [3, -1], [-2, 0.5]);
const w = c64([0, 0.5], [2, 0], [1, -1]);
const v = c64([2, -1], [0, 1], [3, 0]);

describe("complex arithmetic", () => {
  test("addcmul and addcdiv with a complex value", () => {
    const value = complex(2, -1);
    expectNear(run("aten.addcmul.default", [z, w, v], { value }), [
      [3, 3.5],
      [5, 3],
      [1, -8.5],
    ]);
    expectNear(run("aten.addcdiv.default", [z, w, v], { value }), [
      [1, 2.5],
      [1, -5],
      [-1.6666666, -0.5],
    ]);
  });

  test("lerp from the nearer end", () => {
    expectNear(run("aten.lerp.Scalar", [z, w, complex(0.3, 0.1)]), [
      [0.85, 1.45],
      [2.6, -0.8],
      [-0.95, 0.35],
    ]);
    const weights = c64([0.6, 0], [0, 0.2], [0.3, 0.45]);
    expectNear(run("aten.lerp.Tensor", [z, w, weights]), [
      [0.4, 1.1],
      [2.8, -1.2],
      [-0.425, 1.4],
    ]);
  });

  test("distances and closeness go by the size of differences", () => {
    const distance = (p: number): unknown => (run("aten.dist.default", [z, w, p]) as Tensor).toArray()[0];
    // The sum of three sizes is exact here, and one unit in the last place off there.
    expect(distance(1)).toBeCloseTo(6.5710906982421875, 5);
    expect([2, 3, Infinity].map(distance)).toEqual([
      4.062019348144531, 3.5939481258392334, 3.3541018962860107,
    ]);
    expect(run("aten.allclose.default", [z, z])).toBe(true);
    expect(run("aten.allclose.default", [z, w])).toBe(false);
    const near = run("aten.isclose.default", [c64([NaN, 1]), c64([2, NaN]), 1e-5, 1e-8, true]) as Tensor;
    expect(near.toArray()).toEqual([true]);
  });

  test("sums of exponentials, infinite ones too", () => {
    expectNear(run("aten.logsumexp.default", [z, [0]]), [[2.8571455, -0.9702111]]);
    expectNear(run("aten.logcumsumexp.default", [c64([1, 4], [1, 2], [30, -5], [30, 8]), 0]), [
      [1, 4],
      [1.0775207, 3],
      [30, -5],
      [30.6694565, 7.7831855],
    ]);
    expectNear(
      run("aten.logcumsumexp.default", [c64([-Infinity, 0], [1, 0], [Infinity, 1], [0, Infinity]), 0]),
      [
        [-Infinity, 0],
        [1, 0],
        [Infinity, 1],
        [Infinity, 1],
      ],
    );
  });

  test("running sums of exponentials begin with nothing, and the later of equals is the larger", () => {
    const parts = (x: Tensor): number[][] =>
      ((run("aten.logcumsumexp.default", [x, 0]) as Tensor).toArray() as { re: number; im: number }[])
        .flat()
        .map(({ re, im }) => [re, im]);
    expectNear(run("aten.logcumsumexp.default", [c64([1, -3], [1, 2.5]), 0]), [
      [1, -3],
      [1.6144311, 2.8915927],
    ]);
    expect(parts(c64([1, -0]))).toEqual([[1, 0]]);
    expect(parts(c64([-0, Infinity]))).toEqual([[0, Infinity]]);
    expect(parts(c64([Infinity, 2], [-2.5, Infinity]))).toEqual([
      [Infinity, 2],
      [Infinity, 2],
    ]);
  });

  test("a number without dimensions is its own running sum and product", () => {
    for (const target of ["cumsum", "cumprod", "logcumsumexp"]) {
      const z = Tensor.from([{ re: -0, im: NaN }], [], "complex64");
      expect((run(`aten.${target}.default`, [z, 0]) as Tensor).toArray()).toEqual([{ re: -0, im: NaN }]);
      const x = Tensor.from([-0], [], "float32");
      expect((run(`aten.${target}.default`, [x, 0]) as Tensor).toArray()).toEqual([-0]);
    }
  });

  test("even steps between complex numbers, and powers of them", () => {
    expectNear(run("aten.linspace.default", [complex(1, 2), complex(4, -1), 4]), [
      [1, 2],
      [2, 1],
      [3, 0],
      [4, -1],
    ]);
    expectNear(run("aten.logspace.default", [0, complex(1, 1), 3, float(2)]), [
      [1, 0],
      [1.3301274, 0.480376],
      [1.5384778, 1.2779225],
    ]);
  });

  test("a power of two with a complex exponent", () => {
    expectNear(run("aten.ldexp.Tensor", [c64([1, 2]), c64([2, 1])]), [[-2.0347345, 8.7097559]]);
  });

  test("normal deviates for a seed: a mean moves both parts", () => {
    const seeded = createEvaluator({ random: createRandomSource(0) });
    const out = seeded("aten.normal_.default", [Tensor.empty([3], "complex64"), float(1), float(2)] as never);
    expectNear(out, [
      [3.1792977, 0.5850289],
      [-2.0812736, 1.8038832],
      [-0.5337462, -0.9779126],
    ]);
  });

  test("sizes have their last bit right", () => {
    const one = Tensor.from([{ re: -0.8959430318317265, im: -1.765825867652893 }], [1], "complex128");
    expect((run("aten.abs.default", [one]) as Tensor).toArray()).toEqual([1.9801148732232479]);
  });
});

const INF = Number.POSITIVE_INFINITY;
const NAN = Number.NaN;
describe("infinities, NaN and signed zeros", () => {
  test.each<[string, Pair, Pair]>([
    ["exp", [INF, INF], [INF, NAN]],
    ["exp", [-INF, INF], [0, 0]],
    ["exp", [-INF, -INF], [0, -0]],
    ["sqrt", [1, INF], [INF, INF]],
    ["sqrt", [-INF, NAN], [NAN, INF]],
    ["sqrt", [-INF, -1], [0, -INF]],
    ["sin", [0, INF], [0, INF]],
    ["sin", [INF, -INF], [NAN, INF]],
    ["sin", [-0, NAN], [-0, NAN]],
    ["cos", [0, INF], [INF, -0]],
    ["cos", [0, NAN], [NAN, 0]],
    ["tan", [0, -INF], [0, -1]],
    ["tan", [-0, NAN], [-0, NAN]],
    ["sinh", [-0, INF], [-0, NAN]],
    ["sinh", [-INF, 0], [-INF, 0]],
    ["cosh", [-INF, 0], [INF, -0]],
    ["cosh", [0, INF], [NAN, 0]],
    ["tanh", [INF, -INF], [1, -0]],
    ["tanh", [INF, 1], [1, 0]],
    ["asin", [0, INF], [0, INF]],
    ["acos", [INF, NAN], [NAN, -INF]],
    ["acosh", [-INF, NAN], [INF, NAN]],
    ["log1p", [-0, -0], [-0, -0]],
    ["expm1", [-0, 1e-30], [-0, 1.0000000031710769e-30]],
    ["square", [1e30, 1e30], [NAN, INF]],
  ])("%s of %j", (name, z, wanted) => {
    expect(pairs(run(`aten.${name}.default`, [c64(z)]))).toEqual([wanted]);
  });

  test("large numbers of complex128 do not overflow between", () => {
    const c128 = (re: number, im: number): Tensor => Tensor.from([{ re, im }], [1], "complex128");
    const near = (name: string, re: number, im: number, wanted: Pair): void => {
      const [got] = pairs(run(`aten.${name}.default`, [c128(re, im)]));
      got!.forEach((part, i) => {
        expect(Math.abs(part / wanted[i]! - 1), `${name} ${re} ${im}`).toBeLessThan(1e-14);
      });
    };
    near("log", 1.7e308, 1.7e308, [710.0734104835082, Math.PI / 4]);
    near("asin", 1.7e308, -1.7e308, [Math.PI / 4, -710.766557664068]);
    near("atanh", 1, 1e-200, [230.60508288968455, Math.PI / 4]);
    near("tanh", 30, 1, [1, 1.5924545408982667e-26]);
  });

  test("small integer powers are products, a half is a root", () => {
    const raised = (z: Pair, exponent: number): number[] =>
      pairs(
        run("aten.pow.Tensor_Scalar", [c64(z), Number.isInteger(exponent) ? exponent : float(exponent)]),
      )[0]!;
    expect(raised([0, 1], 2)).toEqual([-1, 0]);
    expect(raised([-0, 1], 2)).toEqual([-1, -0]);
    expect(raised([0, 1], 3)).toEqual([-0, -1]);
    expect(raised([0, 1], -1)).toEqual([0, -1]);
    expect(raised([0, 1], -2)).toEqual([-1, -0]);
    expect(raised([0, NAN], 0)).toEqual([1, 0]);
    expect(raised([0, NAN], 1)).toEqual([0, NAN]);
    expect(raised([-1, -0], -0.5)).toEqual([-0, 1]);
    expect(raised([0, 0], 1.5)).toEqual([0, -0]);
    expect(raised([1, INF], 1.5)).toEqual([INF, NAN]);
    expect(pairs(run("aten.pow.Tensor_Tensor", [c64([0, 0]), c64([0, 1])]))).toEqual([[NAN, NAN]]);
    expect(pairs(run("aten.pow.Scalar", [1, c64([NAN, 1])]))).toEqual([[1, 0]]);
  });

  test("a sum multiplies by alpha, 1 too", () => {
    const sum = (name: string, alpha: unknown): number[] =>
      pairs(run(`aten.${name}.Tensor`, [c64([0, -0]), c64([0, INF])], alpha === 1 ? {} : { alpha }))[0]!;
    expect(sum("add", 1)).toEqual([NAN, INF]);
    expect(sum("sub", 1)).toEqual([NAN, -INF]);
    expect(sum("add", complex(1, -2))).toEqual([INF, INF]);
    expect(pairs(run("aten.sub.Tensor", [c64([0, -0]), c64([1, 0])], { alpha: 2 }))).toEqual([[-2, 0]]);
  });
});

/** Steps that overflow, vanish or give NaN in the parts of the dtype. */
const STEPS: Readonly<Record<"complex64" | "complex128", readonly [string, Pair, Pair][]>> = {
  complex64: [
    ["sgn", [3e38, 3e38], [0, 0]],
    ["sgn", [3e38, -3e38], [0, -0]],
    ["log1p", [1e-45, 1e-45], [NAN, NAN]],
    ["log1p", [1e-45, INF], [NAN, NAN]],
    ["log1p", [-1e-20, 1e-45], [NAN, NAN]],
    ["log1p", [INF, NAN], [NAN, NAN]],
    ["log1p", [NAN, INF], [NAN, NAN]],
    ["log1p", [0.5, -7], [1.968357801437378, -1.3597029447555542]],
    ["log1p", [-0, 0], [-0, 0]],
    ["log1p", [-7, 0], [1.7917594909667969, 3.1415927410125732]],
    ["expm1", [0, 1e-45], [0, 1.401298464324817e-45]],
    ["expm1", [0, -1e-20], [-4.99997305055738e-41, -9.999999682655225e-21]],
    ["expm1", [89, 0], [INF, NAN]],
    ["expm1", [89, -0], [INF, NAN]],
    ["expm1", [INF, 0.5], [INF, INF]],
    ["expm1", [-INF, NAN], [NAN, NAN]],
    ["expm1", [0.5, -7], [0.24297469854354858, -1.0831876993179321]],
    ["expm1", [-0, -0], [-0, -0]],
    ["sigmoid", [0, 1e-45], [0.5, 0]],
    ["sigmoid", [0.5, 1e-45], [0.622459352016449, 1.401298464324817e-45]],
    ["sigmoid", [-104, 0.5], [NAN, NAN]],
    ["sigmoid", [-104, -7], [NAN, NAN]],
    ["sigmoid", [INF, NAN], [1, 0]],
    ["sigmoid", [-INF, 0.5], [NAN, NAN]],
    ["sigmoid", [0.5, -7], [0.6384766101837158, -0.17458854615688324]],
    ["sigmoid", [-7, -0], [0.0009110511746257544, 0]],
    ["reciprocal", [0, 1e-45], [NAN, -INF]],
    ["reciprocal", [1e-45, 0], [INF, NAN]],
    ["reciprocal", [1e-45, -7], [-0, 0.1428571492433548]],
    ["reciprocal", [1e25, 1e-45], [1.0000000195414814e-25, 0]],
    ["reciprocal", [-3.4e38, -3.4e38], [-0, 0]],
    ["reciprocal", [-3.4e38, 1e25], [-2.9411769389805726e-39, -0]],
    ["reciprocal", [0, 0], [INF, NAN]],
    ["reciprocal", [-0, 0], [INF, NAN]],
    ["reciprocal", [INF, -INF], [NAN, NAN]],
    ["reciprocal", [0.5, NAN], [NAN, NAN]],
    ["rsqrt", [0, 0], [INF, NAN]],
    ["rsqrt", [1e-45, -7], [0.26726123690605164, 0.26726120710372925]],
    ["rsqrt", [INF, 0.5], [0, 0]],
    ["rsqrt", [NAN, 0], [NAN, NAN]],
    ["rsqrt", [0.5, -7], [0.27626651525497437, 0.2572370767593384]],
    ["silu", [-104, 0.5], [NAN, NAN]],
    ["silu", [INF, 0], [INF, NAN]],
    ["silu", [-INF, -0], [NAN, NAN]],
    ["silu", [0.5, -7], [-0.9028815031051636, -4.556630611419678]],
    ["silu", [-3.4e38, -3.4e38], [NAN, NAN]],
    ["sinh", [1e25, 1e-45], [INF, INF]],
    ["sinh", [89, 1e-45], [2.2448063889081578e38, 3.1456437454835395e-7]],
    ["sinh", [-104, -7], [-INF, -INF]],
    ["cos", [1e-45, 1e25], [INF, -INF]],
    ["cos", [-7, 89], [1.6923645615648394e38, 1.4748077288404222e38]],
  ],
  complex128: [
    ["log1p", [5e-324, 5e-324], [NAN, NAN]],
    ["log1p", [5e-324, INF], [NAN, NAN]],
    ["log1p", [-1e-200, 5e-324], [NAN, NAN]],
    ["log1p", [INF, NAN], [NAN, NAN]],
    ["log1p", [NAN, INF], [NAN, NAN]],
    ["log1p", [0.5, -7], [1.9683578090092588, -1.35970299357215]],
    ["log1p", [-0, 0], [-0, 0]],
    ["log1p", [-7, 0], [1.791759469228055, Math.PI]],
    ["expm1", [0, 5e-324], [0, 5e-324]],
    ["expm1", [0, -1e-200], [0, -1e-200]],
    ["expm1", [710, 0], [INF, NAN]],
    ["expm1", [710, -0], [INF, NAN]],
    ["expm1", [INF, 0.5], [INF, INF]],
    ["expm1", [-INF, NAN], [NAN, NAN]],
    ["expm1", [0.5, -7], [0.24297468276458445, -1.083187779872597]],
    ["expm1", [-0, -0], [-0, -0]],
    ["sigmoid", [0, 5e-324], [0.5, 0]],
    ["sigmoid", [0.5, 5e-324], [0.6224593312018546, 5e-324]],
    ["sigmoid", [-745, 0.5], [NAN, NAN]],
    ["sigmoid", [-745, -7], [NAN, NAN]],
    ["sigmoid", [INF, NAN], [1, 0]],
    ["sigmoid", [-INF, 0.5], [NAN, NAN]],
    ["sigmoid", [0.5, -7], [0.6384766117455479, -0.17458855835710735]],
    ["sigmoid", [-7, -0], [0.0009110511944006454, 0]],
    ["reciprocal", [0, 5e-324], [NAN, -INF]],
    ["reciprocal", [5e-324, 0], [INF, NAN]],
    ["reciprocal", [5e-324, -7], [-0, 0.14285714285714285]],
    ["reciprocal", [1e200, 5e-324], [1e-200, 0]],
    ["reciprocal", [-1.7e308, -1.7e308], [-0, 0]],
    ["reciprocal", [-1.7e308, 1e200], [-5.88235294117647e-309, -0]],
    ["reciprocal", [0, 0], [INF, NAN]],
    ["reciprocal", [-0, 0], [INF, NAN]],
    ["reciprocal", [INF, -INF], [NAN, NAN]],
    ["reciprocal", [0.5, NAN], [NAN, NAN]],
    ["rsqrt", [0, 0], [INF, NAN]],
    ["rsqrt", [5e-324, -7], [0.2672612419124244, 0.2672612419124244]],
    ["rsqrt", [INF, 0.5], [0, 0]],
    ["rsqrt", [NAN, 0], [NAN, NAN]],
    ["rsqrt", [0.5, -7], [0.2762665237047177, 0.2572370654783831]],
    ["silu", [-745, 0.5], [NAN, NAN]],
    ["silu", [INF, 0], [INF, NAN]],
    ["silu", [-INF, -0], [NAN, NAN]],
    ["silu", [0.5, -7], [-0.9028816026269775, -4.556630561397389]],
    ["silu", [-1.7e308, -1.7e308], [NAN, NAN]],
    ["sinh", [1e200, 5e-324], [INF, INF]],
    ["sinh", [710, 5e-324], [1.1169973830808555e308, 5.518700334748251e-16]],
    ["sinh", [-745, -7], [-INF, -INF]],
    ["cos", [5e-324, 1e200], [INF, -INF]],
    ["cos", [-7, 710], [8.421068452002287e307, 7.338523114880795e307]],
  ],
};
describe.each(["complex64", "complex128"] as const)("rounded steps of %s", (dtype) => {
  test.each(STEPS[dtype])("%s of %j", (name, [re, im], wanted) => {
    const input = Tensor.from([{ re, im }], [1], dtype);
    const [got] = pairs(run(`aten.${name}.default`, [input]));
    const tolerance = dtype === "complex64" ? 4 * 2 ** -23 : 4 * 2 ** -52;
    got!.forEach((part, k) => {
      const one = wanted[k]!;
      if (one === 0 || !Number.isFinite(one)) expect(part).toBe(one);
      else expect(Math.abs(part / one - 1)).toBeLessThan(tolerance);
    });
  });
});
