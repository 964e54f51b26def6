import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unzipSync } from "fflate";
import { afterAll, expect, test } from "vitest";
import { openOpCases } from "./op-case-set.js";

const ARCHIVE = fileURLToPath(new URL("../../fixtures/op-cases.zip", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sconce-cases-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a folder and an archive of the same files hold the same cases", () => {
  const name = "sort.default.safetensors";
  writeFileSync(join(folder, name), unzipSync(readFileSync(ARCHIVE))[name]!);
  writeFileSync(join(folder, "notes.txt"), "");
  const [fromFolder, fromArchive] = [folder, ARCHIVE].map((path) => openOpCases(path, "sort.default"));
  expect(fromFolder!.map((entry) => entry.name)).toEqual([name]);
  const archived = fromArchive!.find((entry) => entry.name === name)!;
  expect(archived.read().cases).toEqual(fromFolder![0]!.read().cases);
});

test("files come in order of their names", () => {
  const names = openOpCases(ARCHIVE).map((entry) => entry.name);
  expect(names).toHaveLength(802);
  expect(names).toEqual([...names].sort());
});
