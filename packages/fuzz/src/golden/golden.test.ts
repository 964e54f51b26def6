import { readdirSync, readFileSync } from "node:fs";
import { VERSION } from "@sconce/errors";
import { expect, test } from "vitest";
import { type GoldenFolder, goldenFiles, readGolden } from "./files.js";

const ROOT = new URL("../../golden/", import.meta.url);
const RELEASES = readdirSync(ROOT);

function folderOf(release: string): GoldenFolder {
  const folder = new URL(`${release}/`, ROOT);
  return new Map(
    readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(new URL(name, folder)))]),
  );
}

test("this version has a folder: `npm run golden` writes it", () => {
  expect(RELEASES).toContain(VERSION);
});

test.each(RELEASES)("the files of %s are read, and written with the same content", async (release) => {
  expect(await readGolden(folderOf(release))).toEqual([]);
});

test("this version writes the files that a release has", async () => {
  const known = [...folderOf(VERSION).keys()];
  const written = await goldenFiles();
  expect(known.filter((name) => !written.has(name))).toEqual([]);
});

test("a file that is changed is noticed", async () => {
  const folder = folderOf(RELEASES[0]!);
  const changes: readonly (readonly [string, (text: string) => string])[] = [
    ["strict_linear.sir", (text) => text.replace("aten.sin.default", "aten.cos.default")],
    ["strict_linear.history.json", (text) => text.replaceAll("aten.sin.default", "aten.cos.default")],
    ["strict_linear.json-ir.json", (text) => text.replace("aten.sin.default", "aten.cos.default")],
    ["strict_linear.reproducer.txt", (text) => text.replace("decompose", "cse")],
    ["pipeline.txt", (text) => `${text} `],
  ];
  for (const [name, change] of changes) {
    const text = new TextDecoder().decode(folder.get(name));
    expect(change(text), name).not.toBe(text);
    const bytes = new TextEncoder().encode(change(text));
    const problems = await readGolden(new Map([...folder, [name, bytes]])).catch((error: unknown) => [
      String(error),
    ]);
    expect(problems, name).not.toEqual([]);
  }
});
