/** @file Elements in memory: their addresses, and how they are read and written. */
import { type ElementType, elementOf, type KernelMemory, type KernelOperand } from "@sconce/codegen";
import type { FunctionBuilder, Local, MemoryInstruction } from "@sconce/wasm";
import type { SharedFunctions } from "./core/shared-functions.js";
import { isHalf, isUnsigned, numberType, shiftOf } from "./core/types.js";
import { decodeHalf, encodeHalf } from "./halves.js";

/** Where a piece of memory starts: an address and a number of bytes. */
export interface MemoryPlace {
  readonly base: Local;
  readonly offset: number;
}

/** Puts the address of an element on the stack; returns the bytes that come on top of it. */
export function pushAddress(
  f: FunctionBuilder,
  { base, offset }: MemoryPlace,
  { type }: KernelMemory,
  at: KernelOperand,
  push: (operand: KernelOperand) => void,
): number {
  const shift = shiftOf(elementOf(type));
  f.get(base);
  if (at.kind === "literal") return offset + Number(at.value) * 2 ** shift;
  push(at);
  if (shift > 0) f.i32(shift).op("i32.shl");
  f.op("i32.add");
  return offset;
}

/** Reads the element at the address on the stack. */
export function loadElement(
  f: FunctionBuilder,
  helpers: SharedFunctions,
  type: ElementType,
  offset: number,
): void {
  const number = numberType(type);
  if (isHalf(type)) {
    f.memory("i32.load16_u", offset);
    decodeHalf(f, helpers, type);
    return;
  }
  const bytes = 2 ** shiftOf(type);
  const isNarrow = number === "i32" && bytes < 4;
  const narrow = `i32.load${8 * bytes}_${isUnsigned(type) ? "u" : "s"}`;
  f.memory((isNarrow ? narrow : `${number}.load`) as MemoryInstruction, offset);
}
/** Writes the value on the stack to the address below it. */
export function storeElement(
  f: FunctionBuilder,
  helpers: SharedFunctions,
  type: ElementType,
  offset: number,
): void {
  const number = numberType(type);
  if (isHalf(type)) {
    encodeHalf(f, helpers, type);
    f.memory("i32.store16", offset);
    return;
  }
  const bytes = 2 ** shiftOf(type);
  const isNarrow = number === "i32" && bytes < 4;
  f.memory((isNarrow ? `i32.store${8 * bytes}` : `${number}.store`) as MemoryInstruction, offset);
}
