/** @file Code that copies a part of a tensor into a frame of zeros. */
import { type FunctionBuilder, i32 } from "@sconce/wasm";
import type { Address } from "./index-code.js";
import type { Padding } from "./padding.js";
import { ELEMENT } from "./product-plan.js";

/** Bytes of a padded copy, with room for a vector behind it. */
export const paddedBytes = ({ length }: Padding, bytes: number): number =>
  Math.ceil((length * bytes) / 16) * 16 + 16;

/**
 * Adds code that writes the copy to `target`.
 *
 * @param source the address of the first element that is copied; changed by the code
 * @param bytes of an element. Default: those of float32
 */
export function writePadded(
  f: FunctionBuilder,
  padding: Pick<Padding, "dims" | "length">,
  source: Address,
  target: Address,
  bytes = ELEMENT,
): void {
  const { dims, length } = padding;
  f.put(target, 0, length * bytes).memoryFill();
  if (dims.some(({ count }) => count === 0)) return;
  const strides = new Array<number>(dims.length);
  let below = 1;
  for (let d = dims.length - 1; d >= 0; d--) {
    strides[d] = below;
    below *= dims[d]!.size;
  }
  const start = dims.reduce((sum, { first }, d) => sum + first * strides[d]!, 0);
  const to = f.let(i32(target).plus(start * bytes));
  // Dimensions whose elements follow one another in both are one loop.
  const loops = dims
    .map(({ count, step }, d) => ({ count, from: step * bytes, to: strides[d]! * bytes }))
    .filter(({ count }) => count > 1);
  const walk = (depth: number): void => {
    const one = loops[depth];
    if (one === undefined) {
      const [read, write] = COPIES[bytes as 2 | 4 | 8];
      f.get(to, source).memory(read).memory(write);
      return;
    }
    if (depth === loops.length - 1 && one.from === bytes && one.to === bytes) {
      copyRow(f, one.count, source, to, bytes);
      return;
    }
    f.countUp(f.let(0), one.count, () => {
      walk(depth + 1);
      f.increase(source, one.from).increase(to, one.to);
    });
    f.increase(source, -one.from * one.count).increase(to, -one.to * one.count);
  };
  walk(0);
}

/** Instructions that copy an element of so many bytes. */
const COPIES = {
  2: ["i32.load16_u", "i32.store16"],
  4: ["f32.load", "f32.store"],
  8: ["f64.load", "f64.store"],
} as const;

/** Copies a row by vectors, the rest one by one; pointers are at its start again after it. */
function copyRow(f: FunctionBuilder, count: number, source: Address, to: Address, bytes: number): void {
  const [read, write] = COPIES[bytes as 2 | 4 | 8];
  const vectors = Math.floor((count * bytes) / 16);
  if (vectors > 8) {
    f.countUp(f.let(0), vectors, () => {
      f.get(to, source).memory("v128.load").memory("v128.store");
      f.increase(source, 16).increase(to, 16);
    });
    f.increase(source, -16 * vectors).increase(to, -16 * vectors);
  } else
    for (let i = 0; i < vectors; i++)
      f.get(to, source)
        .memory("v128.load", 16 * i)
        .memory("v128.store", 16 * i);
  for (let i = (16 / bytes) * vectors; i < count; i++)
    f.get(to, source)
      .memory(read, bytes * i)
      .memory(write, bytes * i);
}
