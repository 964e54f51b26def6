/** @file Elements in memory: their addresses, and how they are read and written. */
import { type ElementType, elementOf, type KernelMemory, type KernelOperand } from "@sconce/codegen";
import type { FunctionBuilder, Local, MemoryInstruction } from "@sconce/wasm";
import type { SharedFunctions } from "./core/shared-functions.js";
import { isHalf, isUnsigned, numberType, shiftOf } from "./core/types.js";
import { decodeHalf, encodeHalf } from "./halves.js";
import type { Place } from "./offsets.js";

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
  at: Place,
  push: (operand: KernelOperand) => void,
): number {
  const shift = shiftOf(elementOf(type));
  f.get(base);
  const known = offset + at.known * 2 ** shift;
  if (at.from === undefined) return known;
  push(at.from);
  if (shift > 0) f.i32(shift).op("i32.shl");
  f.op("i32.add");
  return known;
}

/** Reads the element at the address on the stack. */
export function loadElement(
  f: FunctionBuilder,
  helpers: SharedFunctions,
  type: ElementType,
  offset: number,
): void {
  if (isHalf(type)) {
    f.memory("i32.load16_u", offset);
    decodeHalf(f, helpers, type);
    return;
  }
  const bits = narrowBits(type);
  const suffix = bits === "" ? "" : `_${isUnsigned(type) ? "u" : "s"}`;
  f.memory(`${numberType(type)}.load${bits}${suffix}` as MemoryInstruction, offset);
}
/** Writes the value on the stack to the address below it. */
export function storeElement(
  f: FunctionBuilder,
  helpers: SharedFunctions,
  type: ElementType,
  offset: number,
): void {
  if (isHalf(type)) {
    encodeHalf(f, helpers, type);
    f.memory("i32.store16", offset);
    return;
  }
  f.memory(`${numberType(type)}.store${narrowBits(type)}` as MemoryInstruction, offset);
}

/** Returns how wide an element is in memory, if that is less than what is computed with. */
function narrowBits(type: ElementType): number | "" {
  const bits = 8 * 2 ** shiftOf(type);
  return numberType(type) === "i32" && bits < 32 ? bits : "";
}
