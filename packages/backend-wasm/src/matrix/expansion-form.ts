/**
 * @file Expressions over narrow integers as vector code. Integers are exact in four lanes of 32
 * bits, and numbers that are read besides are float32.
 */
import { type Scalar, same } from "@sconce/codegen";
import type { DType } from "@sconce/tensor";
import type { Vector, VectorWriter } from "../emit/vector/lines.js";
import type { LoadScalar } from "../emit/vector/scalars.js";

/** What the code of a form reads. */
interface Leaves {
  /** The integers of four columns, in lanes of 32 bits. */
  readonly narrow: Vector;
  /** The numbers of four columns, in the order of the reader. */
  readonly numbers: readonly Vector[];
}
type Write = (w: VectorWriter, leaves: Leaves) => Vector;

/** How an element is computed. */
export interface ExpansionForm {
  /** Equal texts are the same computation. */
  readonly text: string;
  readonly write: Write;
}

/** A part of an expression. */
interface Part extends ExpansionForm {
  /** Integers in lanes, floats that are whole numbers, float32, or halves before a conversion. */
  readonly kind: "integer" | "whole" | "float" | "half";
  /** Bounds of integers. */
  readonly min: number;
  readonly max: number;
}

/** What integers of a dtype may be, as far as lanes hold it. */
const BOUNDS: Partial<Record<DType, readonly [number, number]>> = {
  uint8: [0, 255],
  int8: [-128, 127],
  int16: [-(2 ** 15), 2 ** 15 - 1],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 31), 2 ** 31 - 1],
};
/** Constants up to here are exact as float32. */
const EXACT = 2 ** 24;

const float = (text: string, write: Write): Part => ({ kind: "float", text, write, min: 0, max: 0 });
const whole = (text: string, write: Write): Part => ({ kind: "whole", text, write, min: 0, max: 0 });

/** Reads the elements of one factor: all of its forms read the same integers and numbers. */
export class FormReader {
  readonly #buffer: number;
  /** The integers, once a form read them. */
  narrow: LoadScalar | undefined;
  /** What else forms read. */
  readonly numbers: LoadScalar[] = [];

  /** @param buffer the buffer of the integers */
  constructor(buffer: number) {
    this.#buffer = buffer;
  }

  /** Returns the form of an element of float32; undefined if it has none. */
  form(value: Scalar): ExpansionForm | undefined {
    const part = this.#part(value);
    return part?.kind === "float" ? part : undefined;
  }

  #part(scalar: Scalar): Part | undefined {
    switch (scalar.kind) {
      case "constant":
        return constantPart(scalar.dtype, Number(scalar.value));
      case "load":
        return scalar.buffer === this.#buffer ? this.#integers(scalar) : this.#number(scalar);
      case "cast": {
        const part = this.#part(scalar.value);
        return part && converted(part, scalar.dtype);
      }
      case "call":
        return this.#call(scalar);
      default:
        return undefined;
    }
  }

  #integers(load: LoadScalar): Part | undefined {
    this.narrow ??= load;
    const bounds = BOUNDS[load.dtype];
    if (bounds === undefined || !same(this.narrow.index, load.index)) return undefined;
    const [min, max] = bounds;
    return { kind: "integer", text: "q", write: (_, { narrow }) => narrow, min, max };
  }

  #number(load: LoadScalar): Part | undefined {
    const { dtype, buffer, index } = load;
    const known = this.numbers.findIndex((one) => one.buffer === buffer && same(one.index, index));
    const at = known < 0 ? this.numbers.push(load) - 1 : known;
    const write: Write = (_, { numbers }) => numbers[at]!;
    const text = `n${at} ${dtype}`;
    if (dtype === "float32") return float(text, write);
    if (dtype === "float16" || dtype === "bfloat16") return { ...float(text, write), kind: "half" };
    if (dtype === "int64") return whole(text, write);
    const bounds = BOUNDS[dtype];
    return bounds && { kind: "integer", text, write, min: bounds[0], max: bounds[1] };
  }

  #call(scalar: Extract<Scalar, { kind: "call" }>): Part | undefined {
    const [a, b, ...more] = scalar.args.map((arg) => this.#part(arg));
    if (a === undefined || b === undefined || more.length > 0) return undefined;
    const { fn, dtype } = scalar;
    if (a.kind === "float" && b.kind === "float") return dtype === "float32" ? ofFloats(fn, a, b) : undefined;
    if (a.kind === "integer" && b.kind === "integer") return ofIntegers(fn, a, b, dtype);
    const areWhole = isWhole(a) && isWhole(b) && dtype === "int64";
    return areWhole && (fn === "add" || fn === "sub") ? ofWhole(fn, asWhole(a), asWhole(b)) : undefined;
  }
}

