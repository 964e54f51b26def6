/** @file Operations on four elements. Bools are masks: all bits of a lane, or none. */
import { type ElementType, elementOf, type KernelOperand, type LetStatement, widthOf } from "@sconce/codegen";
import type { Instruction } from "@sconce/wasm";
import { notEmitted } from "../core/errors.js";
import { isHalf, NONPOSITIVE } from "../core/types.js";
import { demoted, promoted } from "./doubles.js";
import { holdsFour } from "./four-elements.js";
import { decodeHalves, encodeHalves } from "./halves.js";
import type { Vector, VectorWriter } from "./lines.js";
import { MATH } from "./math.js";
import { expOfNonpositive } from "./math-powers.js";

type Write = (w: VectorWriter, args: readonly Vector[]) => void;
const simple =
  (name: Instruction): Write =>
  (w, args) =>
    w.op(name, ...args)();

const FLOAT: ReadonlyMap<string, Write> = new Map<string, Write>([
  ...(["add", "sub", "mul", "div", "neg", "abs", "sqrt", "floor", "ceil", "trunc"] as const).map(
    (op): [string, Write] => [op, simple(`f32x4.${op}`)],
  ),
  ...(["eq", "ne", "lt", "le", "gt", "ge"] as const).map((op): [string, Write] => [
    op,
    simple(`f32x4.${op}`),
  ]),
  ["round", simple("f32x4.nearest")],
  ["reciprocal", (w, [x]) => w.div(w.number(1), x!)()],
  ["rsqrt", (w, [x]) => w.div(w.number(1), w.op("f32x4.sqrt", x!))()],
  ["isnan", (w, [x]) => w.op("f32x4.ne", x!, x!)()],
  ["isinf", (w, [x]) => w.op("f32x4.eq", w.op("f32x4.abs", x!), w.number(Number.POSITIVE_INFINITY))()],
  ["trunc_div", (w, [a, b]) => w.op("f32x4.trunc", w.div(a!, b!))()],
  ["fma", (w, [a, b, c]) => fused(w, a!, b!, c!)()],
  [
    "sign",
    (w, [x]) => {
      const one = (name: "gt" | "lt"): Vector =>
        w.op("v128.and", w.op(`f32x4.${name}`, x!, w.number(0)), w.number(1));
      w.sub(one("gt"), one("lt"))();
    },
  ],
  ...[...MATH].map(([op, math]): [string, Write] => [
    op,
    (w, args) => math(w, ...(args as [Vector, Vector]))(),
  ]),
]);
/** `a * b + c` in one rounding: a product of float32 is exact in float64. */
function fused(w: VectorWriter, ...operands: readonly [Vector, Vector, Vector]): Vector {
  const [a, b, c] = operands.map((operand) => promoted(w, operand)) as [Pair, Pair, Pair];
  const half = (at: 0 | 1): Vector => w.op("f64x2.add", w.op("f64x2.mul", a[at], b[at]), c[at]);
  return demoted(w, [half(0), half(1)]);
}
type Pair = ReturnType<typeof promoted>;
const INTEGER: ReadonlyMap<string, Write> = new Map<string, Write>([
  ...(["add", "sub", "mul", "neg", "abs", "eq", "ne"] as const).map((op): [string, Write] => [
    op,
    simple(`i32x4.${op}`),
  ]),
  ...(["max", "min", "lt", "le", "gt", "ge"] as const).map((op): [string, Write] => [
    op,
    simple(`i32x4.${op}_s`),
  ]),
  ["bitwise_and", simple("v128.and")],
  ["bitwise_or", simple("v128.or")],
  ["bitwise_xor", simple("v128.xor")],
  ["bitwise_not", simple("v128.not")],
]);
const BOOL: ReadonlyMap<string, Write> = new Map<string, Write>([
  ...["and", "bitwise_and", "min", "mul"].map((op): [string, Write] => [op, simple("v128.and")]),
  ...["or", "bitwise_or", "max"].map((op): [string, Write] => [op, simple("v128.or")]),
  ...["xor", "bitwise_xor", "ne"].map((op): [string, Write] => [op, simple("v128.xor")]),
  ...["not", "bitwise_not"].map((op): [string, Write] => [op, simple("v128.not")]),
  ["eq", (w, [a, b]) => w.op("v128.not", w.op("v128.xor", a!, b!))()],
]);

const tableOf = (type: ElementType): ReadonlyMap<string, Write> | undefined => {
  if (type === "float32") return FLOAT;
  if (type === "int32" || type === "index") return INTEGER;
  return type === "bool" ? BOOL : undefined;
};

/** Conversions by the types from and to. */
const CASTS: ReadonlyMap<string, Write> = new Map<string, Write>([
  ["float32 int32", (w, [x]) => truncated(w, x!)],
  ["int32 float32", simple("f32x4.convert_i32x4_s")],
  ["index float32", simple("f32x4.convert_i32x4_s")],
  ["index int32", (_, [x]) => x!()],
  ["bool float32", (w, [x]) => w.op("v128.and", x!, w.number(1))()],
  ["bool int32", simple("i32x4.neg")],
  ["float32 bool", (w, [x]) => w.op("f32x4.ne", x!, w.number(0))()],
  ["int32 bool", (w, [x]) => w.op("i32x4.ne", x!, w.whole(0))()],
  ...(["float16", "bfloat16"] as const).flatMap((half): [string, Write][] => [
    [`${half} float32`, (_, [x]) => x!()],
    [
      `float32 ${half}`,
      (w, [x]) => {
        x!();
        encodeHalves(w, half);
        decodeHalves(w, half);
      },
    ],
  ]),
]);
/** What does not fit, and NaN, gives the least integer. */
function truncated(w: VectorWriter, x: Vector): void {
  const isLess = w.op("f32x4.lt", x, w.number(2 ** 31));
  w.choose(isLess, w.op("i32x4.trunc_sat_f32x4_s", x), w.whole(-(2 ** 31)))();
}

