/** @file Hand-made zip archives for tests, sound or broken on purpose. */
import { Budget } from "@sconce/errors";
import type { RandomAccess } from "../source.js";
import { ZipArchive, type ZipOptions } from "./archive.js";
import { crc32 } from "./crc32.js";

export interface EntryFixture {
  readonly name: string | Uint8Array;
  readonly data: Uint8Array;
  readonly method?: number;
  readonly flags?: number;
  readonly crc?: number;
  readonly size?: number;
  /** Offset in the directory, when not the true one. */
  readonly offset?: number;
  readonly externalAttributes?: number;
  readonly disk?: number;
  /** Compressed form of `data`. */
  readonly packed?: Uint8Array;
  readonly localName?: string;
  readonly localMethod?: number;
  readonly localFlags?: number;
  readonly localSize?: number;
  readonly localCrc?: number;
  readonly after?: Uint8Array;
}

export interface ZipFixture {
  readonly comment?: Uint8Array;
  readonly count?: number;
  readonly zip64?: boolean;
  /** Changes to the zip64 record: fields by byte position. */
  readonly directoryOffset?: number;
}

const encoder = new TextEncoder();
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let position = 0;
  for (const part of parts) {
    out.set(part, position);
    position += part.length;
  }
  return out;
}

/** Little-endian fields: `[bytes, value]`. */
function fields(...list: readonly (readonly [2 | 4 | 8, number])[]): Uint8Array {
  const out = new DataView(new ArrayBuffer(list.reduce((n, [size]) => n + size, 0)));
  let position = 0;
  for (const [size, value] of list) {
    if (size === 2) out.setUint16(position, value, true);
    else out.setUint32(position, value % 2 ** 32, true);
    if (size === 8) out.setUint32(position + 4, Math.floor(value / 2 ** 32), true);
    position += size;
  }
  return new Uint8Array(out.buffer);
}

/** An entry with everything filled in. */
interface Entry {
  readonly given: EntryFixture;
  readonly name: Uint8Array;
  readonly packed: Uint8Array;
  readonly method: number;
  readonly flags: number;
  readonly crc: number;
  readonly size: number;
}

const completed = (given: EntryFixture): Entry => ({
  given,
  name: typeof given.name === "string" ? utf8(given.name) : given.name,
  packed: given.packed ?? given.data,
  method: given.method ?? 0,
  flags: given.flags ?? 0,
  crc: given.crc ?? crc32(given.data),
  size: given.size ?? given.data.length,
});

/** Returns the local header of an entry with its data. */
function localRecord({ given, name, packed, method, flags, crc, size }: Entry): Uint8Array {
  const localName = given.localName === undefined ? name : utf8(given.localName);
  return concat([
    fields(
      [4, 0x04034b50],
      [2, 20],
      [2, given.localFlags ?? flags],
      [2, given.localMethod ?? method],
      [2, 0],
      [2, 0],
      [4, given.localCrc ?? crc],
      [4, packed.length],
      [4, given.localSize ?? size],
      [2, localName.length],
      [2, 0],
    ),
    localName,
    packed,
    given.after ?? new Uint8Array(0),
  ]);
}

/** Returns the record of an entry in the directory. */
const directoryRecord = (
  { given, name, packed, method, flags, crc, size }: Entry,
  position: number,
): Uint8Array =>
  concat([
    fields(
      [4, 0x02014b50],
      [2, 0x0314],
      [2, 20],
      [2, flags],
      [2, method],
      [2, 0],
      [2, 0],
      [4, crc],
      [4, packed.length],
      [4, size],
      [2, name.length],
      [2, 0],
      [2, 0],
      [2, given.disk ?? 0],
      [2, 0],
      [4, given.externalAttributes ?? 0],
      [4, given.offset ?? position],
    ),
    name,
  ]);

/** Returns the zip64 end record with its locator; `end` is where the record starts. */
const zip64Records = (count: number, size: number, offset: number, end: number): Uint8Array =>
  fields(
    [4, 0x06064b50],
    [8, 44],
    [2, 45],
    [2, 45],
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, size],
    [8, offset],
    [4, 0x07064b50],
    [4, 0],
    [8, end],
    [4, 1],
  );

/** Returns a zip archive of the entries. */
export function makeZip(entries: readonly EntryFixture[], options: ZipFixture = {}): Uint8Array {
  const body: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let position = 0;
  for (const entry of entries.map(completed)) {
    const local = localRecord(entry);
    directory.push(directoryRecord(entry, position));
    body.push(local);
    position += local.length;
  }
  const central = concat(directory);
  const offset = options.directoryOffset ?? position;
  const count = options.count ?? entries.length;
  const comment = options.comment ?? new Uint8Array(0);
  const wide = options.zip64 === true || count > 0xffff;
  const end64 = wide
    ? zip64Records(count, central.length, offset, position + central.length)
    : new Uint8Array(0);
  const end = fields(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, wide ? 0xffff : count],
    [2, wide ? 0xffff : count],
    [4, wide ? 0xffffffff : central.length],
    [4, wide ? 0xffffffff : offset],
    [2, comment.length],
  );
  return concat([...body, central, end64, end, comment]);
}

/** Returns the work that reading so many bytes may take by default. */
export const work = (size: number): ZipOptions => ({ budget: new Budget(size) });

/** Opens an archive with the default budget. */
export const openZip = (source: RandomAccess): Promise<ZipArchive> =>
  ZipArchive.open(source, work(source.size));
