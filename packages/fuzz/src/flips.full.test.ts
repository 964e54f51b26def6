import { expect, test } from "vitest";
import { COMPRESSED, expectDetected, flipBits, placed, smallArchive } from "./flips.fixture.js";
import { partsOf, zipWithPlaces } from "./support/zip-parts.js";
import { BASES, OLD_LAYOUTS } from "./targets/bases.js";

test("every flipped bit of a small archive is detected, or has no effect", async () => {
  const archive = placed(await smallArchive());
  const fields = await flipBits(archive);
  expectDetected(fields);
  expect(fields.reduce((sum, { flips }) => sum + flips, 0)).toBe(8 * archive.bytes.length);
});

test("no flipped bit of compressed entries gives other content", async () => {
  const parts = partsOf(await smallArchive());
  for (const entry of parts.entries) entry.deflated = true;
  const { bytes, places } = zipWithPlaces(parts);
  expectDetected(
    await flipBits({ bytes, places: places.filter(({ record }) => record === "data") }),
    COMPRESSED,
  );
});

test("flipped bits of archives of PyTorch are detected: one bit in 97", async () => {
  for (const bytes of [...BASES, ...OLD_LAYOUTS]) expectDetected(await flipBits(placed(bytes), 97));
});
