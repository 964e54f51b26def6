/** @file Every error that this package raises on purpose. */
import {
  describeValue,
  didYouMean,
  editOf,
  isRawBytes,
  nearestEdit,
  platformClass,
  SconceError,
  withArticle,
} from "@sconce/errors";
import { type DType, isDType } from "./dtype.js";
import { type Element, elementText } from "./element.js";
import { indexOf } from "./shape.js";

export const promotionError = (a: DType, b: DType, family: string): SconceError =>
  new SconceError({
    code: "PROMOTION",
    message: `promotion for ${family} types is not supported, attempted to promote ${a} and ${b}`,
    fix: "convert one operand to the other's dtype first",
  });

export const elementCountMismatch = (have: number, shape: readonly number[]): SconceError =>
  new SconceError({
    code: "SHAPE",
    message: `${have} values do not fill the shape [${shape.join(", ")}]`,
    fix: `give ${shape.reduce((count, size) => count * size, 1)} values, or another shape`,
  });

/** Returns the error when a tensor is an operand of an operator of JavaScript. */
export const tensorCoercion = (dtype: DType, hint: string): SconceError =>
  new SconceError({
    code: "TENSOR_COERCION",
    message: `a ${dtype} tensor is used as ${hint === "number" ? "a number" : "an operand of `+` or `==`"}`,
    fix: "use methods: `x.add(y)`, `x.lt(y)`, `x.eq(y)`; `x.item()` gives the number of one element",
  });

/** Returns the error for a shape that no tensor has. */
export const invalidSizes = (shape: readonly number[]): SconceError =>
  new SconceError({
    code: "SHAPE",
    message: `the shape [${shape.join(", ")}] has a size that is not a whole number from 0 on`,
    fix: "give whole numbers from 0 on",
  });

export const indexOutOfRange = (index: readonly number[], shape: readonly number[]): SconceError =>
  new SconceError({
    code: "INDEX",
    message: `index [${index.join(", ")}] is out of range for the shape [${shape.join(", ")}]`,
    fix: "give one index for each dimension, from 0 to its size - 1",
  });

/** Returns the error for an invalid value of an option of a printed tensor. */
export const tensorOption = (name: string, value: unknown, wanted: string): SconceError =>
  new SconceError({
    code: "TENSOR_OPTION",
    message: `invalid option ${name}: ${typeof value === "string" ? JSON.stringify(value) : String(value)}`,
    fix: `give ${wanted}`,
  });

/** Returns the error for a dtype in the place of the options of `Tensor.from`. */
export const dtypeAsOptions = (dtype: string): SconceError =>
  new SconceError({
    code: "TENSOR_OPTION",
    message: `the options of Tensor.from are the dtype ${JSON.stringify(dtype)}, not an object`,
    fix: `write Tensor.from(values, { dtype: ${JSON.stringify(dtype)} })`,
  });

/** Values in the place of the storage and the layout of a tensor. */
export const notTensorInit = (given: unknown): SconceError =>
  new SconceError({
    code: "TENSOR_OPTION",
    message: `new Tensor takes an object with a dtype, a shape and a storage, got ${describeValue(given)}`,
    fix: "write Tensor.from([1, 2]) for values, or torch.empty([2, 3]) for a shape",
  });

/** Returns the error for a dtype that does not exist. */
export function unknownDType(name: unknown, known: Iterable<string>): SconceError {
  const names = [...known];
  const list = `the dtypes are: ${names.join(", ")}`;
  const given = String(name);
  const long = longName(given);
  const isShort = names.includes(long);
  return new SconceError({
    code: "TENSOR_OPTION",
    message: `unknown dtype ${typeof name === "string" ? JSON.stringify(name) : given}`,
    fix: isShort ? `write "${long}"; ${list}` : didYouMean(given, names, list),
    ...(isShort ? editOf(name, long) : nearestEdit(given, names)),
  });
}

const longName = (name: string): string =>
  name.replace(/^(torch\.|(?:bf|[fiuc])(?=\d))/, (prefix) => LONG_NAMES[prefix] ?? prefix);

/**
 * Returns the dtype that a short name represents: `f32`, `torch.float32`; undefined for other
 * names.
 */
export const longDType = (name: string): DType | undefined => {
  const long = longName(name);
  return long !== name && isDType(long) ? long : undefined;
};

/** Short names that texts of programs show (`f32`), and Python's (`torch.float32`). */
const LONG_NAMES: Readonly<Record<string, string>> = {
  "torch.": "",
  f: "float",
  bf: "bfloat",
  i: "int",
  u: "uint",
  c: "complex",
};

const placeOf = (index: readonly number[]): string => `values${index.map((i) => `[${i}]`).join("")}`;

const kindOf = (value: unknown): string =>
  value === null || value === undefined
    ? String(value)
    : `${typeof value === "object" ? "an" : "a"} ${typeof value}`;

