/** @file Every function of every dtype against the evaluator, at the edges of its values. */
import {
  apply,
  atom,
  axis,
  BINARY,
  COMPARE,
  cast,
  constant,
  evaluateLoops,
  FLOAT_UNARY,
  functionOf,
  type LoopProgram,
  type Scalar,
  type ScalarFn,
  select,
  UNARY,
} from "@sconce/codegen";
import { castTensor, type DType, dtypeInfo, isFloatDType, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { runLoops } from "../run-loops.fixture.js";
import { ulpsBetween } from "./vector/math.fixture.js";
import { ULPS } from "./vector/math.js";

const FLOATS = [
  ...[0, -0, 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3, -3, 0.1, 7.25, -7.25, 1e-3, 100, -100, 1e10, -1e10],
  ...[
    Number.NaN,
    Infinity,
    -Infinity,
    1e-40,
    -1e-40,
    6e-8,
    65504,
    65520,
    3.4e38,
    -3.4e38,
    2 ** 31,
    -(2 ** 31),
    2 ** 63,
  ],
];
const INTEGERS = [
  0,
  1,
  -1,
  2,
  -2,
  3,
  -3,
  7,
  -7,
  31,
  32,
  33,
  63,
  64,
  100,
  127,
  -128,
  255,
  32767,
  -32768,
  2 ** 31 - 1,
  -(2 ** 31),
];
const DTYPES: readonly DType[] = [
  ...([
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bool",
  ] as const),
];
const HALVES: readonly DType[] = ["float16", "bfloat16"];

/** All pairs of edge values. */
function operands(dtype: DType): [Tensor, Tensor] {
  const values = dtype === "bool" ? [0, 1, 1, 0, 1] : isFloatDType(dtype) ? FLOATS : INTEGERS;
  const pairs = values.flatMap((a) => values.map((b) => [a, b] as const));
  const tensor = (at: 0 | 1): Tensor =>
    castTensor(
      Tensor.from(
        pairs.map((pair) => pair[at]),
        [pairs.length],
        isFloatDType(dtype) ? "float64" : "int64",
      ),
      dtype,
    );
  return [tensor(0), tensor(1)];
}

/** A program of one nest over two inputs. */
function programOf(dtype: DType, count: number, value: (a: Scalar, b: Scalar) => Scalar): LoopProgram {
  const [extent] = [constant(count)];
  const place = axis("i0", extent);
  const load = (buffer: number): Scalar => ({ kind: "load", dtype, buffer, index: atom(place) });
  const made = value(load(0), load(1));
  const buffer = (id: number, type: DType, kind: "input" | "value") => ({
    id,
    dtype: type,
    shape: [extent],
    kind,
    node: `n${id}`,
  });
  return {
    buffers: [buffer(0, dtype, "input"), buffer(1, dtype, "input"), buffer(2, made.dtype, "value")],
    nests: [{ id: 0, output: 2, axes: [place], value: made, nodes: ["n2"] }],
    inputs: [0, 1],
    outputs: [{ kind: "buffer", buffer: 2, shape: [extent], node: "n2" }],
  };
}
const valuesOf = (result: unknown): unknown[] => (result as Tensor).toArray() as unknown[];

/** Runs both, and lists where they differ by more than so many units. */
function differences(dtype: DType, value: (a: Scalar, b: Scalar) => Scalar, ulps = 0): string[] {
  const inputs = operands(dtype);
  const program = programOf(dtype, inputs[0].shape[0]!, value);
  const [found, wanted] = [runLoops(program, inputs), evaluateLoops(program, inputs)].map(([one]) =>
    valuesOf(one),
  );
  const [a, b] = inputs.map(valuesOf) as [unknown[], unknown[]];
  return wanted!.flatMap((one, i) => {
    const other = found![i];
    const isSame = Object.is(one, other) || (ulps > 0 && ulpsBetween(other as number, one as number) <= ulps);
    return isSame ? [] : [`(${String(a[i])}, ${String(b[i])}): ${String(other)}, not ${String(one)}`];
  });
}

const OF_FLOATS: ReadonlySet<string> = new Set(FLOAT_UNARY);
const DIVISIONS: ReadonlySet<string> = new Set(["floor_div", "trunc_div", "remainder", "fmod"]);
const exists = (fn: ScalarFn, dtype: DType): boolean =>
  functionOf(fn, dtype, dtype) !== undefined && !(OF_FLOATS.has(fn) && !isFloatDType(dtype));

describe.each(DTYPES)("%s", (dtype) => {
  const isFloat = isFloatDType(dtype);
  // Bools have logic alone.
  const unary = UNARY.filter((fn) => exists(fn, dtype) && (fn === "not") === (dtype === "bool"));
  test.each(unary)("%s", (fn) => {
    // The reference computes in float64 and rounds once.
    const ulps =
      dtype === "float32" ? (ULPS.get(fn) ?? (fn === "rsqrt" ? 1 : 0)) + (fn === "sigmoid" ? 1 : 0) : 0;
    expect(differences(dtype, (a) => apply(fn, a), ulps)).toEqual([]);
  });
  const binary = [...BINARY, ...COMPARE].filter(
    (fn) => exists(fn, dtype) && (!["and", "or", "xor"].includes(fn) || dtype === "bool"),
  );
  test.each(
    binary.filter(
      (fn) =>
        dtype !== "bool" || (COMPARE as readonly string[]).includes(fn) || ["and", "or", "xor"].includes(fn),
    ),
  )("%s", (fn) => {
    const one: Scalar = { kind: "constant", dtype, value: 1 };
    const zero: Scalar = { kind: "constant", dtype, value: 0 };
    const divisor = (b: Scalar): Scalar =>
      isFloat || !DIVISIONS.has(fn) ? b : select(apply("eq", b, zero), one, b);
    // Of two zeros either may be the greater one.
    const value = (a: Scalar, b: Scalar): Scalar => {
      const made = apply(fn, a, divisor(b));
      return isFloat && (fn === "max" || fn === "min") ? apply("add", made, zero) : made;
    };
    const ulps = dtype === "float32" ? (ULPS.get(fn) ?? 0) : 0;
    expect(differences(dtype, value, ulps)).toEqual([]);
  });
});

describe.each([...DTYPES, ...HALVES])("casts of %s", (dtype) => {
  test.each([...DTYPES, ...HALVES].filter((to) => to !== dtype))("to %s", (to) => {
    // Floats that no integer holds have other low bits in the reference, of `Tensor.to`.
    const isNarrow = isFloatDType(dtype) && ["uint8", "uint32", "uint64"].includes(to);
    const inside = (a: Scalar): Scalar => {
      const limit = (value: number): Scalar => ({ kind: "constant", dtype: "float64", value });
      const wide = cast(a, "float64");
      const isInside = apply("and", apply("ge", wide, limit(0)), apply("le", wide, limit(2 ** 31)));
      return select(isInside, a, { kind: "constant", dtype, value: 0 });
    };
    expect(differences(dtype, (a) => cast(isNarrow ? inside(a) : a, to))).toEqual([]);
    expect(dtypeInfo(to).name).toBe(to);
  });
});
