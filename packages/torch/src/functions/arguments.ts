/**
 * @file Which values a parameter takes, and what becomes of them: the rules of PyTorch's argument
 * parser (`FunctionParameter::check` of `torch/csrc/utils/python_arg_parser.cpp`).
 */
import { describeValue } from "@sconce/errors";
import {
  type Argument,
  type DeviceLiteral,
  dtypeLiteral,
  float,
  isFloat,
  isInt,
  itemsOf,
  kindOf,
  LAYOUTS,
  layout,
  MEMORY_FORMATS,
  memoryFormat,
  parseDevice,
} from "@sconce/ir";
import { isDType, isIntegralDType, Tensor } from "@sconce/tensor";
import { callOperator, currentTrace, type OperatorArgument } from "../trace/dispatch.js";
import { isSym, SymBool, SymFloat, SymInt } from "../trace/sym-int.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { invalidArgument, requireChoice } from "./errors.js";
import type { Parameter } from "./parameters.js";
import { guardInt } from "./sym.js";

const isOneOf = (words: readonly unknown[], value: unknown): boolean => words.includes(value);
const isNumber = (value: unknown): boolean => isInt(value) || isFloat(value);
/** Returns whether PyTorch takes a value for a `Scalar`. */
export const isScalar = (value: unknown): boolean =>
  isNumber(value) || typeof value === "boolean" || kindOf(value) === "complex" || isSym(value);

/** A tensor without dimensions represents its number where no gradient is lost. */
const isNumberTensor = (value: unknown): value is Tensor =>
  value instanceof Tensor && value.ndim === 0 && !value.requiresGrad;
const isIntegerTensor = (value: unknown): boolean =>
  isNumberTensor(value) && isIntegralDType(value.dtype) && value.dtype !== "bool";

const isSize = (value: unknown): boolean => isInt(value) || value instanceof SymInt || isIntegerTensor(value);

function takesElement(base: Parameter["base"], value: unknown): boolean {
  switch (base) {
    case "Scalar":
      return isScalar(value) || isNumberTensor(value);
    case "float":
      return (
        isNumber(value) ||
        typeof value === "boolean" ||
        value instanceof SymInt ||
        value instanceof SymFloat ||
        isNumberTensor(value)
      );
    case "int":
    case "SymInt":
      return isSize(value);
    case "bool":
      return (
        typeof value === "boolean" ||
        value instanceof SymBool ||
        (isNumberTensor(value) && value.dtype === "bool")
      );
    case "str":
      return typeof value === "string";
    case "ScalarType":
      return isDType(value) || kindOf(value) === "dtype";
    case "Layout":
      return isOneOf(LAYOUTS, value) || kindOf(value) === "layout";
    case "MemoryFormat":
      return isOneOf(MEMORY_FORMATS, value) || kindOf(value) === "memory_format";
    case "Device":
      return (typeof value === "string" && parseDevice(value) !== undefined) || kindOf(value) === "device";
    default:
      return false;
  }
}

/** Returns whether a list of integers is given: the first item decides, as in PyTorch. */
export const isIntegerList = (items: readonly unknown[]): boolean => items.length === 0 || isSize(items[0]);

function takesList({ base, size }: Parameter, value: unknown): boolean {
  const items: readonly unknown[] | undefined = itemsOf(value as Argument);
  const isIntegers = base === "int" || base === "SymInt";
  if (items === undefined) return isIntegers && size > 0 && isSize(value) && !(value instanceof Tensor);
  if (isIntegers) return isIntegerList(items);
  if (base === "Tensor") return items.every((item) => item instanceof Tensor || item === null);
  if (base === "Scalar") return items.every(isScalar);
  if (base === "float") return items.length === 0 || takesElement("float", items[0]);
  return items.every((item) => takesElement(base, item));
}

/** Returns whether a parameter takes a value that is neither left out nor None. */
export function takes(parameter: Parameter, value: unknown, numbersAsTensors: boolean): boolean {
  if (parameter.list) return takesList(parameter, value);
  if (parameter.base === "Tensor") return value instanceof Tensor || (numbersAsTensors && isScalar(value));
  return takesElement(parameter.base, value);
}

/**
 * Returns a device by its name: `"cuda:1"`.
 *
 * @throws SconceError `TORCH_ARGUMENT` for a name that is not a device
 */
export function deviceOf(value: unknown): DeviceLiteral {
  if (kindOf(value) === "device") return value as DeviceLiteral;
  const found = typeof value === "string" ? parseDevice(value) : undefined;
  if (found === undefined)
    throw invalidArgument(
      "device",
      `${describeValue(value)} is not a device`,
      'use a device such as "cpu" or "cuda:1"',
    );
  return found;
}

/** Returns whether a device that a call gives, if any, is `meta`. */
export const isMetaDevice = (device: unknown): boolean =>
  (device ?? null) !== null && deviceOf(device).type === "meta";

function chosen<T extends string>(name: string, value: string, words: readonly T[]): T {
  requireChoice("the call", name, value, words);
  return value as T;
}

function element(base: Parameter["base"], value: unknown): OperatorArgument {
  if (value instanceof Tensor && base !== "Tensor")
    return callOperator("aten.item.default", [value]) as OperatorArgument;
  if (value instanceof SymInt) return base === "int" ? guardInt(value) : specialized(value);
  if (base === "Device") return deviceOf(value);
  if (typeof value === "string") {
    if (base === "ScalarType" && isDType(value)) return dtypeLiteral(value);
    if (base === "Layout") return layout(chosen("layout", value, LAYOUTS));
    if (base === "MemoryFormat") return memoryFormat(chosen("memoryFormat", value, MEMORY_FORMATS));
  }
  if (typeof value === "bigint" && (value >= 2n ** 64n || value < -(2n ** 63n)))
    throw invalidArgument(
      "the call",
      `the integer ${value} is too large for PyTorch`,
      "use an integer of 64 bits, or a float: `Number(value)`",
    );
  return isPastInt64(value) && base !== "int" && base !== "SymInt"
    ? float(value)
    : (value as OperatorArgument);
}

/**
 * Returns whether a number is past the range of int64: a float, as for tensors of such numbers.
 */
const isPastInt64 = (value: unknown): value is number =>
  typeof value === "number" && (value >= 2 ** 63 || value < -(2 ** 63));

/** Returns a size; one that the trace made a constant, as a number (`SymInt::maybe_as_int`). */
export function specialized(value: SymInt): OperatorArgument {
  const known = currentTrace()?.env.replace(value.expr);
  return typeof known === "number" ? known : value;
}

/**
 * Returns the value as operators take it: literals wrapped, one integer as the list that it
 * represents.
 */
export function convert({ base, list, size }: Parameter, value: unknown): OperatorArgument {
  if (!list) return element(base, value);
  const items: readonly unknown[] | undefined = itemsOf(value as Argument);
  if (items !== undefined) return items.map((item) => element(base, item));
  return new Array<OperatorArgument>(size).fill(element(base, value));
}

/** Returns whether a value is a traced tensor; others have their values. */
export const isTraced = (value: unknown): value is TracedTensor => value instanceof TracedTensor;
