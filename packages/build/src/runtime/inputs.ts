/** @file Checks the arguments of a call and takes the bytes of its tensors. */
import { ModelError } from "./error.js";
import type { InputPlan, Key, ModulePlan } from "./plan.js";
import { HELPERS } from "./sizes.js";

/** A typed array, as callers give elements. */
export type Elements = ArrayBufferView & { readonly length: number };

/** A tensor that a caller gives: elements in row-major order. */
interface TensorLike {
  readonly data: Elements;
  readonly shape?: readonly number[];
  readonly dtype?: string;
}

/** A checked input. */
export interface Given {
  /** The elements; undefined for values that are not tensors. */
  readonly data: Elements | undefined;
  readonly shape: readonly number[];
  /** What the caller gave. */
  readonly value: unknown;
  /** The shape of a tensor, or the value, as guards and sizes read it. */
  readonly size: unknown;
}

/** The classes of arrays that hold a dtype; the first one is that of results. */
const ARRAYS: Readonly<Record<string, string>> = {
  float32: "Float32",
  float64: "Float64",
  float16: "Uint16,Float16",
  bfloat16: "Uint16",
  complex64: "Float32",
  complex128: "Float64",
  int8: "Int8",
  uint8: "Uint8,Uint8Clamped",
  int16: "Int16",
  uint16: "Uint16",
  int32: "Int32",
  uint32: "Uint32",
  int64: "BigInt64",
  uint64: "BigUint64",
  bool: "Uint8",
};
const arraysOf = (dtype: string): string[] => ARRAYS[dtype]!.split(",").map((name) => `${name}Array`);

/** Elements of the array for one element of the tensor. */
const lanes = (dtype: string): number => (dtype.startsWith("complex") ? 2 : 1);

const count = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

const classOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

/** Copies bytes out of memory as the array of a dtype. */
export function resultData(bytes: Uint8Array, dtype: string): Elements {
  const name = arraysOf(dtype)[0]!;
  const Class = (globalThis as unknown as Record<string, new (buffer: ArrayBufferLike) => Elements>)[name]!;
  return new Class(bytes.buffer);
}

/** Returns what a value is, as messages name it. */
const describe = (value: unknown): string => (value == null ? String(value) : classOf(value));

/** Returns the value at a path, or undefined where a container has no such entry. */
function valueAt(inputs: unknown, path: readonly Key[]): unknown {
  let value = inputs;
  for (const key of path) {
    if (value instanceof Map) value = value.get(key);
    else if (typeof value === "object" && value !== null && Object.hasOwn(value, key))
      value = (value as Record<Key, unknown>)[key];
    else return undefined;
  }
  return value;
}

/** Checks the names of arguments. */
function checkNames(inputs: unknown, names: readonly string[]): void {
  if (typeof inputs !== "object" || inputs === null || Array.isArray(inputs) || ArrayBuffer.isView(inputs))
    throw new ModelError(
      "INVALID_ARGUMENT",
      `a call takes an object with the arguments ${names.join(", ") || "(none)"}, but got ${describe(inputs)}`,
    );
  const unknown = Object.keys(inputs).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new ModelError(
      "KEYWORD_MISMATCH",
      `there is no argument "${unknown}"; the arguments are ${names.join(", ") || "none"}`,
    );
}

/** Returns the inputs of a call in order, checked as the program checks them. */
export function readInputs({ inputs: plans, guards, ranges }: ModulePlan, inputs: unknown): readonly Given[] {
  checkNames(inputs, [...new Set(plans.map(({ path }) => String(path[0])))]);
  const given = plans.map((plan): Given => {
    const value = valueAt(inputs, plan.path);
    return plan.dtype === undefined ? numberOf(plan, value) : tensorOf(plan, plan.dtype, value);
  });
  const sizes = given.map(({ size }) => size);
  for (const [text, holds] of guards)
    if (!holds(sizes, HELPERS)) throw new ModelError("GUARD_FAILED", `Guard failed: ${text}`);
  plans.forEach((plan, at) => {
    checkLength(plan, given[at]!);
  });
  for (const [at, low, high, node] of ranges(sizes, HELPERS))
    checkValues(plans[at]!.text, given[at]!.data, low, high, node);
  return given;
}