function constantPart(dtype: DType, value: number): Part | undefined {
  if (dtype === "float32") return float(Object.is(value, -0) ? "-0" : `${value}`, (w) => w.number(value));
  if (BOUNDS[dtype] === undefined || Math.abs(value) > EXACT) return undefined;
  return { kind: "integer", text: `${value}i`, write: (w) => w.whole(value), min: value, max: value };
}

const isWhole = ({ kind }: Part): boolean => kind === "integer" || kind === "whole";
/** Returns integers as float32, rounded as PyTorch rounds them. */
const asWhole = (part: Part): Part =>
  part.kind === "integer"
    ? whole(`float(${part.text})`, (w, leaves) => w.op("f32x4.convert_i32x4_s", part.write(w, leaves)))
    : part;

function converted(part: Part, dtype: DType): Part | undefined {
  if (dtype === "float32") {
    return { ...asWhole(part), kind: "float" };
  }
  const bounds = BOUNDS[dtype];
  if (bounds === undefined) return undefined;
  if (part.kind === "integer") return part.min >= bounds[0] && part.max <= bounds[1] ? part : undefined;
  // No integer that is read is too large for 64 bits.
  return part.kind === "whole" && dtype === "int64" ? part : undefined;
}

const FLOATS = { add: "f32x4.add", sub: "f32x4.sub", mul: "f32x4.mul", div: "f32x4.div" } as const;
const has = <T extends object>(table: T, name: string): name is Extract<keyof T, string> =>
  Object.hasOwn(table, name);
const textOf = (fn: string, a: Part, b: Part): string => `${fn}(${a.text}, ${b.text})`;

function ofFloats(fn: string, a: Part, b: Part): Part | undefined {
  if (!has(FLOATS, fn)) return undefined;
  const name = FLOATS[fn];
  return float(textOf(fn, a, b), (w, leaves) => w.op(name, a.write(w, leaves), b.write(w, leaves)));
}
/** Sums of whole numbers of 64 bits: rounded where they are larger than any zero point. */
function ofWhole(fn: "add" | "sub", a: Part, b: Part): Part {
  return { ...ofFloats(fn, a, b)!, kind: "whole" };
}

const INTEGERS = {
  add: "i32x4.add",
  sub: "i32x4.sub",
  mul: "i32x4.mul",
  bitwise_and: "v128.and",
  bitwise_or: "v128.or",
  bitwise_xor: "v128.xor",
} as const;

function ofIntegers(fn: string, a: Part, b: Part, dtype: DType): Part | undefined {
  const range = rangeOf(fn, a, b);
  const bounds = BOUNDS[dtype];
  if (range === undefined || bounds === undefined) return undefined;
  const isInside = range[0] >= bounds[0] && range[1] <= bounds[1];
  // Lanes wrap as int32 does. Other integers that wrap are left to other kernels.
  if (!isInside && dtype !== "int32") return undefined;
  const [min, max] = isInside ? range : bounds;
  const part = { kind: "integer", text: textOf(fn, a, b), min, max } as const;
  if (fn === "shift_right")
    return { ...part, write: (w, leaves) => w.shift("shr_s", a.write(w, leaves), b.min) };
  if (!has(INTEGERS, fn)) return undefined;
  const name = INTEGERS[fn];
  return { ...part, write: (w, leaves) => w.op(name, a.write(w, leaves), b.write(w, leaves)) };
}

/** Returns bounds of a result; undefined for functions without code. */
function rangeOf(fn: string, a: Part, b: Part): readonly [number, number] | undefined {
  if (fn === "add") return [a.min + b.min, a.max + b.max];
  if (fn === "sub") return [a.min - b.max, a.max - b.min];
  if (fn === "mul") {
    const all = [a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max];
    return [Math.min(...all), Math.max(...all)];
  }
  if (fn === "shift_right") {
    const isKnown = b.min === b.max && b.min >= 0 && b.min < 32;
    return isKnown ? [a.min >> b.min, a.max >> b.min] : undefined;
  }
  if (fn === "bitwise_and" && (a.min >= 0 || b.min >= 0))
    return [0, a.min < 0 ? b.max : b.min < 0 ? a.max : Math.min(a.max, b.max)];
  if ((fn === "bitwise_or" || fn === "bitwise_xor") && a.min >= 0 && b.min >= 0)
    return [0, 2 ** Math.ceil(Math.log2(Math.max(a.max, b.max) + 1)) - 1];
  return undefined;
}
