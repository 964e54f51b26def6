/** @file Codes of 4 and 2 bits, several in a byte: the first in the lowest bits. */
import { dtypeLiteral, type NodeRef } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import type { CallMaker } from "../graphs/expansion.js";

/**
 * Returns signed codes packed into bytes, each as its distance from the least code. Rows that fill
 * whole bytes give a matrix of bytes, others one row with zeros at its end.
 */
export function packCodes(codes: Int16Array, bits: 4 | 2 | 8, rows: number): Tensor {
  const lanes = 8 / bits;
  const half = 2 ** (bits - 1);
  const bytes = new Uint8Array(Math.ceil(codes.length / lanes));
  for (let i = 0; i < codes.length; i++)
    bytes[Math.floor(i / lanes)]! |= (codes[i]! + half) << ((i % lanes) * bits);
  const columns = codes.length / rows;
  const shape = columns % lanes === 0 ? [rows, columns / lanes] : [bytes.length];
  return Tensor.fromData(bytes, "uint8", shape);
}

/** What packed codes expand to. */
export interface PackedForm {
  /** Bits of a code. */
  readonly bits: number;
  /** The number of codes. */
  readonly count: number;
  /** Whether the codes fill all bytes. */
  readonly isEven: boolean;
  /** The shape of the codes. */
  readonly shape: readonly number[];
}

/** Adds the calls that give the codes as float32, each as its distance from the least code. */
export function expandPacked(
  calls: CallMaker,
  packed: NodeRef,
  { bits, count, isEven, shape }: PackedForm,
): NodeRef {
  const mask = 2 ** bits - 1;
  const lanes = Array.from({ length: 8 / bits }, (_, lane) => {
    const shifted =
      lane === 0 ? packed : calls.call("aten.bitwise_right_shift.Tensor_Scalar", [packed, lane * bits]);
    // Nothing is above the last code of a byte.
    return lane === 8 / bits - 1 ? shifted : calls.call("aten.bitwise_and.Scalar", [shifted, mask]);
  });
  const stacked = calls.call("aten.stack.default", [lanes, -1]);
  const codes = isEven ? stacked : firstOf(calls, stacked, count);
  const viewed = calls.call("aten.view.default", [codes, [...shape]]);
  return calls.call("aten._to_copy.default", [viewed], { dtype: dtypeLiteral("float32") });
}

function firstOf(calls: CallMaker, stacked: NodeRef, count: number): NodeRef {
  const flat = calls.call("aten.view.default", [stacked, [-1]]);
  return calls.call("aten.slice.Tensor", [flat, 0, 0, count]);
}
