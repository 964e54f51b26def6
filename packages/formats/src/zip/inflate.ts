/** @file Deflate, loaded when an entry needs it: PyTorch stores the entries of its archives. */
import { Inflate as InflateStream } from "fflate";

/** Unpacks data that declare their size. */
export type Inflate = (packed: Uint8Array, size: number) => Uint8Array;

/** Packed bytes that are unpacked at once: they give at most 8 MiB, and at least 256 KiB. */
const [LARGEST_SLICE, SMALLEST_SLICE] = [8192, 256];
/** Bytes that a packed byte gives at most. */
const RATIO = 1032;

/**
 * At most one byte more than declared, which shows the excess. The data are unpacked piece by piece
 * up to there: a small entry can unpack to a thousand times its bytes.
 */
export const inflate: Inflate = (packed, size) => {
  // Nothing is pushed then, so the stream would not report that the data have no end.
  if (packed.length === 0) throw new Error("unexpected EOF");
  const content = new Uint8Array(size + 1);
  let end = 0;
  const stream = new InflateStream((piece) => {
    const part = piece.subarray(0, content.length - end);
    content.set(part, end);
    end += part.length;
  });
  const slice = Math.max(SMALLEST_SLICE, Math.min(LARGEST_SLICE, Math.ceil(size / RATIO)));
  for (let start = 0; start < packed.length && end <= size; start += slice)
    stream.push(packed.subarray(start, start + slice), start + slice >= packed.length);
  return content.subarray(0, end);
};
