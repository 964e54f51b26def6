/** @file Mutations of the records of zip archives. */
import { crc32 } from "node:zlib";
import type { Random } from "../support/random.js";
import {
  CENTRAL_FIELDS,
  descriptor,
  END_FIELDS,
  LOCAL_FIELDS,
  partsOf,
  wideExtra,
  type ZipPart,
  type ZipParts,
  zipOf,
} from "../support/zip-parts.js";

const NUMBERS = [0, 1, 2, 8, 20, 30, 45, 46, 100, 0x800, 0x7fff, 0xfffe, 0xffff, 2 ** 31, 2 ** 32 - 1];
const NAMES = ["", "/", "a", "../a", "m/../../a", "C:a", "m\\a", "m/\0", "m/__proto__", "m/constructor/"];
const BLANK = new Uint8Array(0);

const anyBytes = (random: Random, most: number): Uint8Array =>
  Uint8Array.from(random.list(most, () => random.below(256)));

const number = (random: Random, size: number): number =>
  random.once(3) ? random.below(size + 64) : random.pick(NUMBERS);

/** One change of one entry. */
function changeEntry(part: ZipPart, parts: ZipParts, size: number, random: Random): void {
  const anyName = (): Uint8Array =>
    random.once(2) ? random.pick(parts.entries).name : Buffer.from(random.pick(NAMES));
  const changes: readonly (() => void)[] = [
    () => (part.local = { ...part.local, [random.pick(LOCAL_FIELDS)[0]]: number(random, size) }),
    () => (part.central = { ...part.central, [random.pick(CENTRAL_FIELDS)[0]]: number(random, size) }),
    () => {
      const [field] = random.pick(LOCAL_FIELDS.slice(1, 9));
      const value = number(random, size);
      part.local = { ...part.local, [field]: value };
      part.central = { ...part.central, [field]: value };
    },
    () => (part.name = anyName()),
    () => (part.localName = anyName()),
    () => (part.deflated = true),
    () => (part.packed = anyBytes(random, 40)),
    () => (part.localExtra = anyBytes(random, 12)),
    () => (part.centralExtra = anyBytes(random, 12)),
    () => (part.unlisted = true),
    () => (part.after = anyBytes(random, 24)),
    () => describe(part, random),
    () => widen(part, size, random),
    () => (part.data = random.once(2) ? BLANK : random.pick(parts.entries).data),
  ];
  random.pick(changes)();
}

/** Moves the sizes behind the data. */
function describe(part: ZipPart, random: Random): void {
  const flags = { flags: 8 };
  part.local = { ...part.local, ...flags, ...(random.once(2) ? { crc: 0, size: 0, compressedSize: 0 } : {}) };
  part.central = { ...part.central, ...flags };
  const { data } = part;
  part.after = descriptor(random.once(6) ? random.below(2 ** 31) : crc32(data), data.length, data.length);
}

/** Moves the sizes to the extra fields with 64 bits. */
function widen(part: ZipPart, size: number, random: Random): void {
  const full = { size: 2 ** 32 - 1, compressedSize: 2 ** 32 - 1 };
  const value = (): number | bigint =>
    random.once(4) ? random.pick([0, 2 ** 53, 2n ** 63n, 2n ** 64n - 1n, size]) : part.data.length;
  const extra = wideExtra(value(), value());
  part.local = { ...part.local, ...full };
  part.central = { ...part.central, ...full };
  part.localExtra = extra;
  part.centralExtra = random.once(4) ? extra.subarray(0, random.below(extra.length)) : extra;
}

/** Changes one or two records of an archive, its entries or what lies around them. */
export function mutateZip(bytes: Uint8Array, random: Random): Uint8Array {
  const parts = partsOf(bytes);
  const { entries } = parts;
  for (let i = random.below(2); i >= 0; i--) {
    const at = random.below(entries.length);
    const choice = random.below(16);
    if (choice === 0) entries.splice(at, 1);
    else if (choice === 1) entries.splice(at, 0, { ...random.pick(entries) });
    else if (choice === 2) entries.reverse();
    else if (choice === 3) parts.comment = anyBytes(random, 30);
    else if (choice === 4) parts.after = anyBytes(random, 30);
    else if (choice === 5) parts.before = anyBytes(random, 30);
    else if (choice === 6)
      parts.end = { ...parts.end, [random.pick(END_FIELDS)[0]]: number(random, bytes.length) };
    else if (choice === 7) for (const part of entries) part.deflated = true;
    else changeEntry(entries[at]!, parts, bytes.length, random);
    if (entries.length === 0) break;
  }
  return zipOf(parts);
}
