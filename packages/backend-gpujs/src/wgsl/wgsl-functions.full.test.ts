/**
 * @file All functions of floats and integers in shaders against the evaluator, on many values and
 * all special ones.
 */
import { BINARY, COMPARE, type ScalarFn, UNARY } from "@sconce/codegen";
import { type DType, Tensor } from "@sconce/tensor";
import { afterAll, describe, expect, test } from "vitest";
import {
  call,
  elementProgram,
  fixed,
  inJavaScript,
  load,
  onDevice,
  openTestDevice,
} from "../webgpu/device.fixture.js";
import { hasFunction } from "./wgsl-functions.js";
import { wgslType } from "./wgsl-text.js";

const device = await openTestDevice();
afterAll(() => device?.dispose());

const SPECIAL = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  1.5,
  2.5,
  Infinity,
  -Infinity,
  Number.NaN,
  3.4e38,
  -3.4e38,
  2 ** -126,
];
/** A fixed sequence of numbers between -1 and 1. */
function* noise(): Generator<number, never> {
  let state = 12345;
  for (;;) {
    state = (state * 1103515245 + 12345) % 2147483648;
    yield state / 1073741824 - 1;
  }
}
const floats = (count: number, spread: number): number[] => {
  const next = noise();
  return Array.from({ length: count }, () => {
    const size = next.next().value * spread;
    return size * 10 ** (Math.round(next.next().value * 2) - 1);
  });
};
const INTS = [0, 1, -1, 2, -2, 3, 7, -7, 8, 31, 32, 33, 100, -100, 46340, -46341, 2 ** 29, -(2 ** 29)];
const DIVIDES: readonly ScalarFn[] = ["floor_div", "trunc_div", "remainder", "fmod"];

/** Relative error in units of 2^-24, sizes below a normal float's left out of account. */
function furthest(got: Tensor, want: Tensor, isClose: (a: number, b: number) => boolean): string | undefined {
  const [a, b] = [got.toArray() as number[], want.toArray() as number[]];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [Number(a[i]), Number(b[i])];
    if (!Object.is(x, y) && x !== y && !isClose(x, y)) return `element ${i}: got ${x}, want ${y}`;
  }
  return undefined;
}
/** Four ULP, and what is smaller than any normal float may be 0. */
const isNear = (x: number, y: number): boolean =>
  Math.abs(x - y) <= Math.abs(y) * 4.8e-7 + 1.2e-38 || (Math.abs(y) > 3.3e38 && Math.abs(x) > 3.3e38);
/** Powers lose a little for each doubling of the result. */
const isNearPower = (x: number, y: number): boolean =>
  isNear(x, y) || Math.abs(x - y) <= Math.abs(y) * 1.2e-7 * (4 + Math.abs(Math.log2(Math.abs(y))));

async function difference(
  fn: ScalarFn,
  dtype: DType,
  out: DType,
  operands: readonly number[][],
): Promise<string | undefined> {
  const inputs = operands.map((values) => Tensor.from(values, [values.length], dtype));
  const { length } = operands[0]!;
  const program = elementProgram(inputs, length, out, (i) =>
    call(fn, out, ...inputs.map((_, id) => load(id, i, dtype))),
  );
  expect(device!.whyNot(program.nests[0]!, program)).toBeUndefined();
  const got = await onDevice(program, inputs, device!);
  const close = fn === "pow" ? isNearPower : isNear;
  return furthest(got, inJavaScript(program, inputs), dtype === "float32" ? close : () => false);
}
const result = (fn: ScalarFn, dtype: DType): DType =>
  (COMPARE as readonly string[]).includes(fn) || fn === "isnan" || fn === "isinf" ? "bool" : dtype;
const pairs = (values: readonly number[], other = values): [number[], number[]] => [
  values.flatMap((a) => other.map(() => a)),
  values.flatMap(() => [...other]),
];

