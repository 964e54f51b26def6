/** @file Elements of one value class: what a sample of a changed region is made of. */
import { type DType, dtypeInfo, isBigIntDType } from "@sconce/tensor";
import { floatLimits } from "./float-limits.js";
import type { ValueClass } from "./number-change.js";
import type { Draw } from "./random.js";

type Real = number | bigint;
export type CornerElement = Real | boolean | { readonly re: number; readonly im: number };

/** Returns the classes that a dtype has values of, `ordinary` first. */
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
  if (floatLimits(dtype) === undefined) return ["ordinary", "signed-zero", "negative", "literals"];
  return [
    "ordinary",
    "signed-zero",
    "negative",
    "literals",
    "large",
    "offset",
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
  /** Of integers that are indices: the size that they index, all of which ordinary values cover. */
  readonly indexed?: number | undefined;
  /** Elements are the corners in their order, each as often as `each` says, from a position on. */
  readonly inOrder?: { readonly start: number; readonly each: number } | undefined;
}

/** Draws elements of a dtype. */
export function cornerElements(options: CornerOptions, draw: Draw): () => CornerElement {
  const { dtype, density, inOrder, indexed } = options;
  const { kind } = dtypeInfo(dtype);
  if (kind === "bool") return () => draw.unit() < 0.5;
  const corners = cornersOf(options);
  const ordinary: () => Real =
    kind === "int"
      ? () => draw.integer(0, Math.max(0, (indexed ?? options.below) - 1))
      : () => ordinaryFloat(draw);
  let position = inOrder?.start ?? 0;
  const next = (): Real => {
    if (corners.length === 0) return ordinary();
    if (inOrder !== undefined) return corners[Math.floor(position++ / inOrder.each) % corners.length]!;
    return draw.unit() < density ? choice(corners, draw) : ordinary();
  };
  if (kind === "complex") return () => ({ re: Number(next()), im: Number(next()) });
  return isBigIntDType(dtype) ? () => BigInt(next()) : () => Number(next());
}

/**
 * Mostly of the normal distribution, some larger, and some that are whole or half, where functions
 * have their steps.
 */
function ordinaryFloat(draw: Draw): number {
  const kind = draw.unit();
  if (kind < 0.6) return draw.normal();
  return kind < 0.8 ? -10 + 20 * draw.unit() : draw.integer(-16, 16) / 2;
}

const choice = <T>(values: readonly T[], draw: Draw): T => values[draw.integer(0, values.length - 1)]!;

const bothSigns = (values: readonly number[]): number[] => values.flatMap((value) => [value, -value]);

/** Returns the values of a class; none for `ordinary`, whose values are drawn. */
export function cornersOf({
  dtype,
  valueClass,
  literals,
  indexed,
}: Pick<CornerOptions, "dtype" | "valueClass" | "literals" | "indexed">): readonly Real[] {
  const { kind } = dtypeInfo(dtype);
  if (kind === "bool" || valueClass === "ordinary" || !classesOf(dtype).includes(valueClass)) return [];
  if (kind !== "int") return floatCorners(dtype, valueClass, literals);
  const corners = integerCorners(dtype, valueClass, literals);
  return indexed === undefined ? corners : indicesAmong(corners, valueClass, indexed);
}

/** Values that can be indices into a size; its ends in place of the limits of the dtype. */
function indicesAmong(corners: readonly Real[], valueClass: ValueClass, size: number): readonly Real[] {
  if (valueClass === "limits") return size > 0 ? [...new Set([0, size - 1])] : [];
  const ends = valueClass === "negative" ? [-size] : [];
  return [...ends, ...corners.filter((value) => value >= -size && value < size)];
}

/** Of `float8_e4m3fn`. */
const EIGHT_BITS = { max: 448, normal: 2 ** -6, least: 2 ** -9, epsilon: 2 ** -3 };

function floatCorners(dtype: DType, valueClass: ValueClass, literals: readonly number[]): readonly number[] {
  const { max, normal, least, epsilon } = floatLimits(dtype) ?? EIGHT_BITS;
  switch (valueClass) {
    case "signed-zero":
      return [0, -0];
    case "negative":
      return [-0.5, -1, -1.5, -2, -3, -4.25, -7.75, -9];
    case "literals":
      return nearLiterals(literals);
    case "offset": {
      // So far from zero that squares have no digits left for a difference of 1.
      const center = 2 / Math.sqrt(epsilon);
      return [0, 1, -1, 0.5, -1.5, 2, -2.5].map((step) => center + step);
    }
    case "large":
      return bothSigns([100, 1000, max ** 0.16, max ** 0.24, max ** 0.32].filter((x) => x <= max ** 0.32));
    case "overflow":
      return bothSigns([max, 0.75 * max, 0.5 * max, 0.25 * max]);
    case "infinity":
      return bothSigns([Number.POSITIVE_INFINITY]);
    case "nan":
      return [Number.NaN];
    case "subnormal":
      return bothSigns([least, normal / 2, normal / 4, normal]);
    default:
      return [];
  }
}

/** Integers of 64 bits are given as such: their limits are not numbers. */
function integerCorners(dtype: DType, valueClass: ValueClass, literals: readonly number[]): readonly Real[] {
  const { signed: isSigned, itemSize } = dtypeInfo(dtype);
  const bits = BigInt(itemSize * 8);
  const max = 2n ** (isSigned ? bits - 1n : bits) - 1n;
  const min = isSigned ? -(2n ** (bits - 1n)) : 0n;
  const inside = (value: bigint): bigint => (value < min ? min : value > max ? max : value);
  switch (valueClass) {
    case "signed-zero":
      return [0];
    case "negative":
      return [-1, -2, -3, -4, -5, -7, -8, -9];
    case "literals":
      return [...new Set(nearLiterals(literals).map((value) => inside(BigInt(Math.round(value)))))];
    case "large":
      return [1n, 2n, 3n, 4n].flatMap((n) =>
        isSigned ? [n * (max / 5n), -n * (max / 5n)] : [n * (max / 5n)],
      );
    case "limits":
      return [min, max, inside(min + 1n), max - 1n];
    default:
      return [];
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
