/** @file Functions that kernels in JavaScript call, by their names. */
import { javaScriptFunction } from "@sconce/codegen";
import {
  bfloat16ToNumber,
  type DType,
  float16ToNumber,
  numberToBfloat16,
  numberToFloat16,
} from "@sconce/tensor";

const STORED: Readonly<Record<string, unknown>> = {
  "load float16": float16ToNumber,
  "store float16": numberToFloat16,
  "load bfloat16": bfloat16ToNumber,
  "store bfloat16": numberToBfloat16,
};

/** Returns the functions in order. */
export const functionsOf = (called: readonly (readonly [op: string, from: DType, to: DType])[]): unknown[] =>
  called.map(([op, from, to]) => STORED[`${op} ${from}`] ?? javaScriptFunction({ op, from, to }));