/** Nested arrays of different lengths; the message begins with PyTorch's. */
export const raggedValues = (
  index: readonly number[],
  dim: number,
  size: number,
  got: unknown,
): SconceError => {
  const length = (got as { readonly length?: unknown } | null | undefined)?.length;
  const what = typeof got === "object" && typeof length === "number" ? `got ${length}` : `got ${kindOf(got)}`;
  return new SconceError({
    code: "TENSOR_VALUES",
    message: `expected sequence of length ${size} at dim ${dim} (${what})`,
    where: placeOf(index.slice(0, dim)),
    fix: "give all arrays of a dimension the same length",
  });
};

/** Returns the error for a value in nested arrays that is neither an array nor an element. */
export const notAnElement = (index: readonly number[], value: unknown): SconceError =>
  new SconceError({
    code: "TENSOR_VALUES",
    message: Array.isArray(value)
      ? "an array stands where the first elements of the outer arrays have a number"
      : `${describedElement(value)} cannot be an element of a tensor`,
    where: placeOf(index),
    fix: remedyOf(value) ?? "give numbers, bigints, booleans or { re, im }, in arrays of equal depth",
  });

/** Returns an object by its class, where the platform has it; other values by their kind. */
function describedElement(value: unknown): string {
  const name = isImage(value) ? "ImageData" : platformClass(value);
  return name === undefined || Array.isArray(value) ? kindOf(value) : withArticle(name);
}

/** Returns how to make a tensor of bytes that are not a typed array. */
function remedyOf(value: unknown): string | undefined {
  if (isImage(value))
    return 'give its pixels: Tensor.from(image.data, [image.height, image.width, 4], "uint8")';
  return isRawBytes(value) ? "give a typed array: Tensor.from(new Float32Array(buffer))" : undefined;
}

/** Pixels of a page, or an object of the same form. */
const isImage = (value: unknown): boolean =>
  typeof value === "object" && value !== null && ["data", "width", "height"].every((name) => name in value);

/** Arrays nested deeper than tensors have dimensions; possibly an array that holds itself. */
export const tooDeep = (most: number): SconceError =>
  new SconceError({
    code: "TENSOR_VALUES",
    message: `the values are nested deeper than ${most} arrays`,
    fix: `give at most ${most} dimensions`,
  });

/** Returns the error for an element that a dtype cannot hold; the message begins with PyTorch's. */
export const elementOverflow = (
  ordinal: number,
  shape: readonly number[],
  value: Element,
  dtype: DType,
): SconceError => {
  return new SconceError({
    code: "TENSOR_VALUES",
    message: `value cannot be converted to type ${dtype} without overflow: ${elementText(value)}`,
    where: placeOf(indexOf(ordinal, shape)),
    fix: "give another dtype, or a value that it holds",
  });
};

/**
 * Returns the error for a typed array whose class is not the one that holds the elements of a
 * dtype.
 */
export const wrongArray = (got: string, want: string, dtype: DType): SconceError =>
  new SconceError({
    code: "TENSOR_VALUES",
    message: `elements of ${dtype} are held by ${withArticle(want)}, not by ${withArticle(got)}`,
    fix: `give a ${want}, or make the tensor from numbers: Tensor.from(values, shape, "${dtype}")`,
  });

export const safetensorsError = (message: string, where?: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "SAFETENSORS",
    message,
    where: where === "" ? 'the tensor ""' : where,
    fix: "write the file again; it is damaged or not safetensors",
    cause,
  });

/** Returns the error for a file of another format, in the place of a safetensors file. */
export const notSafetensors = (what: string, fix: string): SconceError =>
  new SconceError({
    code: "SAFETENSORS",
    message: `not a safetensors file: it is ${what}`,
    where: "byte 0",
    fix,
  });

/**
 * Returns the error for a shape that does not broadcast to the shape of the tensor that it is
 * written to.
 */
export const broadcastMismatch = (from: readonly number[], to: readonly number[]): SconceError =>
  new SconceError({
    code: "SHAPE_MISMATCH",
    message: `output with shape [${to.join(", ")}] doesn't match the broadcast shape [${from.join(", ")}]`,
    fix: "expand the output, or reduce the value, to the same shape",
  });

const SUPPLY = "give the values: program.withState(tensors), or --weights FILE.safetensors";

/** Something read the bytes of a storage that has none. */
export const storageWithoutValues = (byteLength: number): SconceError =>
  new SconceError({
    code: "NO_VALUES",
    message: `a tensor of ${byteLength} bytes has a dtype and a shape but no values`,
    fix: SUPPLY,
  });

/** Tensors were to be written that have no values. */
export const writtenWithoutValues = (names: readonly string[]): SconceError =>
  new SconceError({
    code: "NO_VALUES",
    message: `${names.length === 1 ? "1 tensor has" : `${names.length} tensors have`} no values to write: ${names.map((name) => JSON.stringify(name)).join(", ")}`,
    where: names[0],
    fix: SUPPLY,
  });
