/** @file Elements of one value class: what a sample of a changed region is made of. */
import { type DType, dtypeInfo, isBigIntDType } from "@sconce/tensor";
import type { ValueClass } from "../changes/number-change.js";
import type { Draw } from "./random.js";

type Real = number | bigint;
export type CornerElement = Real | boolean | { readonly re: number; readonly im: number };

/** Largest finite, least normal and least subnormal magnitudes. */
const FLOATS: Readonly<Partial<Record<DType, readonly [number, number, number]>>> = {
  float16: [65504, 2 ** -14, 2 ** -24],
  bfloat16: [3.3895313892515355e38, 2 ** -126, 2 ** -133],
  float32: [3.4028234663852886e38, 2 ** -126, 2 ** -149],
  float64: [Number.MAX_VALUE, 2 ** -1022, 2 ** -1074],
  complex32: [65504, 2 ** -14, 2 ** -24],
  complex64: [3.4028234663852886e38, 2 ** -126, 2 ** -149],
  complex128: [Number.MAX_VALUE, 2 ** -1022, 2 ** -1074],
};

/** The classes that a dtype has values of, `ordinary` first. */
export function classesOf(dtype: DType): readonly ValueClass[] {
  const { kind, signed } = dtypeInfo(dtype);
  if (kind === "bool") return ["ordinary"];
  if (kind === "int")
    return [
      "ordinary",
      "signed-zero",
      ...(signed ? (["negative"] as const) : []),
      "literals",
      "large",
      "limits",
    ];
  if (FLOATS[dtype] === undefined) return ["ordinary", "signed-zero", "negative", "literals"];
  return [
    "ordinary",
    "signed-zero",
    "negative",
    "literals",
    "large",
    "overflow",
    "infinity",
    "nan",
    "subnormal",
  ];
}

export interface CornerOptions {
  readonly dtype: DType;
  readonly valueClass: ValueClass;
  /** Numbers that the changed calls have as arguments. */
  readonly literals: readonly number[];
  /** Share of the elements that are of the class; the others are ordinary. */
  readonly density: number;
  /** Ordinary integers are below it: they may be indices. */
  readonly below: number;
}

/** Draws elements of a dtype, the first of them always of the class. */
export function cornerElements(options: CornerOptions, draw: Draw): () => CornerElement {
  const { dtype, density } = options;
  const { kind } = dtypeInfo(dtype);
  if (kind === "bool") return () => draw.unit() < 0.5;
  const corner = kind === "int" ? integerCorner(options, draw) : floatCorner(options, draw);
  const ordinary: () => Real =
    kind === "int" ? () => draw.integer(0, Math.max(0, options.below - 1)) : () => ordinaryFloat(draw);
  const next = (): Real => (draw.unit() < density ? corner() : ordinary());
  if (kind === "complex") return () => ({ re: Number(next()), im: Number(next()) });
  return isBigIntDType(dtype) ? () => BigInt(next()) : () => Number(next());
}

/** Mostly of the normal distribution, some larger, and some that are whole or half, where functions have their steps. */
function ordinaryFloat(draw: Draw): number {
  const kind = draw.unit();
  if (kind < 0.6) return draw.normal();
  return kind < 0.8 ? -10 + 20 * draw.unit() : draw.integer(-16, 16) / 2;
}

const choice = <T>(values: readonly T[], draw: Draw): T => values[draw.integer(0, values.length - 1)]!;

const signed = (value: number, draw: Draw): number => (draw.unit() < 0.5 ? -value : value);

function floatCorner({ dtype, valueClass, literals }: CornerOptions, draw: Draw): () => number {
  const [max, normal, least] = FLOATS[dtype] ?? [448, 2 ** -6, 2 ** -9];
  const near = nearLiterals(literals);
  switch (valueClass) {
    case "signed-zero":
      return () => signed(0, draw);
    case "negative":
      return () => -Math.abs(ordinaryFloat(draw)) - (draw.unit() < 0.3 ? 7 : 0);
    case "literals":
      return () => choice(near, draw);
    case "large":
      return () => signed(max ** (0.15 + 0.17 * draw.unit()), draw);
    case "overflow":
      return () => signed(max * choice([1, 0.75, 0.5, 0.25], draw), draw);
    case "infinity":
      return () => signed(Number.POSITIVE_INFINITY, draw);
    case "nan":
      return () => Number.NaN;
    case "subnormal":
      return () => signed(choice([least, normal / 2, normal / 4, normal], draw), draw);
    default:
      return () => ordinaryFloat(draw);
  }
}

/** Integers of 64 bits are drawn as such: their limits are no numbers. */
function integerCorner({ dtype, valueClass, literals, below }: CornerOptions, draw: Draw): () => Real {
  const { signed: isSigned, itemSize } = dtypeInfo(dtype);
  const bits = BigInt(itemSize * 8);
  const max = 2n ** (isSigned ? bits - 1n : bits) - 1n;
  const min = isSigned ? -(2n ** (bits - 1n)) : 0n;
  const inside = (value: bigint): bigint => (value < min ? min : value > max ? max : value);
  switch (valueClass) {
    case "signed-zero":
      return () => 0;
    case "negative":
      return () => draw.integer(-9, -1);
    case "literals": {
      const near = nearLiterals(literals).map((value) => inside(BigInt(Math.round(value))));
      return () => choice(near, draw);
    }
    case "large": {
      const step = max / 5n;
      return () => (isSigned && draw.unit() < 0.5 ? -1n : 1n) * step * BigInt(draw.integer(1, 4));
    }
    case "limits":
      return () => choice([min, max, inside(min + 1n), max - 1n], draw);
    default:
      return () => draw.integer(0, Math.max(0, below - 1));
  }
}

/** Literals of the calls and their neighbors, of both signs; small numbers where there are none. */
function nearLiterals(literals: readonly number[]): readonly number[] {
  const finite = literals.filter((value) => Number.isFinite(value) && Math.abs(value) < 2 ** 62);
  const near = (finite.length === 0 ? [0, 1, 2] : finite).flatMap((value) => [
    value,
    value - 1,
    value + 1,
    0 - value,
    value * 2,
  ]);
  return [...new Set(near)];
}
