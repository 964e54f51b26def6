/** @file Little-endian fields. */

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Returns a 64-bit offset or size as a number; what a file this side of 2^53 bytes can hold. */
export function readUint64(view: DataView, position: number): number {
  return view.getUint32(position, true) + view.getUint32(position + 4, true) * 2 ** 32;
}

/** Returns the bytes themselves where they begin at a multiple of `alignment`, else a copy. */
export const aligned = (bytes: Uint8Array, alignment: number): Uint8Array =>
  bytes.byteOffset % alignment === 0 ? bytes : bytes.slice();
