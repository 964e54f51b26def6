import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newerSource } from "./page-age-node.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-age-"));
  await write("studio/vite.config.ts", 1);
  await write("studio/dist/bundle/index.html", 100);
  await write("studio/src/page/app.tsx", 50);
  await write("studio/src/page/style.css", 60);
  await write("drawing/src/index.ts", 70);
  await write("site/src/main.ts", 900);
  await write("studio/package.json", 1, { "@sconce/drawing": "0.1.0", vite: "8" });
});
afterEach(() => rm(folder, { recursive: true }));

async function write(path: string, seconds: number, dependencies: object = {}): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ dependencies }));
  await utimes(file, seconds, seconds);
}

const newer = (): Promise<string | undefined> => newerSource("index.html", join(folder, "studio"));

test("a page is up to date when no source of it is newer", async () => {
  expect(await newer()).toBeUndefined();
  // Tests, and packages that the page does not import, are not a part of it.
  await write("studio/src/page/app.test.ts", 800);
  await write("studio/src/page/page.fixture.ts", 800);
  expect(await newer()).toBeUndefined();
});

test("the newest source is named, of the package and of those that it imports", async () => {
  await write("studio/src/page/style.css", 101);
  expect(await newer()).toBe(join("studio", "src", "page", "style.css"));
  await write("drawing/src/index.ts", 200);
  expect(await newer()).toBe(join("drawing", "src", "index.ts"));
});

test("an installed package has no sources to compare with", async () => {
  await write("drawing/src/index.ts", 200);
  await rm(join(folder, "studio/vite.config.ts"));
  expect(await newer()).toBeUndefined();
});
