/** @file Changes of safetensors files. */
import { changedJson, type JsonRow, shownValue } from "./changes.js";
import type { Recipe } from "./recipe.js";

/** A change of the bytes of a file. */
type ByteRow = readonly [
  name: string,
  change: (bytes: Uint8Array) => Uint8Array,
  code: string,
  where: string,
];

const withLength = (bytes: Uint8Array, length: bigint): Uint8Array => {
  const changed = bytes.slice();
  new DataView(changed.buffer).setBigUint64(0, length, true);
  return changed;
};

/** Returns a file with another header; its length is right. */
function withHeader(bytes: Uint8Array, header: string): Uint8Array {
  const old = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const text = new TextEncoder().encode(header);
  const changed = new Uint8Array(bytes.length - old + text.length);
  changed.set(text, 8);
  changed.set(bytes.subarray(8 + old), 8 + text.length);
  return withLength(changed, BigInt(text.length));
}

const headerOf = (bytes: Uint8Array): string => {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  return new TextDecoder().decode(bytes.subarray(8, 8 + length));
};

/** The length, the data and the text of the header. */
export const SAFETENSORS_BYTE_ROWS: readonly ByteRow[] = [
  ["no bytes", () => new Uint8Array(0), "SAFETENSORS", "byte 0"],
  ["seven bytes", (bytes) => bytes.subarray(0, 7), "SAFETENSORS", "byte 0"],
  ["only the length", (bytes) => bytes.subarray(0, 8), "SAFETENSORS", "byte 0"],
  ["a length of 0", (bytes) => withLength(bytes, 0n), "SAFETENSORS", "byte 8"],
  ["a length of 2^63", (bytes) => withLength(bytes, 2n ** 63n), "SAFETENSORS", "byte 0"],
  ["a length behind the end", (bytes) => withLength(bytes, 100_000n), "SAFETENSORS", "byte 0"],
  ["a shorter length", (bytes) => withLength(bytes, 20n), "SAFETENSORS", "character 20 of the header"],
  ["data cut off", (bytes) => bytes.subarray(0, -1), "SAFETENSORS", "example.0"],
  [
    "data behind the last tensor",
    (bytes) => Uint8Array.from([...bytes, 0]),
    "SAFETENSORS",
    "byte 168 of the data",
  ],
  ["a list as header", (bytes) => withHeader(bytes, "[]"), "SAFETENSORS", "byte 8"],
  [
    "a header with a comment",
    (bytes) => withHeader(bytes, "{/**/}"),
    "SAFETENSORS",
    "character 1 of the header",
  ],
  [
    "a header with a key twice",
    (bytes) => withHeader(bytes, '{"a":1,"a":1}'),
    "SAFETENSORS",
    "character 7 of the header",
  ],
  [
    "a header that is not UTF-8",
    (bytes) => withLength(Uint8Array.from([...bytes.subarray(0, 8), 0x7b, 0xff, 0x7d]), 3n),
    "SAFETENSORS",
    "byte 8",
  ],
  [
    "a header that nests deep",
    (bytes) => withHeader(bytes, `{"a":${"[".repeat(3000)}`),
    "SAFETENSORS",
    "character 12 of the header",
  ],
];

/** Recipes of the header as JSON, and of the bytes. */
export const safetensorsRecipes = (
  file: Uint8Array,
  headers: readonly JsonRow[],
  rows: readonly ByteRow[],
): readonly Recipe[] => [
  ...headers.map(
    ([path, value, code, where]): Recipe => ({
      format: "safetensors",
      name: `${path} is ${shownValue(value)}`,
      make: () => withHeader(file, changedJson(headerOf(file), path, value)),
      code,
      where,
    }),
  ),
  ...rows.map(
    ([name, change, code, where]): Recipe => ({
      format: "safetensors",
      name,
      make: () => change(file),
      code,
      where,
    }),
  ),
];
