/** @file The classes B-01 to B-16 of hostile input: archives and their JSON. */
import { deflateSync } from "fflate";
import { concat, type EntryFixture, makeZip, utf8, type ZipFixture } from "../zip/zip.fixture.js";
import { json, records, text } from "./hostile.fixture.js";
import { loose, makePt2, makeRecords, withModel } from "./pt2.fixture.js";

/**
 * The class, what is wrong, the code that it is refused with (`read` for a sound file), the file.
 */
export type ClassCase = readonly [id: string, what: string, code: string, bytes: () => Uint8Array];

const BOMB = new Uint8Array(50e6);

/** Returns a sound archive with a change to the entry of the format, and options of the whole. */
const zip = (change: Partial<EntryFixture> = {}, options: ZipFixture = {}): Uint8Array =>
  makeZip(
    [...makeRecords()].map(([name, data]): EntryFixture => {
      const entry = { name: `m/${name}`, data };
      return name === "archive_format" ? { ...entry, ...change } : entry;
    }),
    options,
  );
const extra = (
  name: string | Uint8Array,
  data: Uint8Array = new Uint8Array(1),
  change: Partial<EntryFixture> = {},
): Uint8Array =>
  makeZip([
    ...[...makeRecords()].map(([key, value]) => ({ name: `m/${key}`, data: value })),
    { name, data, ...change },
  ]);
const zeros = new Uint8Array(4 * 2 ** 20);
const marks = ["\u0345", "\u0301", "\u0316", "\u0327", "\u0334"].map((mark) => mark.repeat(6000)).join("");
let packed: Uint8Array | undefined;
/** Returns a small entry that unpacks to 50 MB, which nothing reads. */
function bomb(change: Partial<EntryFixture>): Uint8Array {
  packed ??= deflateSync(BOMB, { level: 1 });
  return extra("m/extra/bomb", BOMB, { packed, method: 8, ...change });
}
const flipped = (at: number): Uint8Array => {
  const bytes = makePt2();
  const start = bytes.findIndex((_, i) => text.startsWith(String.fromCharCode(...bytes.subarray(i, i + 40))));
  bytes[start + at]! ^= 4;
  return bytes;
};
/** Returns a program whose last number has this text. */
const number = (value: string): Uint8Array => json(text.replace('{"as_float":1}', `{"as_float":${value}}`));
const deep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const manyKeys = (count: number): string => Array.from({ length: count }, (_, i) => `"k${i}":1`).join();
const utf16 = (source: string): Uint8Array =>
  new Uint8Array(Uint16Array.from(source, (c) => c.charCodeAt(0)).buffer);
const withJson = (bytes: Uint8Array): Uint8Array => records((all) => all.set("models/model.json", bytes));

