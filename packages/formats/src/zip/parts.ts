/**
 * @file Parts of the entries of an archive, for those that do not want all of an entry in memory.
 */
import { MemorySource } from "../source.js";
import { compareCrc, type ZipArchive } from "./archive.js";
import { crc32 } from "./crc32.js";

/**
 * Yields an entry's content in pieces, in order. The last piece comes when the checksum of all has
 * been compared. An entry that is compressed is unpacked first.
 * @throws SconceError as `ZipArchive.read`
 */
export async function* entryPieces(
  zip: ZipArchive,
  name: string,
  size: number,
): AsyncGenerator<Uint8Array, void> {
  const entry = zip.entry(name)!;
  if (entry.method !== 0 || zip.source instanceof MemorySource) {
    const content = await zip.read(name);
    for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
    return;
  }
  const start = await zip.locate(name);
  let crc = 0;
  for (let at = 0; at < entry.size; at += size) {
    const piece = await zip.bytes(start + at, Math.min(size, entry.size - at));
    crc = crc32(piece, crc);
    if (at + size >= entry.size) compareCrc(entry, crc);
    yield piece;
  }
}

/** Where the data of entries begin, so that later reads do not look for them again. */
const starts = new WeakMap<object, number>();

/**
 * Some bytes of an entry's content. The checksum covers the whole entry, so that of a stored one is
 * not compared; a compressed one is unpacked and checked as a whole.
 * @throws SconceError as `ZipArchive.read`
 */
export async function entryRange(
  zip: ZipArchive,
  name: string,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  const entry = zip.entry(name)!;
  if (entry.method !== 0) return (await zip.read(name)).slice(offset, offset + length);
  // Not a shared promise: the signal of one caller would stop the others.
  const start = starts.get(entry) ?? (await zip.locate(name));
  starts.set(entry, start);
  return zip.bytes(start + offset, length);
}
