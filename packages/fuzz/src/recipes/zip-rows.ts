/** @file Changes of the records of archives. */
import { crc32 } from "node:zlib";
import { descriptor, wideExtra, type ZipPart, type ZipParts } from "../support/zip-parts.js";
import type { ZipRow } from "./changes.js";

const FULL = 2 ** 32 - 1;
const bytes = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));
const first = ({ entries }: ZipParts): ZipPart => entries[0]!;
const entry = ({ entries }: ZipParts, end: string): ZipPart =>
  entries.find(({ name }) => Buffer.from(name).toString().endsWith(end))!;
const named = (name: string) => (parts: ZipParts) =>
  void parts.entries.push({ name: bytes(name), data: bytes("x") });
const local = (fields: NonNullable<ZipPart["local"]>) => (parts: ZipParts) =>
  void Object.assign(first(parts), { local: fields });
const central = (fields: NonNullable<ZipPart["central"]>) => (parts: ZipParts) =>
  void Object.assign(first(parts), { central: fields });
const both = (fields: NonNullable<ZipPart["local"]>) => (parts: ZipParts) => {
  first(parts).local = fields;
  first(parts).central = fields;
};
const end = (fields: NonNullable<ZipParts["end"]>) => (parts: ZipParts) =>
  void Object.assign(parts, { end: fields });
const data = (suffix: string, text: string) => (parts: ZipParts) =>
  void Object.assign(entry(parts, suffix), { data: bytes(text) });
const without = (suffix: string) => (parts: ZipParts) =>
  void parts.entries.splice(parts.entries.indexOf(entry(parts, suffix)), 1);

