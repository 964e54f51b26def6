/** @file What stands before and after an entry's data, compared with the directory. */
import { zipError } from "../errors.js";
import { FLAG_DESCRIPTOR, widen, type ZipEntry } from "./directory.js";

const LOCAL = 0x04034b50;
export const LOCAL_SIZE = 30;
const DESCRIPTOR = 0x08074b50;

/** Returns how long the header is with its name and its fields, as its first bytes say. */
export function localHeaderSize(head: Uint8Array): number {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  return LOCAL_SIZE + view.getUint16(26, true) + view.getUint16(28, true);
}

/** Compares the local header with the directory; returns the offset of the data in the span. */
export function checkLocalHeader(entry: ZipEntry, bytes: Uint8Array, spanLength: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const mismatch = (what: string) =>
    zipError(
      "ZIP_HEADER_MISMATCH",
      `the local header's ${what} is not the directory's`,
      `${entry.name}, byte ${entry.offset}`,
    );
  if (view.getUint32(0, true) !== LOCAL) throw mismatch("signature");
  if (view.getUint16(6, true) !== entry.flags) throw mismatch("flag field");
  if (view.getUint16(8, true) !== entry.method) throw mismatch("compression method");
  const nameLength = view.getUint16(26, true);
  const extraLength = view.getUint16(28, true);
  const start = LOCAL_SIZE + nameLength + extraLength;
  if (start + entry.compressedSize > spanLength) throw mismatch("length");
  const name = new TextDecoder().decode(bytes.subarray(LOCAL_SIZE, LOCAL_SIZE + nameLength));
  if (name !== entry.name) throw mismatch("name");
  const crc = view.getUint32(14, true);
  const declared = widen(
    {
      size: view.getUint32(22, true),
      compressedSize: view.getUint32(18, true),
      offset: 0,
      disk: 0,
    },
    bytes.subarray(LOCAL_SIZE + nameLength, start),
    entry.name,
  );
  const deferred = (entry.flags & FLAG_DESCRIPTOR) !== 0;
  const same = (value: number, want: number): boolean => value === want || (deferred && value === 0);
  if (!same(crc, entry.crc)) throw mismatch("checksum");
  if (!same(declared.size, entry.size) || !same(declared.compressedSize, entry.compressedSize))
    throw mismatch("size");
  return start;
}

/** What follows the data is a data descriptor that says the same again, or nothing. */
export function checkDescriptor(entry: ZipEntry, rest: Uint8Array): void {
  if (rest.length === 0) return;
  const hidden = () =>
    zipError("ZIP_HIDDEN_DATA", `${rest.length} bytes follow the entry's data`, entry.name);
  if ((entry.flags & FLAG_DESCRIPTOR) === 0) throw hidden();
  const view = new DataView(rest.buffer, rest.byteOffset, rest.byteLength);
  const signed = rest.length >= 16 && view.getUint32(0, true) === DESCRIPTOR ? 4 : 0;
  const wide = rest.length - signed === 20;
  if (!wide && rest.length - signed !== 12) throw hidden();
  const low = (value: number): number => value % 2 ** 32;
  const high = (value: number): number => Math.floor(value / 2 ** 32);
  const { compressedSize, size } = entry;
  const want = wide
    ? [entry.crc, low(compressedSize), high(compressedSize), low(size), high(size)]
    : [entry.crc, compressedSize, size];
  if (want.some((value, i) => view.getUint32(signed + 4 * i, true) !== value)) {
    throw zipError("ZIP_HEADER_MISMATCH", "the data descriptor is not what the directory says", entry.name);
  }
}
