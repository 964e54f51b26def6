import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { savedCases, sconce } from "./saved-programs.fixture.js";

/** Where the files go for the check with PyTorch; nowhere in a plain run. */
const FOLDER = process.env["SCONCE_SAVED_PROGRAMS"];
const written: { name: string; kind: string; source: string }[] = [];

if (FOLDER !== undefined) mkdirSync(FOLDER, { recursive: true });
afterAll(() => {
  if (FOLDER !== undefined) writeFileSync(join(FOLDER, "manifest.json"), JSON.stringify(written, null, 1));
});

test.each(savedCases())(
  "$name is saved, and reads back to the same bytes",
  async ({ name, kind, source, make }) => {
    const bytes = await sconce.save(await make());
    const again = await sconce.load(bytes);
    expect(sconce.verify(again)).toEqual([]);
    expect(Buffer.compare(await sconce.save(again), bytes)).toBe(0);
    if (FOLDER === undefined) return;
    writeFileSync(join(FOLDER, `${name}.pt2`), bytes);
    writeFileSync(join(FOLDER, `${name}.txt`), String(again));
    written.push({ name, kind, source });
  },
);
