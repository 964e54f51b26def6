import { describe, expect, test } from "vitest";
import { readSafetensors, Tensor, writeSafetensors } from "./index.js";

/** A file with the given header text and data. */
function file(header: string, data: Uint8Array = new Uint8Array(0)): Uint8Array {
  const text = new TextEncoder().encode(header);
  const bytes = new Uint8Array(8 + text.length + data.length);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 8);
  bytes.set(data, 8 + text.length);
  return bytes;
}
const entry = (dtype: unknown, shape: unknown, offsets: unknown): string =>
  JSON.stringify({ dtype, shape, data_offsets: offsets });
const VALUES = new Uint8Array(new Float64Array([1.5, -2]).buffer);

describe("data that are not aligned", () => {
  const bytes = file(`{"a":${entry("F64", [2], [0, 16])}}`, VALUES);
  const shifted = (by: number): Uint8Array => {
    const larger = new Uint8Array(bytes.length + by);
    larger.set(bytes, by);
    return larger.subarray(by);
  };

  test.each([0, 1, 2, 3, 4, 5, 6, 7])("bytes that begin %i bytes into their buffer", (by) => {
    expect(readSafetensors(shifted(by)).tensors.get("a")!.toArray()).toEqual([1.5, -2]);
  });

  test.each([0, 1, 3, 4])("a Node Buffer, %i bytes into its pool", (by) => {
    const buffer = Buffer.from(shifted(by).buffer, by);
    const { storage } = readSafetensors(buffer).tensors.get("a")!;
    expect(readSafetensors(buffer).tensors.get("a")!.toArray()).toEqual([1.5, -2]);
    expect(storage.bytes.constructor).toBe(Uint8Array);
  });

  test("buffers of the pool, at every offset", () => {
    for (let i = 0; i < 20; i++) {
      Buffer.from("x".repeat(i));
      expect(readSafetensors(Buffer.from(bytes)).tensors.get("a")!.toArray()).toEqual([1.5, -2]);
    }
  });

  test("aligned data stay views of the bytes", () => {
    const aligned = writeSafetensors([["a", Tensor.from([1, 2, 3, 4])]]);
    expect(readSafetensors(aligned).tensors.get("a")!.storage.bytes.buffer).toBe(aligned.buffer);
  });
});

describe("refused headers", () => {
  const one = entry("F64", [2], [0, 16]);
  test.each([
    ["a name twice", `{"a":${one},"a":${one}}`, 'the key "a" comes twice'],
    ["a name twice, once escaped", `{"a":${one},"\\u0061":${one}}`, 'the key "a" comes twice'],
    ["metadata twice", `{"__metadata__":{},"__metadata__":{},"a":${one}}`, 'the key "__metadata__" comes'],
    ["a nested dtype", `{"a":${entry({ toString: 1 }, [2], [0, 16])}}`, "unknown dtype"],
    [
      "a deeply nested dtype",
      `{"a":{"dtype":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`,
      "nested more than 8",
    ],
    ["metadata of objects", `{"__metadata__":{"a":{}},"a":${one}}`, "metadata is not an object of strings"],
    [
      "a prototype as shape",
      `{"a":{"dtype":"F64","shape":{"__proto__":1},"data_offsets":[0,16]}}`,
      "bad shape",
    ],
    ["a list", "[]", "does not begin with {"],
    ["half of a document", '{"a":', "it is not JSON"],
  ])("%s", (_, header, message) => {
    expect(() => readSafetensors(file(header, VALUES))).toThrow(
      expect.objectContaining({ code: "SAFETENSORS", message: expect.stringContaining(message) }),
    );
  });

  test("names of the prototype are names like any other", () => {
    const names = ["__proto__", "constructor", "toString"];
    const tensors = names.map((name, i) => [name, Tensor.from([i])] as const);
    expect([...readSafetensors(writeSafetensors(tensors)).tensors.keys()]).toEqual(names);
  });

  test("a header of many entries is refused before they are made", () => {
    const entries = Array.from({ length: 1000 }, (_, i) => `"t${i}":${entry("U8", [0], [0, 0])}`);
    expect(() => readSafetensors(file(`{${entries.join()}}`), { limits: { nodes: 100 } })).toThrow(
      expect.objectContaining({ code: "BUDGET_EXCEEDED", where: expect.stringContaining("character") }),
    );
  });
});

test.each([
  ["PK\x03\x04", "a zip archive", "`load`"],
  ["\x93NUMPY", "a NumPy .npy file", "safetensors.torch.save_file"],
  ["GGUF", "a GGUF file", "safetensors"],
  ["\x80\x02", "a Python pickle", "safetensors.torch.save_file"],
])("a file that begins with %j is named", (start, name, fix) => {
  const bytes = new Uint8Array(64);
  bytes.set([...start].map((char) => char.charCodeAt(0)));
  expect(() => readSafetensors(bytes)).toThrow(
    expect.objectContaining({
      code: "SAFETENSORS",
      message: expect.stringContaining(`it is ${name}`),
      fix: expect.stringContaining(fix),
    }),
  );
});
