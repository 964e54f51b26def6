/** @file The records at the end of a zip file, which give the place of its directory. */
import { zipError } from "../errors.js";
import { readUint64, viewOf } from "./bytes.js";

/** Where the central directory lies. */
export interface DirectoryLocation {
  readonly offset: number;
  readonly size: number;
  readonly count: number;
  /** First byte of the end records; the directory must reach exactly to it. */
  readonly end: number;
}

const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
const END_SIZE = 22;
const LOCATOR64_SIZE = 20;
const END64_SIZE = 56;
const LONGEST_COMMENT = 0xffff;
export const CENTRAL_SIZE = 46;

/** Bytes at the end of a file that hold its end records. */
export const TAIL_SIZE = END_SIZE + LONGEST_COMMENT + LOCATOR64_SIZE + END64_SIZE;

/**
 * Finds the end record in the last bytes of a file.
 * @throws SconceError `ZIP_END_MISSING`, `ZIP_END_AMBIGUOUS`, `ZIP_TRAILING_DATA`, `ZIP_SPLIT`,
 * `ZIP_DIRECTORY`
 */
export function locateDirectory(tail: Uint8Array, tailOffset: number): DirectoryLocation {
  const view = viewOf(tail);
  const position = findEnd(view, tailOffset);
  const location = readEnd(view, position, tailOffset);
  const { offset, size, count, end } = location;
  if (offset + size !== end) {
    throw zipError(
      "ZIP_DIRECTORY",
      `the directory (${size} bytes at ${offset}) does not end at ${end}, where it should`,
      `byte ${end}`,
    );
  }
  if (count * CENTRAL_SIZE > size) {
    throw zipError(
      "ZIP_DIRECTORY",
      `${count} entries do not fit into a directory of ${size} bytes`,
      `byte ${offset}`,
    );
  }
  return location;
}

function findEnd(view: DataView, tailOffset: number): number {
  let found = -1;
  let loose = -1;
  const byte = (at: number): string => `byte ${tailOffset + at}`;
  for (let position = view.byteLength - END_SIZE; position >= 0; position--) {
    if (view.getUint8(position) !== 0x50 || view.getUint32(position, true) !== END) continue;
    const end = position + END_SIZE + view.getUint16(position + 20, true);
    if (end < view.byteLength && loose < 0) loose = end;
    if (end !== view.byteLength) continue;
    if (found >= 0)
      throw zipError("ZIP_END_AMBIGUOUS", "the archive comment holds a second end record", byte(found));
    found = position;
  }
  if (found >= 0) return found;
  if (loose >= 0) throw zipError("ZIP_TRAILING_DATA", "bytes follow the end of the archive", byte(loose));
  throw zipError(
    "ZIP_END_MISSING",
    "not a .pt2 file: it has no zip end record (truncated, or another format)",
    byte(view.byteLength),
  );
}

function readEnd(view: DataView, position: number, tailOffset: number): DirectoryLocation {
  const disks = view.getUint16(position + 4, true) | view.getUint16(position + 6, true);
  const count = view.getUint16(position + 10, true);
  const size = view.getUint32(position + 12, true);
  const offset = view.getUint32(position + 16, true);
  const locator = position - LOCATOR64_SIZE;
  if (locator >= 0 && view.getUint32(locator, true) === LOCATOR64) {
    return readEnd64(view, locator, tailOffset, { offset, size, count });
  }
  if (disks !== 0 || view.getUint16(position + 8, true) !== count) throw splitArchive();
  return { offset, size, count, end: tailOffset + position };
}

export const splitArchive = () =>
  zipError("ZIP_SPLIT", "the archive is split over several files", "the directory", "join it first");

function readEnd64(
  view: DataView,
  locator: number,
  tailOffset: number,
  classic: Omit<DirectoryLocation, "end">,
): DirectoryLocation {
  const end = readUint64(view, locator + 8);
  const position = end - tailOffset;
  const where = `byte ${tailOffset + locator}`;
  if (position < 0 || position + END64_SIZE > locator || view.getUint32(position, true) !== END64) {
    throw zipError("ZIP_DIRECTORY", `no zip64 end record at ${end}, where its locator points`, where);
  }
  if (readUint64(view, position + 4) + 12 !== locator - position) {
    throw zipError("ZIP_DIRECTORY", "the zip64 end record does not reach to its locator", where);
  }
  const disks =
    view.getUint32(position + 16, true) |
    view.getUint32(position + 20, true) |
    view.getUint32(locator + 4, true);
  const count = readUint64(view, position + 32);
  const size = readUint64(view, position + 40);
  const offset = readUint64(view, position + 48);
  if (disks !== 0 || view.getUint32(locator + 16, true) !== 1 || readUint64(view, position + 24) !== count) {
    throw splitArchive();
  }
  const agrees = (small: number, limit: number, large: number): boolean => small === limit || small === large;
  if (
    !agrees(classic.count, 0xffff, count) ||
    !agrees(classic.size, 0xffffffff, size) ||
    !agrees(classic.offset, 0xffffffff, offset)
  ) {
    throw zipError("ZIP_DIRECTORY", "the two end records disagree", where);
  }
  return { offset, size, count, end };
}