/** Entries, their headers, the end of the archive. */
export const ZIP_ROWS: readonly ZipRow[] = [
  [
    "the local signature",
    local({ signature: 0x04034b51 }),
    "ZIP_HEADER_MISMATCH",
    "archive/data/weights/weight_0, byte 0",
  ],
  ["the local flags", local({ flags: 1 }), "ZIP_HEADER_MISMATCH", "archive/data/weights/weight_0, byte 0"],
  ["the local method", local({ method: 8 }), "ZIP_HEADER_MISMATCH", "archive/data/weights/weight_0, byte 0"],
  ["the local checksum", local({ crc: 1 }), "ZIP_HEADER_MISMATCH", "archive/data/weights/weight_0, byte 0"],
  [
    "the local packed size",
    local({ compressedSize: 1 }),
    "ZIP_HEADER_MISMATCH",
    "archive/data/weights/weight_0, byte 0",
  ],
  ["the local size", local({ size: 1 }), "ZIP_HEADER_MISMATCH", "archive/data/weights/weight_0, byte 0"],
  [
    "the length of the local name",
    local({ nameLength: 5 }),
    "ZIP_HEADER_MISMATCH",
    "archive/data/weights/weight_0, byte 0",
  ],
  [
    "the length of the local extra field",
    local({ extraLength: 5 }),
    "ZIP_HEADER_MISMATCH",
    "archive/data/weights/weight_0, byte 0",
  ],
  ["the signature in the directory", central({ signature: 7 }), "ZIP_DIRECTORY", "directory entry 0"],
  ["encryption in the directory", central({ flags: 1 }), "ZIP_ENCRYPTED", "archive/data/weights/weight_0"],
  ["encryption", both({ flags: 1 }), "ZIP_ENCRYPTED", "archive/data/weights/weight_0"],
  ["strong encryption", both({ flags: 0x40 }), "ZIP_ENCRYPTED", "archive/data/weights/weight_0"],
  ["masked headers", both({ flags: 0x2000 }), "ZIP_ENCRYPTED", "archive/data/weights/weight_0"],
  ["patched data", both({ flags: 0x20 }), "ZIP_METHOD", "archive/data/weights/weight_0"],
  [
    "the method in the directory",
    central({ method: 8 }),
    "ZIP_HEADER_MISMATCH",
    "archive/data/weights/weight_0, byte 0",
  ],
  ["an unknown method", both({ method: 12 }), "ZIP_METHOD", "archive/data/weights/weight_0"],
  ["the checksum", both({ crc: 5 }), "ZIP_CRC", "archive/data/weights/weight_0"],
  [
    "a larger size",
    both({ size: 9999, compressedSize: 9999 }),
    "ZIP_OVERLAP",
    "archive/data/weights/weight_0",
  ],
  [
    "a smaller size",
    both({ size: 1, compressedSize: 1 }),
    "ZIP_HIDDEN_DATA",
    "archive/data/weights/weight_0",
  ],
  [
    "sizes of 4 GiB without the extra field",
    both({ size: FULL, compressedSize: FULL }),
    "ZIP_DIRECTORY",
    "archive/data/weights/weight_0",
  ],
  [
    "the length of the name in the directory",
    central({ nameLength: 60_000 }),
    "ZIP_DIRECTORY",
    "directory entry 0",
  ],
  ["an empty name", central({ nameLength: 0 }), "ZIP_NAME", "directory entry 0"],
  [
    "the length of the comment in the directory",
    central({ commentLength: 60_000 }),
    "ZIP_DIRECTORY",
    "directory entry 0",
  ],
  ["another disk", central({ disk: 3 }), "ZIP_SPLIT", "the directory"],
  [
    "a symbolic link",
    central({ madeBy: 0x0314, external: 0xa1ff0000 }),
    "ZIP_SYMLINK",
    "archive/data/weights/weight_0",
  ],
  ["an offset behind the end", central({ offset: 2 ** 31 }), "ZIP_HIDDEN_DATA", "byte 0"],
  ["the offset of another entry", central({ offset: 100 }), "ZIP_HIDDEN_DATA", "byte 0"],
  [
    "an offset of 4 GiB without the extra field",
    central({ offset: FULL }),
    "ZIP_DIRECTORY",
    "archive/data/weights/weight_0",
  ],
  ["the signature of the end", end({ signature: 7 }), "ZIP_TRAILING_DATA", "byte 13406"],
  ["the disk of the end", end({ disk: 1 }), "ZIP_SPLIT", "the directory"],
  ["the disk of the directory", end({ directoryDisk: 1 }), "ZIP_SPLIT", "the directory"],
  ["fewer entries", end({ count: 2, countHere: 2 }), "ZIP_DIRECTORY", "byte 13871"],
  ["more entries", end({ count: 60_000, countHere: 60_000 }), "ZIP_DIRECTORY", "byte 13721"],
  ["no entries", end({ count: 0, countHere: 0 }), "ZIP_DIRECTORY", "byte 13721"],
  ["two counts", end({ countHere: 1 }), "ZIP_SPLIT", "the directory"],
  ["the size of the directory", end({ directorySize: 5 }), "ZIP_DIRECTORY", "byte 14704"],
  ["the offset of the directory", end({ directoryOffset: 5 }), "ZIP_DIRECTORY", "byte 14704"],
  ["the length of the comment", end({ commentLength: 9 }), "ZIP_TRAILING_DATA", "byte 13406"],
  [
    "bytes before the first entry",
    (parts) => void Object.assign(parts, { before: bytes("#!/bin/sh\n") }),
    "ZIP_HIDDEN_DATA",
    "byte 0",
  ],
  [
    "bytes behind the end",
    (parts) => void Object.assign(parts, { after: bytes("<html>") }),
    "ZIP_TRAILING_DATA",
    "byte 14726",
  ],
  [
    "bytes behind an entry",
    (parts) => void Object.assign(first(parts), { after: bytes("hidden") }),
    "ZIP_HIDDEN_DATA",
    "archive/data/weights/weight_0",
  ],
  [
    "an entry that the directory lacks",
    (parts) => void Object.assign(first(parts), { unlisted: true }),
    "ZIP_HIDDEN_DATA",
    "byte 0",
  ],
  [
    "an entry twice",
    (parts) => void parts.entries.push({ ...first(parts) }),
    "ZIP_DUPLICATE",
    "archive/data/weights/weight_0",
  ],
  [
    "another local name",
    (parts) => void Object.assign(first(parts), { localName: bytes("m/other") }),
    "ZIP_HEADER_MISMATCH",
    "archive/data/weights/weight_0, byte 0",
  ],
  ["a name that climbs", named("archive/../../x"), "ZIP_NAME", "directory entry 13"],
  ["an absolute name", named("/etc/passwd"), "ZIP_NAME", "directory entry 13"],
  ["a drive", named("C:x"), "ZIP_NAME", "directory entry 13"],
  ["a backslash", named("archive\\x"), "ZIP_NAME", "directory entry 13"],
  ["a NUL in a name", named("archive/x\0y"), "ZIP_NAME", "directory entry 13"],
  ["a name that is not UTF-8", named("archive/\xff\xfe"), "ZIP_NAME", "directory entry 13"],
  ["a second root", named("other/x"), "PT2_ROOT", "other/x"],
  ["an entry without a folder", named("x"), "PT2_ROOT", "x"],
  [
    "names that differ by case",
    named("archive/Models/MODEL.json"),
    "ZIP_DUPLICATE",
    "archive/Models/MODEL.json",
  ],
  [
    "sizes of 2^63 in the extra field",
    (parts) => {
      both({ size: FULL, compressedSize: FULL })(parts);
      first(parts).localExtra = wideExtra(2n ** 63n, 2n ** 63n);
      first(parts).centralExtra = wideExtra(2n ** 63n, 2n ** 63n);
    },
    "ZIP_OVERLAP",
    "archive/data/weights/weight_0",
  ],
  [
    "a cut extra field",
    (parts) => {
      both({ size: FULL, compressedSize: FULL })(parts);
      first(parts).centralExtra = wideExtra(1, 1).subarray(0, 9);
    },
    "ZIP_DIRECTORY",
    "archive/data/weights/weight_0",
  ],
  [
    "a data descriptor with another checksum",
    (parts) => {
      both({ flags: 8 })(parts);
      const { length } = first(parts).data;
      first(parts).after = descriptor(crc32(first(parts).data) ^ 1, length, length);
    },
    "ZIP_HEADER_MISMATCH",
    "archive/data/weights/weight_0",
  ],
  [
    "damaged compressed data",
    (parts) => {
      first(parts).deflated = true;
      first(parts).packed = bytes("\x07\x07\x07");
    },
    "ZIP_DEFLATE",
    "archive/data/weights/weight_0",
  ],
  [
    "a ratio that cannot be",
    (parts) => {
      first(parts).deflated = true;
      both({ size: 2 ** 31 })(parts);
    },
    "ZIP_BOMB",
    "archive/data/weights/weight_0",
  ],
  ["no archive_format", without("archive_format"), "PT2_FORMAT", "archive/archive_format"],
  ["another archive_format", data("archive_format", "pt3"), "PT2_FORMAT", "archive/archive_format"],
  ["no archive_version", without("archive_version"), "PT2_VERSION", "archive/archive_version"],
  ["another archive_version", data("archive_version", "1"), "PT2_VERSION", "archive/archive_version"],
  ["no version", without(".data/version"), "PT2_VERSION", "archive/.data/version"],
  ["another version", data(".data/version", "99"), "PT2_VERSION", "archive/.data/version"],
  ["big endian", data("byteorder", "big"), "PT2_BYTE_ORDER", "archive/byteorder"],
  ["no program", without("models/model.json"), "PT2_NO_MODEL", "archive/models/"],
  [
    "no configuration of weights",
    without("model_weights_config.json"),
    "PT2_MISSING_RECORD",
    "archive/data/weights/model_weights_config.json",
  ],
  [
    "no configuration of constants",
    without("model_constants_config.json"),
    "PT2_MISSING_RECORD",
    "archive/data/constants/model_constants_config.json",
  ],
  [
    "no sample inputs",
    without("sample_inputs/model.pt"),
    "PT2_MISSING_RECORD",
    "archive/data/sample_inputs/model.pt",
  ],
  ["no weight", without("weight_2"), "PT2_MISSING_RECORD", "data/weights/model_weights_config.json"],
  [
    "a short weight",
    data("weight_2", "x"),
    "PT2_WEIGHT",
    "data/weights/model_weights_config.json config.b.weight",
  ],
  ["a program of no bytes", data("models/model.json", ""), "JSON_SYNTAX", "models/model.json, character 0"],
  ["a program that is a list", data("models/model.json", "[]"), "PT2_TYPE", "models/model.json"],
  ["a program that is not UTF-8", data("models/model.json", "\xff"), "JSON_ENCODING", "models/model.json"],
  [
    "a program with a byte order mark",
    data("models/model.json", "\xef\xbb\xbf{}"),
    "JSON_ENCODING",
    "models/model.json",
  ],
  [
    "a program that nests 100,000 deep",
    data("models/model.json", "[".repeat(100_000)),
    "JSON_DEPTH",
    "models/model.json, character 1000",
  ],
  [
    "sample inputs that are not an archive",
    data("sample_inputs/model.pt", "hello"),
    "ZIP_END_MISSING",
    "data/sample_inputs/model.pt: byte 5",
  ],
];