export const ARCHIVE_CLASSES: readonly ClassCase[] = [
  ["B-01", "an empty file", "OTHER_FORMAT", () => new Uint8Array(0)],
  ["B-01", "half of a file", "ZIP_END_MISSING", () => makePt2().subarray(0, 900)],
  ["B-02", "no directory", "ZIP_END_MISSING", () => makePt2().subarray(0, -60)],
  ["B-02", "a directory where none is", "ZIP_DIRECTORY", () => zip({}, { directoryOffset: 7 })],
  [
    "B-02",
    "a second end record in the comment",
    "ZIP_END_AMBIGUOUS",
    () => zip({}, { comment: zip().slice(-22) }),
  ],
  [
    "B-03",
    "another name in the local header",
    "ZIP_HEADER_MISMATCH",
    () => zip({ localName: "m/archive_formats" }),
  ],
  ["B-03", "another size in the local header", "ZIP_HEADER_MISMATCH", () => zip({ localSize: 9 })],
  ["B-03", "another method in the local header", "ZIP_HEADER_MISMATCH", () => zip({ localMethod: 8 })],
  ["B-03", "other flags in the local header", "ZIP_HEADER_MISMATCH", () => zip({ localFlags: 2048 })],
  ["B-04", "an entry twice", "ZIP_DUPLICATE", () => extra("m/models/model.json")],
  ["B-04", "names that differ by case", "ZIP_DUPLICATE", () => extra("m/Models/model.json")],
  ["B-05", "a name that climbs", "ZIP_NAME", () => extra("m/../../x")],
  ["B-05", "an absolute name", "ZIP_NAME", () => extra("/etc/x")],
  ["B-05", "a drive", "ZIP_NAME", () => extra("C:x")],
  ["B-05", "a backslash", "ZIP_NAME", () => extra("m\\x")],
  ["B-05", "a NUL", "ZIP_NAME", () => extra("m/x\0y")],
  ["B-05", "a symbolic link", "ZIP_SYMLINK", () => zip({ externalAttributes: 0xa1ff0000 })],
  ["B-06", "two roots", "PT2_ROOT", () => extra("n/x")],
  ["B-06", "no root", "PT2_ROOT", () => makePt2(makeRecords(), "")],
  ["B-06", "a root too many", "PT2_FORMAT", () => makePt2(makeRecords(), "a/b/")],
  ["B-07", "a flipped bit", "ZIP_CRC", () => flipped(100)],
  ["B-07", "a wrong checksum", "ZIP_CRC", () => zip({ crc: 1 })],
  ["B-08", "two sizes", "ZIP_DIRECTORY", () => zip({ size: 4_000_000_000 })],
  [
    "B-08",
    "a zip64 record that lies",
    "ZIP_DIRECTORY",
    () => zip({}, { zip64: true, directoryOffset: 2 ** 50 }),
  ],
  ["B-08", "overlapping entries", "ZIP_OVERLAP", () => extra("m/x", new Uint8Array(9), { offset: 0 })],
  [
    "B-09",
    "a ratio that cannot be",
    "ZIP_BOMB",
    () => zip({ method: 8, packed: deflateSync(new Uint8Array(99)), size: 2 ** 31 }),
  ],
  [
    "B-09",
    "JSON of nothing",
    "ZIP_BOMB",
    () => {
      const all = [...makeRecords()].map(([name, data]) => ({ name: `m/${name}`, data }));
      const bomb = { name: "m/models/other.json", data: zeros, packed: deflateSync(zeros), method: 8 };
      return makeZip([...all, bomb]);
    },
  ],
  ["B-09", "50 MB in an entry that nothing reads", "ZIP_BOMB", () => bomb({})],
  ["B-09", "50 MB that are declared as 100 bytes", "ZIP_DEFLATE", () => bomb({ size: 100 })],
  ["B-09", "50 MB that are declared as 60,000 bytes", "ZIP_DEFLATE", () => bomb({ size: 60_000 })],
  ["B-09", "an archive in the archive", "read", () => extra("m/extra/inner.zip", makePt2())],
  ["B-10", "an encrypted entry", "ZIP_ENCRYPTED", () => zip({ flags: 1 })],
  ["B-10", "an unknown method", "ZIP_METHOD", () => zip({ method: 93 })],
  [
    "B-10",
    "a wrong data descriptor",
    "ZIP_HEADER_MISMATCH",
    () => zip({ flags: 8, after: concat([utf8("PK\x07\x08"), new Uint8Array(12)]) }),
  ],
  ["B-11", "60,000 entries that are not there", "ZIP_DIRECTORY", () => zip({}, { count: 60_000 })],
  ["B-11", "10^12 entries that are not there", "ZIP_DIRECTORY", () => zip({}, { count: 1e12, zip64: true })],
  ["B-11", "a name of 64 KiB", "read", () => extra(`m/${"a".repeat(65_000)}`)],
  ["B-11", "a name of 30,000 combining marks", "ZIP_NAME", () => extra(`m/a${marks}`)],
  ["B-12", "not UTF-8", "JSON_ENCODING", () => withJson(concat([utf8(text), Uint8Array.of(0xff)]))],
  ["B-12", "a byte order mark", "JSON_ENCODING", () => json(`\ufeff${text}`)],
  ["B-12", "UTF-16", "JSON_", () => withJson(utf16(text))],
  ["B-12", "half of a surrogate pair", "JSON_SYNTAX", () => json(text.replace('"mul"', '"\\ud800"'))],
  ["B-13", "depth 100,000", "JSON_DEPTH", () => json(deep(100_000))],
  [
    "B-13",
    "depth 1,000,000 in a field",
    "JSON_DEPTH",
    () => json(text.replace('"metadata":{}', `"metadata":${deep(1e6)}`)),
  ],
  ["B-13", "a million siblings", "BUDGET_EXCEEDED", () => json(`[${"1,".repeat(999_999)}1]`)],
  ["B-13", "a million lists", "BUDGET_EXCEEDED", () => json(`[${"[1],".repeat(999_999)}[1]]`)],
  ["B-13", "a million keys", "BUDGET_EXCEEDED", () => json(`{${manyKeys(1e6)}}`)],
  [
    "B-13",
    "a million siblings in a field",
    "BUDGET_EXCEEDED",
    () => json(text.replace('"metadata":{}', `"metadata":[${"{},".repeat(999_999)}1]`)),
  ],
  [
    "B-14",
    "a key twice",
    "JSON_DUPLICATE_KEY",
    () => json(text.replace('"opset_version"', '"graph_module":1,"opset_version"')),
  ],
  [
    "B-14",
    "keys of the prototype",
    "read",
    () => json(text.replace('"opset_version"', '"__proto__":1,"constructor":2,"toString":3,"opset_version"')),
  ],
  [
    "B-14",
    "a prototype as metadata",
    "read",
    () => json(text.replace('"metadata":{}', '"metadata":{"__proto__":"x","toString":"y"}')),
  ],
  ["B-15", "infinity", "read", () => number("Infinity")],
  ["B-15", "1e999", "read", () => number("1e999")],
  ["B-15", "-0", "read", () => number("-0")],
  ["B-15", "NaN as version", "PT2_TYPE", () => json(text.replace('"major":8', '"major":NaN'))],
  ["B-15", "2^63 - 1", "read", () => json(text.replace('{"as_float":1}', '{"as_int":9223372036854775807}'))],
  ["B-15", "an integer of 5,000 digits", "JSON_SYNTAX", () => number("9".repeat(5000))],
  ["B-16", "text after the document", "JSON_SYNTAX", () => json(`${text}x`)],
  ["B-16", "two documents", "JSON_SYNTAX", () => json(text + text)],
  ["B-16", "a comment", "JSON_SYNTAX", () => json(`/* a */${text}`)],
  ["B-16", "blanks around", "read", () => json(` \n${text}\n `)],
];

/** Used by both halves of the table. */
export const schemaVersion = (change: Readonly<Record<string, unknown>>): Uint8Array =>
  withModel((model) => {
    Object.assign(model["schema_version"] as object, loose(change));
  });
