/** @file Types of kernels as types of WebAssembly, and how elements lie in memory. */
import { type ElementType, elementOf, type KernelType, widthOf } from "@sconce/codegen";
import { dtypeInfo, isComplexDType } from "@sconce/tensor";
import { notEmitted } from "./errors.js";

/** A type of one number. */
export type NumberType = "i32" | "i64" | "f32" | "f64";
/**
 * Returns what values of an element type are computed in. Halves are float32, bools 0 or 1. Of
 * complex64, which is only moved, both parts are one number.
 */
export function numberType(type: ElementType): NumberType {
  switch (type) {
    case "index":
      return "i32";
    case "float32":
    case "float16":
    case "bfloat16":
      return "f32";
    case "float64":
      return "f64";
    case "int64":
    case "uint64":
    case "complex64":
      return "i64";
    default:
      if (isComplexDType(type) || type.startsWith("float8")) throw notEmitted(`elements of ${type}`);
      return "i32";
  }
}
/** Returns the type of a local. */
export const localType = (type: KernelType): NumberType | "v128" =>
  widthOf(type) === 4 ? "v128" : numberType(elementOf(type));

/** Returns whether integers of a type are never negative. */
export const isUnsigned = (type: ElementType): boolean => type !== "index" && !dtypeInfo(type).signed;
/** Bits of an integer that i32 holds. */
export const bitsOf = (type: ElementType): number => (type === "index" ? 32 : dtypeInfo(type).itemSize * 8);
export const isHalf = (type: ElementType): type is "float16" | "bfloat16" =>
  type === "float16" || type === "bfloat16";

/** Bytes of an element in memory, as a power of two. */
export const shiftOf = (type: ElementType): number =>
  type === "index" ? 2 : Math.log2(dtypeInfo(type).itemSize);

/** The detail of an exponential whose operand is known not to be positive. NaN may be. */
export const NONPOSITIVE = "nonpositive";