describe.skipIf(device === undefined)("functions on a WebGPU device", () => {
  const unary = UNARY.filter((fn) => hasFunction(fn, "f32"));
  test.each(unary)("%s of floats", async (fn) => {
    const values = [...SPECIAL, ...floats(3000, 10)].map(Math.fround);
    expect(await difference(fn, "float32", result(fn, "float32"), [values])).toBeUndefined();
  });

  test.each(["sin", "cos"] as const)("%s of large angles", async (fn) => {
    const values = floats(500, 1e6).concat([1e10, -1e20, 3e38]).map(Math.fround);
    expect(await difference(fn, "float32", "float32", [values])).toBeUndefined();
  });

  const binary = [...BINARY, ...COMPARE].filter((fn) => hasFunction(fn, "f32"));
  test.each(binary)("%s of two floats", async (fn) => {
    const [a, b] = pairs([...SPECIAL, ...floats(30, 5)].map(Math.fround));
    expect(await difference(fn, "float32", result(fn, "float32"), [a, b])).toBeUndefined();
  });

  const ofInts = [...UNARY, ...BINARY, ...COMPARE].filter((fn) => hasFunction(fn, "i32"));
  for (const dtype of ["int32", "int16", "int8", "uint8"] as const) {
    test.each(ofInts)(`%s of ${dtype}`, async (fn) => {
      const all = Tensor.from(INTS, [INTS.length], "int32");
      const values = (await onDevice(castProgram(dtype), [all], device!)).toArray().map(Number);
      const isUnary = (UNARY as readonly string[]).includes(fn);
      const [a, b] = pairs(values, DIVIDES.includes(fn) ? values.filter((v) => v !== 0) : values);
      expect(await difference(fn, dtype, result(fn, dtype), isUnary ? [a] : [a, b])).toBeUndefined();
    });
  }

  const results = async (fn: ScalarFn, ...operands: readonly number[][]): Promise<unknown[]> => {
    const inputs = operands.map((values) => Tensor.from(values, [values.length], "float32"));
    const program = elementProgram(inputs, inputs[0]!.numel, "float32", (i) =>
      call(fn, "float32", ...inputs.map((_, id) => load(id, i, "float32"))),
    );
    return (await onDevice(program, inputs, device!)).toArray();
  };
  test.each(["expm1", "log1p", "sin", "tan", "asinh", "atanh", "erf", "tanh"] as const)(
    "%s keeps the sign of a zero",
    async (fn) => {
      expect(await results(fn, [-0, 0])).toEqual([-0, 0]);
    },
  );

  // Zeros in place of subnormal numbers would give NaN.
  const [tiny, inf] = [1e-40, Number.POSITIVE_INFINITY];
  test.each([
    ["mul", [inf, -tiny, -inf, Number.NaN], [tiny, inf, -tiny, inf], [inf, -inf, inf, Number.NaN]],
    ["div", [0, -tiny, tiny, 1, -inf], [tiny, tiny, -inf, -tiny, tiny], [0, -1, -0, -inf, -inf]],
    ["atan2", [tiny, -tiny], [tiny, inf], [Math.PI / 4, -0]],
    ["floor_div", [0, 2 * tiny, -inf], [-tiny, tiny, tiny], [-0, 2, Number.NaN]],
    ["remainder", [-tiny, tiny], [1, -1], [1, -1]],
    ["fmod", [Math.fround(tiny), 1], [2 ** -149, 2 ** -149], [0, 0]],
    ["pow", [0, -0, inf], [-tiny, -tiny, tiny], [inf, inf, inf]],
  ] as const)("%s of subnormal numbers", async (fn, a, b, want) => {
    expect(await results(fn, [...a], [...b])).toEqual([...want].map(Math.fround));
  });

  test("what compilers would make simpler of constants", async () => {
    const x = Tensor.from([0, -0, inf, Number.NaN, 1], [5], "float32");
    const resultsOf = async (fn: ScalarFn, constant: number): Promise<unknown[]> => {
      const program = elementProgram([x], 5, "float32", (i) =>
        call(fn, "float32", load(0, i, "float32"), fixed(constant, "float32")),
      );
      return (await onDevice(program, [x], device!)).toArray();
    };
    expect(await resultsOf("add", 0)).toEqual([0, 0, inf, Number.NaN, 1]);
    expect(await resultsOf("add", -0)).toEqual([0, -0, inf, Number.NaN, 1]);
    expect(await resultsOf("sub", -0)).toEqual([0, 0, inf, Number.NaN, 1]);
    expect(await resultsOf("mul", -0)).toEqual([-0, 0, Number.NaN, Number.NaN, -0]);
    expect(await resultsOf("div", -0)).toEqual([Number.NaN, Number.NaN, -inf, Number.NaN, -inf]);
    expect(await resultsOf("div", inf)).toEqual([0, -0, Number.NaN, Number.NaN, 0]);
  });

  test("products with a subnormal constant", async () => {
    const values = [0, -0, inf, -inf, Number.NaN, 1e10, -1e10, 3e38, -1, 1e-20].map(Math.fround);
    const x = Tensor.from(values, [values.length], "float32");
    for (const constant of [tiny, -tiny, 2 ** -149]) {
      const factor = Math.fround(constant);
      const program = elementProgram([x], values.length, "float32", (i) =>
        call("mul", "float32", fixed(constant, "float32"), load(0, i, "float32")),
      );
      const got = (await onDevice(program, [x], device!)).toArray() as number[];
      for (const [at, value] of values.entries()) {
        const [is, want] = [got[at]!, Math.fround(value * factor)];
        const isFlushed = Math.abs(want) < 2 ** -126 && Object.is(is, want * 0);
        expect(isFlushed || Object.is(is, want), `${value} * ${factor} is ${is}`).toBe(true);
      }
    }
  });

  test.each([0, 1, -1, 2, -2])(
    "quotients and roots are the nearest floats on adapters %i units off",
    async (off) => {
      const adapter = await openTestDevice();
      const make = adapter!.gpu.createShaderModule;
      const own = /bitcast<u32>\((a \/ b|sqrt\(x\))\)/;
      adapter!.gpu.createShaderModule = ({ code }) => {
        expect(code).toMatch(own);
        return make.call(adapter!.gpu, { code: code.replace(own, `(bitcast<u32>($1) + ${off >>> 0}u)`) });
      };
      const a = [...floats(4000, 10), ...floats(96, 3e37)].map(Math.fround);
      const b = [...a.slice(50), ...a.slice(0, 50)];
      const [x, y] = [a, b].map((values) => Tensor.from(values, [values.length], "float32")) as [
        Tensor,
        Tensor,
      ];
      const quotients = elementProgram([x, y], a.length, "float32", (i) =>
        call("div", "float32", load(0, i, "float32"), load(1, i, "float32")),
      );
      const roots = elementProgram([x], a.length, "float32", (i) =>
        call("sqrt", "float32", call("abs", "float32", load(0, i, "float32"))),
      );
      // Beyond these the adapter's own is taken.
      const isExtreme = (_: number, want: number): boolean =>
        Math.abs(want) < 2 ** -125 || Math.abs(want) > 3e38;
      for (const [program, inputs] of [
        [quotients, [x, y]],
        [quotients, [x, x]],
        [roots, [x]],
      ] as const)
        expect(
          furthest(await onDevice(program, inputs, adapter!), inJavaScript(program, inputs), isExtreme),
        ).toBeUndefined();
      await adapter!.dispose();
    },
  );

  test.each(["lt", "le", "gt", "ge"] as const)("what %s of NaN chooses", async (fn) => {
    const values = [Number.NaN, 1, -1, 0, inf, -inf];
    const [x, y] = pairs(values).map((all) => Tensor.from(all, [all.length], "float32")) as [Tensor, Tensor];
    for (const isSwapped of [false, true])
      for (const isInverted of [false, true])
        for (const other of ["load", "constant"] as const) {
          const program = elementProgram([x, y], x.numel, "float32", (i) => {
            const a = load(0, i, "float32");
            const b = other === "load" ? load(1, i, "float32") : fixed(0, "float32");
            const test = call(fn, "bool", a, b);
            const condition = isInverted ? call("not", "bool", test) : test;
            const [chosen, otherwise] = isSwapped ? [b, a] : [a, b];
            // biome-ignore lint/suspicious/noThenProperty: the name that loop IR gives it
            return { kind: "select", dtype: "float32", condition, then: chosen, otherwise };
          });
          const [got, want] = [await onDevice(program, [x, y], device!), inJavaScript(program, [x, y])];
          expect(furthest(got, want, () => false)).toBeUndefined();
          const kernel = await device!.compile(program.nests[0]!, program, { sizes: new Map() });
          expect(kernel.source).toContain("f_isnan");
        }
  });

  test.each(["eq", "ne", "le", "ge", "lt", "gt"] as const)("%s of a number and itself", async (fn) => {
    const x = Tensor.from([Number.NaN, 1, inf, -0], [4], "float32");
    const program = elementProgram([x], 4, "bool", (i) => {
      const a = load(0, i, "float32");
      return call(fn, "bool", a, a);
    });
    expect((await onDevice(program, [x], device!)).toArray()).toEqual(inJavaScript(program, [x]).toArray());
  });

  test("casts wrap, cut and round as the evaluator's do", async () => {
    const values = [
      ...SPECIAL,
      ...floats(200, 1e5),
      65519,
      65520,
      6.1e-5,
      3e-8,
      1e-7,
      300.7,
      -300.7,
      2 ** 31,
      -(2 ** 33),
    ];
    const input = Tensor.from(values.map(Math.fround), [values.length], "float32");
    for (const to of ["float16", "bfloat16", "int32", "int16", "int8", "bool"] as const) {
      const program = elementProgram([input], values.length, to, (i) => ({
        kind: "cast",
        dtype: to,
        value: load(0, i, "float32"),
      }));
      const [got, want] = [await onDevice(program, [input], device!), inJavaScript(program, [input])];
      expect([to, furthest(got, want, () => false)]).toEqual([to, undefined]);
    }
  });
});

const castProgram = (to: DType): ReturnType<typeof elementProgram> =>
  elementProgram([{ dtype: "int32", numel: INTS.length }], INTS.length, to, (i) => ({
    kind: "cast",
    dtype: to,
    value: load(0, i, "int32"),
  }));

test("dtypes without a lane are known", () => {
  expect(wgslType("float64")).toBeUndefined();
  expect(wgslType("int64")).toBe("i32");
});
