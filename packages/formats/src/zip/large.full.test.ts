import { Budget } from "@sconce/errors";
import { expect, test } from "vitest";
import { ZipArchive } from "./archive.js";
import { textEntry, zipPieces } from "./write.js";

const PIECE = new Uint8Array(2 ** 26);
const PIECES = 65;
const LARGE = PIECE.length * PIECES;

test("entries past 4 GiB, and behind such an entry, have their sizes and offsets in 64 bits", async () => {
  const large = { name: "large", size: LARGE, pieces: Array.from({ length: PIECES }, () => PIECE) };
  // The large pieces are zeros: all others are kept, with their places.
  const kept: [number, Uint8Array][] = [];
  let size = 0;
  for (const piece of zipPieces("a", [textEntry("first", "one"), large, textEntry("last", "three")])) {
    if (piece !== PIECE) kept.push([size, piece]);
    size += piece.length;
  }
  const read = (offset: number, length: number): Promise<Uint8Array> => {
    const bytes = new Uint8Array(length);
    for (const [at, piece] of kept) {
      const [from, to] = [Math.max(at, offset), Math.min(at + piece.length, offset + length)];
      if (from < to) bytes.set(piece.subarray(from - at, to - at), from - offset);
    }
    return Promise.resolve(bytes);
  };
  const zip = await ZipArchive.open({ size, read }, { budget: new Budget(size) });
  expect(zip.entry("a/large")).toMatchObject({ size: LARGE, compressedSize: LARGE });
  expect(zip.entry("a/last")!.offset).toBeGreaterThan(2 ** 32);
  expect(new TextDecoder().decode(await zip.read("a/last"))).toBe("three");
  expect(new TextDecoder().decode(await zip.read("a/first"))).toBe("one");
  await zip.check("a/large");
});
