/** @file Four elements in memory, side by side. */
import type { ElementType } from "@sconce/codegen";
import type { FunctionBuilder } from "@sconce/wasm";
import { notEmitted } from "../core/errors.js";
import { isHalf } from "../core/types.js";
import { decodeHalves, encodeHalves } from "./halves.js";
import type { VectorWriter } from "./lines.js";

/** Element types of which four are one value. */
const HELD: ReadonlySet<ElementType> = new Set<ElementType>([
  ...(["float32", "int32", "bool", "index", "float16", "bfloat16"] as const),
]);
/** Returns whether four elements of a type are one value. */
export const holdsFour = (type: ElementType): boolean => HELD.has(type);

/** Reads four elements from the address on the stack. */
export function loadFour(f: FunctionBuilder, writer: VectorWriter, type: ElementType, offset: number): void {
  if (type === "float32" || type === "int32" || type === "index") f.memory("v128.load", offset);
  else if (type === "bool") {
    f.memory("v128.load32_zero", offset);
    f.op("i16x8.extend_low_i8x16_u", "i32x4.extend_low_i16x8_u");
    // A mask has all bits of a lane.
    f.op("i32x4.neg");
  } else if (isHalf(type)) {
    f.memory("v128.load16x4_s", offset);
    decodeHalves(writer, type, true);
  } else throw notEmitted(`four elements of ${type}`);
}
/** Writes the vector on the stack to the address below it. */
export function storeFour(f: FunctionBuilder, writer: VectorWriter, type: ElementType, offset: number): void {
  if (type === "float32" || type === "int32" || type === "index") f.memory("v128.store", offset);
  else if (type === "bool") {
    f.op("i32x4.neg");
    const value = f.local("v128");
    f.set(value).get(value, value).op("i16x8.narrow_i32x4_s").set(value);
    f.get(value, value).op("i8x16.narrow_i16x8_s").memoryLane("v128.store32_lane", 0, offset);
  } else if (isHalf(type)) {
    encodeHalves(writer, type);
    const value = f.local("v128");
    f.set(value).get(value, value).op("i16x8.narrow_i32x4_u").memoryLane("v128.store64_lane", 0, offset);
  } else throw notEmitted(`four elements of ${type}`);
}
