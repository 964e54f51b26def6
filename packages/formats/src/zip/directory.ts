/** @file The central directory of a zip file, read strictly: one reading or an error. */
import { zipError } from "../errors.js";
import { readUint64, viewOf } from "./bytes.js";
import { CENTRAL_SIZE, type DirectoryLocation, splitArchive } from "./end-record.js";
import { checkName } from "./entry-name.js";

/** One file of an archive as the central directory declares it. */
export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly flags: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  /** Offset of the local header. */
  readonly offset: number;
}

const CENTRAL = 0x02014b50;

export const FLAG_DESCRIPTOR = 0x0008;
const FLAG_ENCRYPTED = 0x0041;
const FLAG_MASKED = 0x2000;
const FLAG_PATCH = 0x0020;

/**
 * Reads all directory entries.
 * @throws SconceError one code per class: `ZIP_DIRECTORY`, `ZIP_NAME`, `ZIP_DUPLICATE`,
 * `ZIP_ENCRYPTED`, `ZIP_METHOD`, `ZIP_SYMLINK`, `ZIP_SPLIT`
 */
export function readDirectory(bytes: Uint8Array, location: DirectoryLocation): ZipEntry[] {
  const view = viewOf(bytes);
  const entries: ZipEntry[] = [];
  const seen = new Map<string, string>();
  let position = 0;
  for (let i = 0; i < location.count; i++) {
    const where = `directory entry ${i}`;
    if (position + CENTRAL_SIZE > bytes.length || view.getUint32(position, true) !== CENTRAL) {
      throw zipError("ZIP_DIRECTORY", "not a directory entry", where);
    }
    const next =
      position +
      CENTRAL_SIZE +
      view.getUint16(position + 28, true) +
      view.getUint16(position + 30, true) +
      view.getUint16(position + 32, true);
    if (next > bytes.length)
      throw zipError("ZIP_DIRECTORY", "the entry goes past the directory's end", where);
    const entry = readEntry(bytes, view, position, where);
    checkDuplicate(entry.name, seen);
    entries.push(entry);
    position = next;
  }
  if (position !== bytes.length) {
    throw zipError(
      "ZIP_DIRECTORY",
      `${bytes.length - position} unused bytes in the directory`,
      `byte ${location.offset + position}`,
    );
  }
  return entries;
}

function checkDuplicate(name: string, seen: Map<string, string>): void {
  // Names that one file system or another would take for the same count as duplicates too.
  const key = name.normalize("NFC").toLowerCase();
  const other = seen.get(key);
  if (other !== undefined) {
    throw zipError(
      "ZIP_DUPLICATE",
      other === name ? "the archive has this entry twice" : `another entry is "${other}"`,
      name,
    );
  }
  seen.set(key, name);
}

function readEntry(bytes: Uint8Array, view: DataView, position: number, where: string): ZipEntry {
  const flags = view.getUint16(position + 8, true);
  const method = view.getUint16(position + 10, true);
  const nameLength = view.getUint16(position + 28, true);
  const nameStart = position + CENTRAL_SIZE;
  const name = checkName(bytes.subarray(nameStart, nameStart + nameLength), where);
  if (flags & (FLAG_ENCRYPTED | FLAG_MASKED)) {
    throw zipError("ZIP_ENCRYPTED", "the entry is encrypted", name, "store it without a password");
  }
  if (flags & FLAG_PATCH || (method !== 0 && method !== 8)) {
    throw zipError(
      "ZIP_METHOD",
      `compression method ${method} is not supported`,
      name,
      "store or deflate the entry",
    );
  }
  if (isSymlink(view, position)) throw zipError("ZIP_SYMLINK", "the entry is a symbolic link", name);
  const extraStart = nameStart + nameLength;
  const extra = bytes.subarray(extraStart, extraStart + view.getUint16(position + 30, true));
  const crc = view.getUint32(position + 16, true);
  const fields = {
    size: view.getUint32(position + 24, true),
    compressedSize: view.getUint32(position + 20, true),
    offset: view.getUint32(position + 42, true),
    disk: view.getUint16(position + 34, true),
  };
  const { size, compressedSize, offset, disk } = widen(fields, extra, name);
  if (disk !== 0) throw splitArchive();
  if (method === 0 && size !== compressedSize) {
    throw zipError("ZIP_DIRECTORY", `stored, but ${compressedSize} bytes for a size of ${size}`, name);
  }
  return { name, flags, method, crc, size, compressedSize, offset };
}

const UNIX = 3;
const FILE_TYPE = 0xf000;
const SYMLINK = 0xa000;

const isSymlink = (view: DataView, position: number): boolean =>
  view.getUint16(position + 4, true) >>> 8 === UNIX &&
  ((view.getUint32(position + 38, true) >>> 16) & FILE_TYPE) === SYMLINK;

interface WideFields {
  size: number;
  compressedSize: number;
  offset: number;
  disk: number;
}

/**
 * Replaces fields that are all ones by their zip64 values, in the order that the format prescribes.
 */
export function widen(fields: WideFields, extra: Uint8Array, name: string): WideFields {
  const full = 0xffffffff;
  const needs =
    fields.size === full ||
    fields.compressedSize === full ||
    fields.offset === full ||
    fields.disk === 0xffff;
  if (!needs) return fields;
  const view = viewOf(extra);
  const missing = () => zipError("ZIP_DIRECTORY", "the zip64 sizes are missing", name);
  for (let position = 0; position + 4 <= extra.length; ) {
    const length = view.getUint16(position + 2, true);
    const end = position + 4 + length;
    if (end > extra.length) throw missing();
    if (view.getUint16(position, true) === 1) {
      let at = position + 4;
      const take = (value: number): number => {
        if (value !== full) return value;
        if (at + 8 > end) throw missing();
        at += 8;
        return readUint64(view, at - 8);
      };
      const size = take(fields.size);
      const compressedSize = take(fields.compressedSize);
      const offset = take(fields.offset);
      if (fields.disk === 0xffff && at + 4 > end) throw missing();
      return {
        size,
        compressedSize,
        offset,
        disk: fields.disk === 0xffff ? view.getUint32(at, true) : fields.disk,
      };
    }
    position = end;
  }
  throw missing();
}
