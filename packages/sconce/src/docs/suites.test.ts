/**
 * @file Pages whose snippets are tests: run while tests are collected, so that what they describe
 * is registered here.
 */
import { readdirSync, readFileSync } from "node:fs";
import { builtinPasses } from "@sconce/passes";
import { expect, test } from "vitest";
import { blocksOf, isSuite, ROOT, type RunBlock, runPage } from "./page.fixture.js";

process.chdir(ROOT);
const pages = [
  ...readdirSync("docs", { recursive: true }).map((name) => `docs/${String(name).replaceAll("\\", "/")}`),
  ...readdirSync("packages").map((name) => `packages/${name}/README.md`),
].filter((page) => page.endsWith(".md"));
const ran = new Map<string, RunBlock[]>();
for (const page of pages.sort()) {
  const suite = await isSuite(page).catch(() => false);
  if (suite) ran.set(page, await runPage(page));
}

test.each([...ran.keys()])("%s prints what it shows", (page) => {
  for (const { line, printed, shown } of ran.get(page)!)
    if (shown !== undefined) expect({ line, text: printed }).toEqual({ line, text: shown });
});

test("the pages are there", () => {
  expect([...ran.keys()]).toEqual([
    "docs/tutorials/swap-backends.md",
    "docs/tutorials/test-a-pass.md",
    "docs/tutorials/write-a-pass.md",
    "packages/testing/README.md",
  ]);
});

test("a first pass, written, registered, run and tested, is less than 30 lines", async () => {
  const [first] = await blocksOf("docs/tutorials/write-a-pass.md");
  for (const part of ["definePass(", "plugins: [", ".transform(", "test("])
    expect(first!.text).toContain(part);
  expect(first!.text.trimEnd().split("\n").length).toBeLessThan(30);
});

test("the page of built-in passes lists each pass with its options", () => {
  const rows = readFileSync("docs/concepts/builtin-passes.md", "utf8").matchAll(
    /^\| `([\w-]+)` \|([^|]*)\|/gm,
  );
  const shown = [...rows].map(([, name, options]) => {
    const outside = options!.replace(/\([^)]*\)/g, "");
    return [name, [...outside.matchAll(/`([\w-]+)`/g)].map(([, option]) => option)];
  });
  const passes = builtinPasses.map(({ name, options }) => [name, Object.keys(options)]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(passes));
});

test("the page of built-in passes has the sentences that `sconce passes` prints", () => {
  const rows = readFileSync("docs/concepts/builtin-passes.md", "utf8").matchAll(
    /^\| `([\w-]+)` \|[^|]*\| (.*?)(?: \(\[[^\]]*\]\([^)]*\)\))? \|$/gm,
  );
  const shown = Object.fromEntries([...rows].map(([, name, does]) => [name, does]));
  expect(shown).toEqual(Object.fromEntries(builtinPasses.map(({ name, doc }) => [name, doc])));
});
