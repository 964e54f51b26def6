import * as zlib from "node:zlib";
import { Budget, isSconceError, type Limits } from "@sconce/errors";
import { deflateSync, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { MemorySource, type RandomAccess } from "../source.js";
import { ZipArchive } from "./archive.js";
import { crc32 } from "./crc32.js";
import { TAIL_SIZE } from "./end-record.js";
import { inflate } from "./inflate.js";
import { concat, type EntryFixture, makeZip, openZip, utf8, work, type ZipFixture } from "./zip.fixture.js";

const data = Uint8Array.from({ length: 100 }, (_, i) => i);
const pieces = (bytes: Uint8Array): RandomAccess => ({
  size: bytes.length,
  read: (offset, length) => Promise.resolve(bytes.slice(offset, offset + length)),
});
const readAll = async (bytes: Uint8Array): Promise<void> => {
  const zip = await openZip(new MemorySource(bytes));
  for (const name of zip.names()) await zip.read(name);
};
const code = (wanted: string) => expect.toSatisfy((error: unknown) => isSconceError(error, wanted));

describe("crc32", () => {
  test("equals the reference for all lengths and alignments, whole and in parts", () => {
    const bytes = Uint8Array.from({ length: 20_000 }, (_, i) => (i * 37) ^ (i >> 3));
    const reference = (part: Uint8Array): number =>
      (zlib as unknown as { crc32(b: Uint8Array): number }).crc32(part);
    for (let start = 0; start < 8; start++) {
      for (let end = start; end < 120; end++) {
        const part = bytes.subarray(start, end);
        expect(crc32(part)).toBe(reference(part));
        const middle = (end - start) >> 1;
        expect(crc32(part.subarray(middle), crc32(part.subarray(0, middle)))).toBe(reference(part));
      }
      for (let end = 19_950; end < 20_000; end++) {
        const part = bytes.subarray(start, end);
        expect(crc32(part)).toBe(reference(part));
        expect(crc32(part.subarray(7001), crc32(part.subarray(0, 7001)))).toBe(reference(part));
      }
    }
  });
});

describe("sound archives", () => {
  test("stored entries are views of the source", async () => {
    const bytes = makeZip([
      { name: "a/x", data },
      { name: "a/y", data: utf8("hi") },
    ]);
    const zip = await openZip(new MemorySource(bytes));
    expect([...zip.names()]).toEqual(["a/x", "a/y"]);
    const content = await zip.read("a/x");
    expect(content).toEqual(data);
    expect(content.buffer).toBe(bytes.buffer);
  });

  test.each([{ zip64: true }, { comment: utf8("made by hand") }, {}])(
    "opens with %o, also in pieces",
    async (options: ZipFixture) => {
      const bytes = makeZip(
        [
          { name: "a/x", data },
          { name: "folder/", data: new Uint8Array(0) },
        ],
        options,
      );
      const zip = await openZip(pieces(bytes));
      expect([...zip.names()]).toEqual(["a/x"]);
      expect(await zip.read("a/x")).toEqual(data);
      await zip.check("a/x");
    },
  );

  test("large entries of a source in pieces are fetched by themselves", async () => {
    const large = Uint8Array.from({ length: 100_000 }, (_, i) => i * 7);
    const bytes = makeZip([
      { name: "a/x", data },
      { name: "a/large", data: large },
      { name: "a/z", data },
    ]);
    const zip = await openZip(pieces(bytes));
    const content = await zip.read("a/large");
    expect(content).toEqual(large);
    expect(content.byteOffset).toBe(0);
  });

  test("deflated entries are unpacked", async () => {
    await readAll(zipSync({ "a/x": data, "a/zeros": new Uint8Array(100_000) }, { level: 9 }));
    const zip = ZipArchive.openSync(zipSync({ "a/x": data }), inflate, work(data.length));
    expect(zip.readSync("a/x")).toEqual(data);
  });
});

const one = (change: Partial<EntryFixture>, options?: ZipFixture): Uint8Array =>
  makeZip(
    [
      { name: "a/x", data, ...change },
      { name: "a/y", data: utf8("hi") },
    ],
    options,
  );
const named = (name: string | Uint8Array): Uint8Array => one({ name });
const zeros = new Uint8Array(50_000);

const BROKEN: readonly (readonly [string, string, Uint8Array])[] = [
  ["empty", "ZIP_END_MISSING", new Uint8Array(0)],
  ["not a zip", "ZIP_END_MISSING", new Uint8Array(1000)],
  ["bytes after the end", "ZIP_TRAILING_DATA", concat([one({}), utf8("<html>")])],
  ["another archive after the end", "ZIP_DIRECTORY", concat([one({}), one({})])],
  ["bytes before the start", "ZIP_DIRECTORY", concat([utf8("#!/bin/sh\n"), one({})])],
  ["a second end record in the comment", "ZIP_END_AMBIGUOUS", one({}, { comment: one({}, {}).slice(-22) })],
  ["a directory offset past the file", "ZIP_DIRECTORY", one({}, { directoryOffset: 0xfffffff0 })],
  [
    "a zip64 directory offset past the file",
    "ZIP_DIRECTORY",
    one({}, { zip64: true, directoryOffset: 2 ** 50 }),
  ],
  ["too many entries", "ZIP_DIRECTORY", one({}, { count: 60_000 })],
  ["10^12 entries", "ZIP_DIRECTORY", one({}, { count: 1e12, zip64: true })],
  ["too few entries", "ZIP_DIRECTORY", one({}, { count: 1 })],
  ["a duplicate", "ZIP_DUPLICATE", named("a/y")],
  ["a name that differs by case", "ZIP_DUPLICATE", named("A/Y")],
  [
    "a name that differs by normal form",
    "ZIP_DUPLICATE",
    makeZip([
      { name: "é", data },
      { name: "e\u0301", data },
    ]),
  ],
  ["..", "ZIP_NAME", named("a/../../x")],
  ["an absolute name", "ZIP_NAME", named("/etc/x")],
  ["a drive", "ZIP_NAME", named("C:x")],
  ["a backslash", "ZIP_NAME", named("a\\x")],
  ["a NUL", "ZIP_NAME", named("a/x\0.json")],
  ["an empty name", "ZIP_NAME", named("")],
  ["an empty part", "ZIP_NAME", named("a//x")],
  ["a name that is not UTF-8", "ZIP_NAME", named(Uint8Array.of(0x61, 0x2f, 0xff))],
  ["a symbolic link", "ZIP_SYMLINK", one({ externalAttributes: 0xa1ff0000 })],
  ["encryption", "ZIP_ENCRYPTED", one({ flags: 1 })],
  ["an unknown method", "ZIP_METHOD", one({ method: 93 })],
  ["another name in the local header", "ZIP_HEADER_MISMATCH", one({ localName: "a/z" })],
  ["another method in the local header", "ZIP_HEADER_MISMATCH", one({ localMethod: 8 })],
  ["other flags in the local header", "ZIP_HEADER_MISMATCH", one({ localFlags: 2048 })],
  ["another size in the local header", "ZIP_HEADER_MISMATCH", one({ localSize: 99 })],
  ["another checksum in the local header", "ZIP_HEADER_MISMATCH", one({ localCrc: 1 })],
  ["a wrong checksum", "ZIP_CRC", one({ crc: 1 })],
  ["stored with two sizes", "ZIP_DIRECTORY", one({ size: 4_000_000_000 })],
  [
    "overlapping entries",
    "ZIP_OVERLAP",
    makeZip([
      { name: "a/x", data },
      { name: "a/y", data, offset: 0 },
    ]),
  ],
  ["bytes between entries", "ZIP_HIDDEN_DATA", one({ after: new Uint8Array(50) })],
  [
    "a wrong descriptor",
    "ZIP_HEADER_MISMATCH",
    one({ flags: 8, after: concat([utf8("PK\x07\x08"), new Uint8Array(12)]) }),
  ],
  ["split archives", "ZIP_SPLIT", one({ disk: 3 })],
  [
    "a size that cannot be",
    "ZIP_BOMB",
    one({ method: 8, packed: deflateSync(zeros), data: zeros, size: 4_000_000_000 }),
  ],
  [
    "more than declared",
    "ZIP_DEFLATE",
    one({ method: 8, packed: deflateSync(zeros), data: zeros, size: 40_000 }),
  ],
  [
    "less than declared",
    "ZIP_DEFLATE",
    one({ method: 8, packed: deflateSync(zeros), data: zeros, size: 50_001 }),
  ],
  [
    "damaged compressed data",
    "ZIP_DEFLATE",
    one({ method: 8, packed: new Uint8Array(40).fill(0xff), data, size: 100 }),
  ],
  [
    "compressed data without a byte",
    "ZIP_DEFLATE",
    one({ method: 8, packed: new Uint8Array(0), data: new Uint8Array(0) }),
  ],
];

describe("broken archives", () => {
  test.each(BROKEN)("%s", async (_, wanted, bytes) => {
    await expect(readAll(bytes)).rejects.toThrow(code(wanted));
  });

  test("a bomb goes over the budget", async () => {
    const large = new Uint8Array(30 * 2 ** 20);
    const zip = zipSync({ "a/1": large, "a/2": large, "a/3": large }, { level: 1 });
    await expect(readAll(zip)).rejects.toThrow(code("ZIP_BOMB"));
  });

  test("too many entries are refused by the end record: no entry is read", async () => {
    const count = 100_001;
    // One record that is as long as that many would be.
    const bytes = makeZip([{ name: new Uint8Array(46 * count), data }], { count, zip64: true });
    const reads: number[] = [];
    const source: RandomAccess = {
      size: bytes.length,
      read: (offset, length) => {
        reads.push(length);
        return Promise.resolve(bytes.subarray(offset, offset + length));
      },
    };
    const open = (limits: Limits) =>
      ZipArchive.open(source, { budget: new Budget(bytes.length, { nodes: 1e9, ...limits }) });
    await expect(open({})).rejects.toMatchObject({
      code: "BUDGET_EXCEEDED",
      message: expect.stringContaining("more than 100000 entries"),
      where: "the directory of the archive",
      fix: expect.stringContaining("raise `limits.entries`"),
    });
    expect(reads).toEqual([TAIL_SIZE]);
    await expect(open({ entries: count })).rejects.toMatchObject({ code: "ZIP_NAME" });
  });

  test("truncation at every byte", async () => {
    const bytes = one({}, { zip64: true });
    for (let length = 0; length < bytes.length; length++) {
      await expect(readAll(bytes.subarray(0, length))).rejects.toThrow(
        expect.toSatisfy((e: unknown) => isSconceError(e)),
      );
    }
  });

  test("a source that changes while it is read", async () => {
    const bytes = one({});
    const shrinking: RandomAccess = {
      size: bytes.length + 10,
      read: (o, n) => Promise.resolve(bytes.slice(o, o + n)),
    };
    await expect(openZip(shrinking)).rejects.toThrow(code("SOURCE_CHANGED"));
  });
});