/** Returns whether there is code for an operation on four elements. */
export function computesFour(op: string, type: ElementType, result: ElementType): boolean {
  if (op === "select") return holdsFour(type);
  if (op === "cast") return CASTS.has(`${type} ${result}`);
  if (type === "float32" && (op === "max" || op === "min")) return true;
  return tableOf(type)?.has(op) ?? false;
}

/** Writes an operation that reads or gives four elements. */
export function fourOperation(
  w: VectorWriter,
  { op, args, value, detail }: LetStatement,
  push: (operand: KernelOperand) => void,
): void {
  const vectors = args.map(
    (arg): Vector =>
      () =>
        push(arg),
  );
  const [type, out] = [elementOf(args[0]!.type), elementOf(value.type)];
  const { f } = w;
  switch (op) {
    case "splat":
      vectors[0]!();
      f.op(SPLAT(out));
      if (out === "bool") f.op("i32x4.neg");
      return;
    case "pack":
      packed(w, out, vectors);
      return;
    case "ramp":
      vectors[0]!();
      f.op("i32x4.splat");
      w.ramp(Number((args[1] as { value?: unknown }).value))();
      f.op("i32x4.add");
      return;
    case "lane":
      vectors[0]!();
      f.lane(isFloat(type) ? "f32x4.extract_lane" : "i32x4.extract_lane", Number(detail));
      if (type === "bool") f.i32(1).op("i32.and");
      return;
    case "every":
    case "some":
      vectors[0]!();
      f.op(op === "every" ? "i32x4.all_true" : "v128.any_true");
      return;
    case "select":
      if (widthOf(args[0]!.type) === 4) w.choose(vectors[0]!, vectors[1]!, vectors[2]!)();
      else {
        for (const at of [1, 2, 0]) vectors[at]!();
        f.op("select");
      }
      return;
  }
  if (type === "float32" && (op === "max" || op === "min")) {
    const [first, other] = args.map((arg, i) => operandOf(arg, vectors[i]!));
    extreme(w, op, [first!, other!], args[0]!.kind === "variable");
    return;
  }
  if (detail === NONPOSITIVE && op === "exp" && type === "float32") {
    expOfNonpositive(w, vectors[0]!)();
    return;
  }
  const write = op === "cast" ? CASTS.get(`${type} ${out}`) : tableOf(type)?.get(op);
  if (write === undefined) throw notEmitted(`${op} of four ${type}`);
  write(w, vectors);
}

/** An operand, and what it is if that is known; NaN if not. */
interface FloatOperand {
  readonly value: number;
  readonly vector: Vector;
}
/**
 * `pmax` and `pmin` keep the first of equal ones, which zeros of both signs are, and a NaN that is
 * the first. A known number cannot be a NaN. In a total of many, all bits make NaN of what it is.
 */
function extreme(
  w: VectorWriter,
  op: "max" | "min",
  [{ value: known, vector: first }, { value: bound, vector: other }]: readonly [FloatOperand, FloatOperand],
  isTotal = false,
): void {
  const hasNaN = (): Vector => w.op("f32x4.ne", other, other);
  if (!Number.isNaN(bound)) w.op(`f32x4.p${op}`, first, other)();
  else if (!Number.isNaN(known) && known !== 0) w.op(`f32x4.p${op}`, other, first)();
  else if (isTotal) w.op("v128.or", w.op(`f32x4.p${op}`, first, other), hasNaN())();
  else w.choose(hasNaN(), other, w.op(`f32x4.p${op}`, first, other))();
}
const operandOf = (arg: KernelOperand, vector: Vector): FloatOperand => ({
  value: arg.kind === "literal" ? Number(arg.value) : Number.NaN,
  vector,
});
/** Writes an operation on four float32, as kernels do. */
export function writeFloats(w: VectorWriter, op: string, operands: readonly FloatOperand[]): void {
  const two = operands as readonly [FloatOperand, FloatOperand];
  if (op === "max" || op === "min") extreme(w, op, two);
  else
    FLOAT.get(op)!(
      w,
      operands.map(({ vector }) => vector),
    );
}
const isFloat = (type: ElementType): boolean => type === "float32" || isHalf(type);
const SPLAT = (type: ElementType): Instruction => (isFloat(type) ? "f32x4.splat" : "i32x4.splat");
function packed(w: VectorWriter, type: ElementType, [first, ...rest]: readonly Vector[]): void {
  first!();
  w.f.op(SPLAT(type));
  rest.forEach((one, at) => {
    one();
    w.f.lane(isFloat(type) ? "f32x4.replace_lane" : "i32x4.replace_lane", at + 1);
  });
  if (type === "bool") w.f.op("i32x4.neg");
}
