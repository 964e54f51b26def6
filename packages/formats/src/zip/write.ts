/**
 * @file Zip archives as PyTorch writes them: entries are stored, their data begin at multiples of
 * 64 bytes, and sizes follow the data. All bytes come in order, so nothing is written twice.
 */
import { crc32 } from "./crc32.js";
import { SerializationId } from "./serialization-id.js";
import { utf8 } from "./utf8.js";

/** An entry to write. */
export interface ZipContent<Pieces = Iterable<Uint8Array>> {
  /** The name without the folder of the archive. */
  readonly name: string;
  /** The number of bytes of all pieces. */
  readonly size: number;
  /** The content, piece by piece. */
  readonly pieces: Pieces;
}

const NOTHING = new Uint8Array();
const ALIGNMENT = 64;
/** Sizes and offsets from here on need zip64 fields. */
const WIDE = 2 ** 32 - 1;
/** Bit 3: sizes follow the data. Bit 11: names are UTF-8. */
const FLAGS = 0x0808;
/** Nothing follows an entry of no bytes. */
const EMPTY_FLAGS = 0x0800;
const flagsFor = (size: number): number => (size === 0 ? EMPTY_FLAGS : FLAGS);
const SERIALIZATION_ID = ".data/serialization_id";

/** What the directory says of an entry. */
interface Written {
  readonly name: Uint8Array;
  readonly size: number;
  readonly crc: number;
  readonly offset: number;
}

/** An entry while it is written. */
interface Begun extends Written {
  /** The name without the folder of the archive. */
  readonly path: string;
  size: number;
  crc: number;
}

/** Returns an entry of a text. */
export const textEntry = (name: string, text: string): ZipContent => bytesEntry(name, utf8(text));

/** Returns an entry of bytes in memory. */
export const bytesEntry = (name: string, bytes: Uint8Array): ZipContent => ({
  name,
  size: bytes.length,
  pieces: [bytes],
});

/**
 * Yields the bytes of an archive whose entries lie in the folder `root`. The entry of the
 * serialization id is added at the end.
 */
export function* zipPieces(root: string, entries: Iterable<ZipContent>): Generator<Uint8Array, void> {
  const zip = new ZipWriter(root);
  for (const { name, size, pieces } of entries) {
    yield zip.begin(name, size);
    for (const piece of pieces) yield zip.data(piece);
    yield zip.end();
  }
  yield* zip.finish();
}

/** Yields the same for contents that come as they are asked for. */
export async function* zipStream(
  root: string,
  entries: Iterable<ZipContent<AsyncIterable<Uint8Array> | Iterable<Uint8Array>>>,
): AsyncGenerator<Uint8Array, void> {
  const zip = new ZipWriter(root);
  for (const { name, size, pieces } of entries) {
    yield zip.begin(name, size);
    for await (const piece of pieces) yield zip.data(piece);
    yield zip.end();
  }
  yield* zip.finish();
}

/** Makes what stands around the contents, and counts where it stands. */
class ZipWriter {
  readonly #root: string;
  readonly #written: Written[] = [];
  readonly #id = new SerializationId();
  #position = 0;
  /** The entry that is being written. */
  #entry: Begun = { path: "", name: NOTHING, offset: 0, size: 0, crc: 0 };

  constructor(root: string) {
    this.#root = root;
  }

  /** Begins an entry. Returns its header. */
  begin(name: string, size: number): Uint8Array {
    const full = utf8(`${this.#root}/${name}`);
    this.#entry = { path: name, name: full, offset: this.#position, size: 0, crc: 0 };
    return this.#counted(localHeader(full, size, this.#position));
  }

  /** Counts a piece of the content, and returns it. */
  data(piece: Uint8Array): Uint8Array {
    this.#entry.crc = crc32(piece, this.#entry.crc);
    this.#entry.size += piece.length;
    return this.#counted(piece);
  }

  /** Ends the entry. Returns what follows the content. */
  end(): Uint8Array {
    const { path, offset, size, crc } = this.#entry;
    this.#id.add(path, size, crc);
    this.#written.push(this.#entry);
    return this.#counted(size === 0 ? NOTHING : descriptor(crc, size, isWide(size, offset)));
  }

