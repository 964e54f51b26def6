/**
 * @file Values in JSON, as `sconce run --json` writes and `--input NAME=JSON` reads them. JSON has
 * no infinities, and its readers no integers past 2^53: those are texts.
 */
import { Budget, parsePlainJson } from "@sconce/errors";
import {
  type DType,
  type Element,
  isBigIntDType,
  isIntegralDType,
  type NestedValues,
  Tensor,
} from "@sconce/tensor";
import { NON_FINITE } from "../scalar-json.js";
import { inputValue } from "./input-errors.js";

/**
 * Returns an element as JSON text: `1.5`, `-0.0`, `"nan"`, `"9223372036854775807"`,
 * `{"re":1,"im":0}`.
 */
export function elementJson(value: Element): string {
  if (typeof value === "object") return `{"re":${elementJson(value.re)},"im":${elementJson(value.im)}}`;
  if (typeof value === "boolean") return String(value);
  if (typeof value === "bigint")
    return Number.isSafeInteger(Number(value)) ? String(value) : JSON.stringify(String(value));
  if (Number.isNaN(value)) return '"nan"';
  if (!Number.isFinite(value)) return value > 0 ? '"inf"' : '"-inf"';
  return Object.is(value, -0) ? "-0.0" : JSON.stringify(value);
}

/** Returns the elements of a tensor as JSON text, nested as its dimensions are. */
export function valuesJson(tensor: Tensor): string {
  const texts = tensor.toArray().map(elementJson);
  return tensor.shape.reduceRight<string[]>(nested, texts)[0] ?? "[]";
}

/** Lists of `size` texts each. */
function nested(texts: readonly string[], size: number): string[] {
  if (size === 0) return ["[]"];
  const lists: string[] = [];
  for (let i = 0; i < texts.length; i += size) lists.push(`[${texts.slice(i, i + size).join(",")}]`);
  return lists;
}

/** Arrays are read up to this depth; tensors have no more dimensions. */
const DEEPEST = 64;
/** Integers that a double may not hold, outside of texts. */
const LONG_INTEGER = /(?<![\w."+-])-?\d{16,}(?![\w.+-])/g;

/**
 * Returns the tensor of a JSON text, of a given dtype.
 *
 * @throws SyntaxError for a text that is not JSON
 * @throws SconceError `TENSOR_VALUES`, `INPUT_VALUE`
 */
export function tensorOfJson(text: string, dtype: DType): Tensor {
  const values = boundedJson(text.replace(LONG_INTEGER, '"$&"'));
  return Tensor.from(elementsOf(values, dtype, 0), { dtype });
}

/**
 * Returns a JSON text of an argument, bounded in depth and work. @throws SyntaxError, SconceError
 */
export const boundedJson = (text: string): unknown =>
  parsePlainJson(text, {
    budget: new Budget(text.length),
    depth: DEEPEST,
    fail: (message, at) => new SyntaxError(`${message} (character ${at})`),
  });

function elementsOf(value: unknown, dtype: DType, depth: number): NestedValues {
  if (Array.isArray(value) && depth <= DEEPEST)
    return value.map((item: unknown) => elementsOf(item, dtype, depth + 1));
  if (typeof value === "string") return textElement(value, dtype);
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return complexElement(value, dtype);
  if (typeof value === "number" && isIntegralDType(dtype) && !Number.isInteger(value))
    throw inputValue(`${value} is not an integer, as elements of ${dtype} are`);
  return value as NestedValues;
}

function textElement(text: string, dtype: DType): number | bigint {
  const special = NON_FINITE.get(text);
  if (special !== undefined) return special;
  if (!/^-?\d{1,40}$/.test(text)) throw inputValue(`${JSON.stringify(text)} is not an element of a tensor`);
  return isBigIntDType(dtype) ? BigInt(text) : Number(text);
}

function complexElement(value: object, dtype: DType): Element {
  const part = (key: string): number => {
    const found = elementsOf((value as Readonly<Record<string, unknown>>)[key], dtype, DEEPEST);
    if (typeof found === "number") return found;
    throw inputValue(`${JSON.stringify(value)} is not a complex number`);
  };
  return { re: part("re"), im: part("im") };
}
