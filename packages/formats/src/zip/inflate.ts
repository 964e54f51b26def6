/** @file Deflate, loaded when an entry needs it: PyTorch stores the entries of its archives. */
import { inflateSync } from "fflate";

/** Unpacks data that declare their size. */
export type Inflate = (packed: Uint8Array, size: number) => Uint8Array;

/**
 * At most one byte more than declared: fflate drops what does not fit, so only a filled spare byte
 * shows the excess.
 */
export const inflate: Inflate = (packed, size) => inflateSync(packed, { out: new Uint8Array(size + 1) });
