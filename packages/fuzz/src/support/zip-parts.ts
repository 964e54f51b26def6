/** @file Zip archives as parts that can be changed one by one, sound or not. */
import { crc32 } from "node:zlib";
import { deflateSync, unzipSync } from "fflate";

/** A field of a record: its name and its bytes. */
type Layout = readonly (readonly [name: string, bytes: 2 | 4 | 8])[];

/** The fields of a local header, in order. */
export const LOCAL_FIELDS = [
  ["signature", 4],
  ["version", 2],
  ["flags", 2],
  ["method", 2],
  ["time", 2],
  ["date", 2],
  ["crc", 4],
  ["compressedSize", 4],
  ["size", 4],
  ["nameLength", 2],
  ["extraLength", 2],
] as const satisfies Layout;

/** The fields of a record of the directory, in order. */
export const CENTRAL_FIELDS = [
  ["signature", 4],
  ["madeBy", 2],
  ["version", 2],
  ["flags", 2],
  ["method", 2],
  ["time", 2],
  ["date", 2],
  ["crc", 4],
  ["compressedSize", 4],
  ["size", 4],
  ["nameLength", 2],
  ["extraLength", 2],
  ["commentLength", 2],
  ["disk", 2],
  ["internal", 2],
  ["external", 4],
  ["offset", 4],
] as const satisfies Layout;

/** The fields of the end record, in order. */
export const END_FIELDS = [
  ["signature", 4],
  ["disk", 2],
  ["directoryDisk", 2],
  ["countHere", 2],
  ["count", 2],
  ["directorySize", 4],
  ["directoryOffset", 4],
  ["commentLength", 2],
] as const satisfies Layout;

type Fields<L extends Layout> = { -readonly [K in L[number][0]]?: number };

/** One entry. Fields that are given replace the right ones. */
export interface ZipPart {
  name: Uint8Array;
  data: Uint8Array;
  /** Compresses the data. */
  deflated?: boolean;
  local?: Fields<typeof LOCAL_FIELDS>;
  central?: Fields<typeof CENTRAL_FIELDS>;
  localName?: Uint8Array;
  /** Data in place of the packed ones. */
  packed?: Uint8Array;
  localExtra?: Uint8Array;
  centralExtra?: Uint8Array;
  /** Bytes behind the data, such as a data descriptor. */
  after?: Uint8Array;
  /** Whether the directory does not have the entry. */
  unlisted?: boolean;
}

/** A whole archive. */
export interface ZipParts {
  readonly entries: ZipPart[];
  before?: Uint8Array;
  end?: Fields<typeof END_FIELDS>;
  comment?: Uint8Array;
  after?: Uint8Array;
}

/** Where a byte of an archive lies: the record, and its field. */
export interface ZipPlace {
  readonly record: "local" | "central" | "end" | "data";
  readonly field: string;
  readonly entry: string;
  readonly start: number;
  readonly end: number;
}

const NONE = new Uint8Array(0);
const SIGNATURES = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50 };

/** Returns the parts of a sound archive. */
export const partsOf = (bytes: Uint8Array): ZipParts => ({
  entries: Object.entries(unzipSync(bytes)).map(([name, data]) => ({ name: Buffer.from(name), data })),
});

function record(layout: Layout, values: Readonly<Record<string, number | undefined>>): Uint8Array {
  const view = new DataView(new ArrayBuffer(layout.reduce((sum, [, size]) => sum + size, 0)));
  let at = 0;
  for (const [name, size] of layout) {
    const value = values[name] ?? 0;
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return new Uint8Array(view.buffer);
}

/** Collects bytes, and where each of them belongs. */
class Writer {
  readonly #parts: Uint8Array[] = [];
  readonly places: ZipPlace[] = [];
  length = 0;

  add(bytes: Uint8Array, place: ZipPlace["record"], field: string, entry = ""): void {
    if (bytes.length > 0)
      this.places.push({ record: place, field, entry, start: this.length, end: this.length + bytes.length });
    this.#parts.push(bytes);
    this.length += bytes.length;
  }

  record(
    layout: Layout,
    values: Readonly<Record<string, number | undefined>>,
    place: "local" | "central" | "end",
    entry = "",
  ): void {
    for (const row of layout) this.add(record([row], values), place, row[0], entry);
  }

  bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#parts));
  }
}

const checksum = (bytes: Uint8Array): number => crc32(bytes);

/** Returns the archive of the parts, and the places of its bytes. */
export function zipWithPlaces(parts: ZipParts): { bytes: Uint8Array; places: readonly ZipPlace[] } {
  const writer = new Writer();
  writer.add(parts.before ?? NONE, "data", "before");
  const directory: (() => void)[] = [];
  for (const part of parts.entries) directory.push(writeEntry(writer, part));
  const start = writer.length;
  for (const write of directory) write();
  const count = parts.entries.filter(({ unlisted }) => unlisted !== true).length;
  const comment = parts.comment ?? NONE;
  const right = {
    signature: SIGNATURES.end,
    countHere: count,
    count,
    directorySize: writer.length - start,
    directoryOffset: start,
    commentLength: comment.length,
  };
  writer.record(END_FIELDS, { ...right, ...parts.end }, "end");
  writer.add(comment, "end", "comment");
  writer.add(parts.after ?? NONE, "end", "after");
  return { bytes: writer.bytes(), places: writer.places };
}

/** Writes a local header with its data; returns what writes the record of the directory. */
function writeEntry(writer: Writer, part: ZipPart): () => void {
  const { name, data } = part;
  const text = Buffer.from(name).toString();
  const packed = part.packed ?? (part.deflated === true ? deflateSync(data) : data);
  const common = {
    version: 20,
    method: part.deflated === true ? 8 : 0,
    crc: checksum(data),
    compressedSize: packed.length,
    size: data.length,
  };
  const offset = writer.length;
  const localName = part.localName ?? name;
  const localExtra = part.localExtra ?? NONE;
  const lengths = { nameLength: localName.length, extraLength: localExtra.length };
  const local = { signature: SIGNATURES.local, ...common, ...lengths, ...part.local };
  writer.record(LOCAL_FIELDS, local, "local", text);
  writer.add(localName, "local", "name", text);
  writer.add(localExtra, "local", "extra", text);
  writer.add(packed, "data", "data", text);
  writer.add(part.after ?? NONE, "data", "after", text);
  return () => {
    if (part.unlisted === true) return;
    const extra = part.centralExtra ?? NONE;
    const own = { signature: SIGNATURES.central, madeBy: 20, nameLength: name.length, offset };
    const central = { ...own, ...common, extraLength: extra.length, ...part.central };
    writer.record(CENTRAL_FIELDS, central, "central", text);
    writer.add(name, "central", "name", text);
    writer.add(extra, "central", "extra", text);
  };
}

/** Returns the archive of the parts. */
export const zipOf = (parts: ZipParts): Uint8Array => zipWithPlaces(parts).bytes;

/** Returns the extra field with 64-bit sizes. */
export function wideExtra(...values: readonly (number | bigint)[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 + 8 * values.length));
  view.setUint16(0, 1, true);
  view.setUint16(2, 8 * values.length, true);
  for (const [i, value] of values.entries()) view.setBigUint64(4 + 8 * i, BigInt(value), true);
  return new Uint8Array(view.buffer);
}

/** Returns a data descriptor, with its signature. */
export const descriptor = (crc: number, compressedSize: number, size: number): Uint8Array =>
  record(
    [
      ["signature", 4],
      ["crc", 4],
      ["compressedSize", 4],
      ["size", 4],
    ],
    { signature: 0x08074b50, crc, compressedSize, size },
  );
