/** @file Nested arrays as elements in logical order: what `torch.tensor` takes. */
import { type DType, dtypeInfo } from "./dtype.js";
import type { ComplexElement, Element } from "./element.js";
import { elementOverflow, notAnElement, raggedValues, tooDeep } from "./errors.js";

/** A typed array, as a caller has it; `Float16Array` is among them where it exists. */
export type NumericArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/** An element, or arrays of elements of equal lengths. */
export type NestedValues = Element | NumericArray | readonly NestedValues[];

/** Nested arrays in row-major order. */
export interface FlatValues {
  readonly elements: readonly Element[];
  readonly shape: readonly number[];
  /** What `torch.tensor` infers, where no dtype is given. */
  readonly dtype: DType;
}

/** The most dimensions of a tensor. */
const MOST_DIMENSIONS = 64;
const INT64_END = 2 ** 63;

const BY_ARRAY: Readonly<Record<string, DType>> = {
  Int8Array: "int8",
  Uint8Array: "uint8",
  Uint8ClampedArray: "uint8",
  Int16Array: "int16",
  Uint16Array: "uint16",
  Int32Array: "int32",
  Uint32Array: "uint32",
  Float16Array: "float16",
  Float32Array: "float32",
  Float64Array: "float64",
  BigInt64Array: "int64",
  BigUint64Array: "uint64",
};

/** Returns the name of a typed array's class; undefined for anything else. */
export const numericArrayName = (value: unknown): string | undefined =>
  ArrayBuffer.isView(value) && !(value instanceof DataView)
    ? (value as unknown as Readonly<Record<symbol, string>>)[Symbol.toStringTag]
    : undefined;

/** Typed arrays that hold a dtype beside the class of its row. */
const OTHER_ARRAYS: Readonly<Partial<Record<DType, string>>> = {
  float16: "Float16Array",
  uint8: "Uint8ClampedArray",
};

/** Returns whether typed arrays of a class, by its name, hold the elements of a dtype. */
export const holdsDType = (array: string, dtype: DType): boolean =>
  array === (dtypeInfo(dtype).array as { readonly name?: string }).name || array === OTHER_ARRAYS[dtype];

/** Returns the dtype whose elements a typed array holds; undefined for anything else. */
const arrayDType = (value: unknown): DType | undefined => BY_ARRAY[numericArrayName(value) ?? ""];

/**
 * Flattens nested arrays.
 *
 * @throws SconceError `TENSOR_VALUES` for arrays of different lengths, and for what is not an
 * element
 */
export function flatten(values: NestedValues): FlatValues {
  const shape = shapeOf(values);
  const walk = new Walk(shape);
  walk.visit(values, 0);
  return { elements: walk.elements, shape, dtype: walk.dtype };
}

const isArray = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || numericArrayName(value) !== undefined;

/** Returns the shape by the first elements, as PyTorch reads it. */
function shapeOf(values: unknown): number[] {
  const shape: number[] = [];
  for (let value = values; isArray(value); value = value[0]) {
    if (shape.length === MOST_DIMENSIONS) throw tooDeep(MOST_DIMENSIONS);
    shape.push(value.length);
    if (value.length === 0) break;
  }
  return shape;
}

type Rank = "bool" | "int64" | "float32" | "complex64";
const RANKS: readonly Rank[] = ["bool", "int64", "float32", "complex64"];

/** Collects elements, and the dtype that holds them all. */
class Walk {
  readonly elements: Element[] = [];
  readonly #shape: readonly number[];
  readonly #index: number[] = [];
  #rank = -1;
  #array: DType | undefined;
  #isMixed = false;

  constructor(shape: readonly number[]) {
    this.#shape = shape;
  }

  /** The dtype of the typed arrays if they all have one class, else inferred from the elements. */
  get dtype(): DType {
    if (this.#array !== undefined && !this.#isMixed) return this.#array;
    return RANKS[this.#rank] ?? "float32";
  }

  visit(value: unknown, depth: number): void {
    const size = this.#shape[depth];
    if (size === undefined) {
      this.elements.push(this.#element(value));
      return;
    }
    if (!isArray(value) || value.length !== size) throw raggedValues(this.#index, depth, size, value);
    const array = arrayDType(value);
    if (array !== undefined) this.#meet(array);
    for (let i = 0; i < size; i++) {
      this.#index[depth] = i;
      this.visit(value[i], depth + 1);
    }
    this.#index.length = depth;
  }

  #meet(array: DType): void {
    if (this.#array !== undefined && this.#array !== array) this.#isMixed = true;
    this.#array = array;
  }

  #element(value: unknown): Element {
    const rank = rankOf(value);
    if (rank === undefined) throw notAnElement(this.#index, value);
    this.#rank = Math.max(this.#rank, RANKS.indexOf(rank));
    return value as Element;
  }
}

function rankOf(value: unknown): Rank | undefined {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return isInteger(value) ? "int64" : "float32";
    default:
      return isComplex(value) ? "complex64" : undefined;
  }
}

/**
 * Returns whether a number can represent an int: one that an int64 holds, and that is not the float
 * -0.
 */
const isInteger = (value: number): boolean =>
  Number.isInteger(value) && value >= -INT64_END && value < INT64_END && !Object.is(value, -0);

function isComplex(value: unknown): value is ComplexElement {
  if (typeof value !== "object" || value === null) return false;
  const { re, im } = value as Partial<ComplexElement>;
  return typeof re === "number" && typeof im === "number";
}

/**
 * Refuses elements that an integer dtype does not hold and complex ones for real dtypes, as
 * `torch.tensor` does: negative numbers wrap in unsigned dtypes.
 *
 * @throws SconceError `TENSOR_VALUES`
 */
export function requireFits({ elements, shape }: FlatValues, dtype: DType): void {
  const { kind } = dtypeInfo(dtype);
  if (kind === "complex" || kind === "bool") return;
  const [low, high] = kind === "int" ? integerRange(dtype) : [-Infinity, Infinity];
  elements.forEach((value, ordinal) => {
    const fits =
      typeof value !== "object" &&
      (kind === "float" ||
        typeof value === "boolean" ||
        (truncated(value) >= low && truncated(value) <= high));
    if (!fits) throw elementOverflow(ordinal, shape, value, dtype);
  });
}

const truncated = (value: number | bigint): number | bigint =>
  typeof value === "bigint" ? value : Math.trunc(value);

function integerRange(dtype: DType): readonly [bigint, bigint] {
  const { signed, itemSize } = dtypeInfo(dtype);
  const values = 1n << BigInt(8 * itemSize);
  return signed ? [-values / 2n, values / 2n - 1n] : [1n - values, values - 1n];
}

/** Most elements that are looked at, for an error. */
const MOST_ELEMENTS = 10_000;

/** Returns whether a value is arrays of numbers, of any depth, and not empty. */
export function isNumericArray(value: unknown): boolean {
  let left = MOST_ELEMENTS;
  const isElement = (one: unknown): boolean =>
    left-- > 0 &&
    (Array.isArray(one)
      ? one.length > 0 && one.every(isElement)
      : typeof one === "number" || typeof one === "boolean" || typeof one === "bigint");
  return Array.isArray(value) && isElement(value);
}
