/** @file Deflate, loaded when an entry needs it: PyTorch stores the entries of its archives. */
import { Inflate as InflateStream } from "fflate";

/** Unpacks data that declare their size. */
export type Inflate = (packed: Uint8Array, size: number) => Uint8Array;

/** Packed bytes that are unpacked at once: they give at most 8 MiB. */
const SLICE = 8192;

/**
 * At most one byte more than declared, which shows the excess. The data are unpacked piece by piece
 * up to there: a small entry can unpack to a thousand times its bytes.
 */
export const inflate: Inflate = (packed, size) => {
  // The stream takes no bytes for the end of its data.
  if (packed.length === 0) throw new Error("unexpected EOF");
  const content = new Uint8Array(size + 1);
  let end = 0;
  const stream = new InflateStream((piece) => {
    const part = piece.subarray(0, content.length - end);
    content.set(part, end);
    end += part.length;
  });
  for (let start = 0; start < packed.length && end <= size; start += SLICE)
    stream.push(packed.subarray(start, start + SLICE), start + SLICE >= packed.length);
  return content.subarray(0, end);
};
