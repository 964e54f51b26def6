/** @file Elements of tensors in JSON: flat or nested arrays, in row-major order. */
import { describeValue } from "@sconce/errors";
import { type DType, dtypeInfo, elementReader, elementWriter, Storage, Tensor } from "@sconce/tensor";
import { badRequest } from "./errors.js";

/** Where an element was given, for errors. */
interface Place {
  readonly input: string;
  readonly datatype: string;
}

/** Writes one element; returns what is wrong with it. */
type Write = (position: number, value: unknown) => string | undefined;

/** Numbers that JSON does not have, as texts. */
const NOT_FINITE: ReadonlyMap<unknown, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

/**
 * Returns the tensor of an input's `data`.
 *
 * @param count elements of the shape
 * @throws SconceError `INFERENCE_REQUEST` with the position of the first element that does not fit
 */
export function tensorOfData(
  data: readonly unknown[],
  dtype: DType,
  shape: readonly number[],
  count: number,
  place: Place,
): Tensor {
  const { input, datatype } = place;
  const given = countOf(data, shape, place);
  if (given !== count)
    throw badRequest(
      `input ${JSON.stringify(input)} has ${given} elements, and its shape [${shape.join(", ")}] has ${count}`,
      "give the elements of the shape in row-major order",
      { where: input },
    );
  const tensor = new Tensor({ dtype, shape, storage: Storage.allocate(count * dtypeInfo(dtype).itemSize) });
  const write = writerFor(dtype, tensor);
  let at = 0;
  const visit = (items: readonly unknown[]): void => {
    for (const item of items) {
      if (Array.isArray(item)) visit(item);
      else {
        const problem = write(at, item);
        if (problem !== undefined)
          throw badRequest(
            `element ${at} of input ${JSON.stringify(input)} ${problem}`,
            `give elements of ${datatype}; text such as "NaN" and "Infinity" is for floats, digits in quotes for integers past 2^53`,
            { where: input },
          );
        at++;
      }
    }
  };
  visit(data);
  return tensor;
}

/**
 * Returns how many elements there are: a flat list, or lists in lists with the sizes of the shape.
 */
function countOf(data: readonly unknown[], shape: readonly number[], { input }: Place): number {
  if (!data.some(Array.isArray)) return data.length;
  let count = 0;
  const visit = (items: readonly unknown[], depth: number): void => {
    if (items.length !== shape[depth] || depth >= shape.length)
      throw badRequest(
        `a list of input ${JSON.stringify(input)} has ${items.length} items at depth ${depth + 1}, and its shape is [${shape.join(", ")}]`,
        "give a flat list, or lists in lists with the sizes of the shape",
        { where: input },
      );
    if (depth === shape.length - 1) {
      if (items.some(Array.isArray)) visit(items.find(Array.isArray) as readonly unknown[], depth + 1);
      count += items.length;
      return;
    }
    for (const item of items) visit(Array.isArray(item) ? item : [], depth + 1);
  };
  visit(data, 0);
  return count;
}

function writerFor(dtype: DType, tensor: Tensor): Write {
  if (dtype === "bool") return boolWriter(tensor);
  return dtypeInfo(dtype).kind === "int" ? integerWriter(dtype, tensor) : floatWriter(dtype, tensor);
}

function boolWriter({ data }: Tensor): Write {
  return (position, value) => {
    if (typeof value !== "boolean") return `is ${shown(value)}, not true or false`;
    (data as Uint8Array)[position] = value ? 1 : 0;
    return undefined;
  };
}

function floatWriter(dtype: DType, tensor: Tensor): Write {
  const [put, get] = [elementWriter(dtype, tensor.data), elementReader(dtype, tensor.data)];
  return (position, value) => {
    const number = typeof value === "number" ? value : NOT_FINITE.get(value);
    if (number === undefined) return `is ${shown(value)}, not a number`;
    put(position, number);
    const isTooLarge = Number.isFinite(number) && !Number.isFinite(get(position));
    return isTooLarge ? `is ${number}, which ${dtype} does not hold` : undefined;
  };
}

function integerWriter(dtype: DType, tensor: Tensor): Write {
  const { itemSize, signed: isSigned } = dtypeInfo(dtype);
  const bits = 8 * itemSize;
  const put = elementWriter(dtype, tensor.data);
  const [low, high] = isSigned ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
  const wrapped = isSigned ? BigInt.asIntN : BigInt.asUintN;
  return (position, value) => {
    if (bits === 64 && typeof value === "string" && /^-?\d{1,20}$/.test(value)) {
      const integer = BigInt(value);
      put(position, integer);
      return wrapped(64, integer) === integer ? undefined : `is ${value}, which ${dtype} does not hold`;
    }
    if (typeof value !== "number" || !Number.isInteger(value)) return `is ${shown(value)}, not an integer`;
    if (bits === 64 && !Number.isSafeInteger(value)) return `is ${value}, past 2^53 and perhaps rounded`;
    if (value < low || value > high) return `is ${value}, which ${dtype} does not hold`;
    put(position, bits === 64 ? BigInt(value) : value);
    return undefined;
  };
}

const shown = (value: unknown): string =>
  typeof value === "number"
    ? String(value)
    : typeof value === "string"
      ? JSON.stringify(value.slice(0, 40))
      : describeValue(value);

/** Returns the elements of a tensor as the text of a flat JSON array. */
export function dataText(tensor: Tensor): string {
  const { dtype, data, numel } = tensor;
  if (dtype === "bool") return `[${Array.from(data as Uint8Array, (value) => value !== 0).join(",")}]`;
  if (dtype === "int64" || dtype === "uint64") return `[${(data as BigInt64Array).join(",")}]`;
  const get = elementReader(dtype, data);
  const texts = new Array<string>(numel);
  for (let i = 0; i < numel; i++) {
    const value = get(i) as number;
    texts[i] = Number.isFinite(value) ? numberText(value) : `"${value}"`;
  }
  return `[${texts.join(",")}]`;
}

/** Returns a number in JSON; the sign of zero stays. */
const numberText = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));