/** Refuses values that kernels would read outside of a tensor with. */
function checkValues(
  text: string,
  data: Elements | undefined,
  low: number,
  high: number,
  node: string,
): void {
  const values = data as unknown as ArrayLike<number | bigint>;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < low || value > high)
      throw new ModelError(
        "INDEX_OUT_OF_RANGE",
        `the value ${value} of the input at ${text} is out of range: %${node} takes ${low} to ${high}`,
      );
  }
}

/** Returns a value that is not a tensor; guards compare it. */
function numberOf({ text, number }: InputPlan, value: unknown): Given {
  const size = value === undefined ? null : typeof value === "bigint" ? Number(value) : value;
  const isNumber = typeof size === "number" || typeof size === "boolean";
  if (number !== undefined && !(number === "int" ? Number.isSafeInteger(size) : isNumber))
    throw new ModelError(
      "INPUT_TYPE",
      `Expected input at ${text} to be ${number === "int" ? "an int" : "a number"}, but got ${describe(value)}`,
    );
  if (typeof size === "object" && size !== null)
    throw new ModelError(
      "INPUT_TYPE",
      `Expected input at ${text} to be a number or text, but got ${describe(value)}`,
    );
  return { data: undefined, shape: [], value, size };
}

function tensorOf({ text, shape = [] }: InputPlan, dtype: string, value: unknown): Given {
  const isBare = ArrayBuffer.isView(value);
  const tensor = isBare ? { data: value as Elements } : ((value ?? {}) as Partial<TensorLike>);
  const classes = arraysOf(dtype);
  const type = `${dtype}[${shape.join(", ")}]`;
  if (typeof tensor !== "object" || !ArrayBuffer.isView(tensor.data))
    throw new ModelError(
      "INPUT_TYPE",
      `Expected input at ${text} to be a tensor (${type}): ${classes.join(" or ")}, or { data, shape }; got ${describe(value)}`,
    );
  const data = tensor.data as Elements;
  if ((tensor.dtype ?? dtype) !== dtype || !classes.includes(classOf(data)))
    throw new ModelError(
      "INPUT_DTYPE",
      `Expected input at ${text} to have dtype ${dtype} (${classes.join(" or ")}), but got ${tensor.dtype ?? describe(data)}`,
    );
  const sizes = tensor.shape ?? bareShape(text, type, data.length / lanes(dtype), shape);
  if (!Array.isArray(sizes) || sizes.length !== shape.length || !sizes.every(isSize))
    throw new ModelError(
      "INPUT_RANK",
      `Unexpected number of dimensions in input at ${text}.shape (expected [${shape.join(", ")}], got [${String(sizes)}])`,
    );
  return { data, shape: sizes as readonly number[], value, size: sizes };
}

const isSize = (size: unknown): boolean => Number.isSafeInteger(size) && (size as number) >= 0;

/** Returns the shape of an array without one: all sizes but one are known. */
function bareShape(
  text: string,
  type: string,
  elements: number,
  shape: readonly (number | string)[],
): readonly number[] {
  const known = count(shape.filter((size) => typeof size === "number"));
  const open = shape.filter((size) => typeof size === "string").length;
  const rest = elements / known;
  if (open > 1 || (open === 1 && !Number.isInteger(rest)))
    throw new ModelError(
      "INPUT_ARRAY",
      `${elements} elements do not say the shape of the input at ${text} (${type}): give { data, shape }`,
    );
  return shape.map((size) => (typeof size === "number" ? size : rest));
}

function checkLength({ text, dtype }: InputPlan, { data, shape }: Given): void {
  if (data === undefined) return;
  const elements = count(shape) * lanes(dtype!);
  if (data.length !== elements)
    throw new ModelError(
      "INPUT_ARRAY",
      `Expected ${elements} elements in input at ${text} (${dtype}[${shape.join(", ")}]), but got ${data.length}`,
    );
}