  /** Yields the last entry, the directory and the end records. */
  *finish(): Generator<Uint8Array, void> {
    const { name, size, pieces } = textEntry(SERIALIZATION_ID, this.#id.text());
    yield this.begin(name, size);
    for (const piece of pieces) yield this.data(piece);
    yield this.end();
    const directory = this.#written.map(directoryEntry);
    yield* directory;
    const bytes = directory.reduce((sum, { length }) => sum + length, 0);
    yield endRecords(this.#written.length, bytes, this.#position);
  }

  #counted(bytes: Uint8Array): Uint8Array {
    this.#position += bytes.length;
    return bytes;
  }
}

/** One buffer of all pieces. */
export function joinPieces(pieces: Iterable<Uint8Array>): Uint8Array {
  const all = [...pieces];
  const joined = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of all) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

const isWide = (size: number, offset: number): boolean => size >= WIDE || offset >= WIDE;

/** Little-endian fields, one behind the other. */
class Fields {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(length: number) {
    this.bytes = new Uint8Array(length);
    this.#view = new DataView(this.bytes.buffer);
  }

  u16(...values: readonly number[]): this {
    for (const value of values) {
      this.#view.setUint16(this.#at, value, true);
      this.#at += 2;
    }
    return this;
  }

  u32(...values: readonly number[]): this {
    for (const value of values) {
      this.#view.setUint32(this.#at, value, true);
      this.#at += 4;
    }
    return this;
  }

  u64(...values: readonly number[]): this {
    for (const value of values) this.u32(value % 2 ** 32, Math.floor(value / 2 ** 32));
    return this;
  }

  put(bytes: Uint8Array): this {
    this.bytes.set(bytes, this.#at);
    this.#at += bytes.length;
    return this;
  }
}

/** Sizes and offset in 64 bits, where one of them needs it; nothing otherwise. */
function wideField(size: number, compressedSize: number, offset: number): Uint8Array {
  const values = [...(size >= WIDE ? [size, compressedSize] : []), ...(offset >= WIDE ? [offset] : [])];
  if (values.length === 0) return new Uint8Array();
  return new Fields(4 + 8 * values.length).u16(1, 8 * values.length).u64(...values).bytes;
}

/**
 * Returns the header in front of the data, with a field `FB` that is as long as the alignment
 * needs.
 */
function localHeader(name: Uint8Array, size: number, offset: number): Uint8Array {
  // PyTorch writes this before it knows the compressed size.
  const wide = wideField(size, 0, offset);
  const unpadded = 30 + name.length + wide.length + 4;
  const padding = (ALIGNMENT - ((offset + unpadded) % ALIGNMENT)) % ALIGNMENT;
  const fields = new Fields(unpadded + padding)
    .u32(0x04034b50)
    .u16(0, flagsFor(size), 0, 0, 0)
    .u32(0, 0, 0)
    .u16(name.length, wide.length + 4 + padding)
    .put(name)
    .put(wide)
    .u16(0x4246, padding);
  fields.bytes.fill(0x5a, unpadded);
  return fields.bytes;
}

/** Checksum and sizes, behind the data. */
function descriptor(crc: number, size: number, wide: boolean): Uint8Array {
  const fields = new Fields(wide ? 24 : 16).u32(0x08074b50, crc);
  return (wide ? fields.u64(size, size) : fields.u32(size, size)).bytes;
}

const narrow = (value: number): number => Math.min(value, WIDE);

function directoryEntry({ name, size, crc, offset }: Written): Uint8Array {
  const wide = wideField(size, size, offset);
  return new Fields(46 + name.length + wide.length)
    .u32(0x02014b50)
    .u16(0, 0, flagsFor(size), 0, 0, 0)
    .u32(crc, narrow(size), narrow(size))
    .u16(name.length, wide.length, 0, 0, 0)
    .u32(0, narrow(offset))
    .put(name)
    .put(wide).bytes;
}

/**
 * Returns the zip64 end record, what points to it, and the end record; PyTorch always writes all
 * three.
 */
function endRecords(count: number, size: number, offset: number): Uint8Array {
  const few = Math.min(count, 0xffff);
  return new Fields(56 + 20 + 22)
    .u32(0x06064b50)
    .u64(44)
    .u16(0x031e, 45)
    .u32(0, 0)
    .u64(count, count, size, offset)
    .u32(0x07064b50, 0)
    .u64(offset + size)
    .u32(1)
    .u32(0x06054b50)
    .u16(0, 0, few, few)
    .u32(narrow(size), narrow(offset))
    .u16(0).bytes;
}
