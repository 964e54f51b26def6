/** @file Literals, types and our own functions in WGSL. */
import { internalError } from "@sconce/errors";
import type { DType } from "@sconce/tensor";
import type { Lane } from "../device/mode.js";
import { ANGLE_FUNCTIONS } from "./wgsl-angle.js";
import { BIT_FUNCTIONS, type WgslFunction } from "./wgsl-bits.js";
import { MATH_FUNCTIONS } from "./wgsl-math.js";

const FUNCTIONS: Readonly<Record<string, WgslFunction>> = {
  ...BIT_FUNCTIONS,
  ...MATH_FUNCTIONS,
  ...ANGLE_FUNCTIONS,
};

/** A function of floats. */
export interface FloatSignature {
  readonly name: string;
  readonly parameters: readonly string[];
  /** Whether it gives a truth value. */
  readonly isTest: boolean;
}
/** Yields the functions that take only floats and return a float or a bool, found by their text. */
export function* signaturesOfFloats(): Iterable<FloatSignature> {
  for (const [name, { text }] of Object.entries(FUNCTIONS)) {
    const [, list, result] = /\bfn f_\w+\(([^)]*)\) -> (f32|bool) /.exec(text) ?? [];
    const parameters = list === "" ? [] : list?.split(", ").map((one) => one.split(": "));
    if (parameters?.every(([, type]) => type === "f32"))
      yield { name, parameters: parameters.map(([parameter]) => parameter!), isTest: result === "bool" };
  }
}

/** What a scalar is in a shader. */
export type WgslType = "f32" | "i32" | "bool";

/** The dtypes that have a lane; others have none on this device. */
const TYPES: Partial<Record<DType, WgslType>> = {
  float32: "f32",
  float16: "f32",
  bfloat16: "f32",
  int64: "i32",
  int32: "i32",
  int16: "i32",
  int8: "i32",
  uint8: "i32",
  bool: "bool",
};
export const wgslType = (dtype: DType): WgslType | undefined => TYPES[dtype];
/** Returns what memory holds elements of a dtype as. */
export function laneOf(dtype: DType): Lane | undefined {
  const type = TYPES[dtype];
  return type === "bool" ? "i32" : type;
}

const MIN_INT = -(2 ** 31);

/** Returns a whole number as an `i32`. */
export function intLiteral(value: number): string {
  if (!Number.isInteger(value) || value < MIN_INT || value > 2 ** 31 - 1)
    throw internalError(`${value} is not a 32-bit integer`);
  if (value === MIN_INT) return "(-2147483647i - 1i)";
  return value < 0 ? `(${value}i)` : `${value}i`;
}

/** Returns an infinity as an integer: the greatest or the least. */
export const limitOf = (value: number): number =>
  Number.isFinite(value) ? value : value < 0 ? MIN_INT : 2 ** 31 - 1;

/** Source text under construction, with the functions that it calls. */
export class WgslModule {
  readonly #used = new Set<string>();

  /** Returns a call of one of our functions. */
  call(name: string, ...args: readonly string[]): string {
    this.#use(name);
    return `${name}(${args.join(", ")})`;
  }
  #use(name: string): void {
    if (this.#used.has(name)) return;
    const found = FUNCTIONS[name];
    if (found === undefined) throw internalError(`no WGSL function ${name}`);
    for (const other of found.uses ?? []) this.#use(other);
    this.#used.add(name);
  }
  /** The text of all functions in use, callees first. */
  get functions(): string {
    return [...this.#used].map((name) => `${FUNCTIONS[name]!.text}\n`).join("");
  }

  /** Returns a number as an `f32`: what is not finite as bits, since WGSL has no such literals. */
  float(value: number): string {
    const single = Math.fround(value);
    if (Number.isNaN(single)) return this.call("f_nan");
    if (!Number.isFinite(single)) return `${single < 0 ? "-" : ""}${this.call("f_inf")}`;
    // The sign of a literal's zero is lost on the way.
    if (Object.is(single, -0)) return this.call("f_minuszero");
    const size = Math.abs(single);
    const text = Number.isInteger(size) && size < 1e16 ? `${size}.0f` : `${size}f`;
    return single < 0 ? `(-${text})` : text;
  }
}
