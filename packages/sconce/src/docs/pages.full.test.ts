import { readdirSync, readFileSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blocksOf, commandsOf, isSuite, outputOf, ROOT, runPage } from "./page.fixture.js";

const DOCS = readdirSync(`${ROOT}docs`, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name.replaceAll("\\", "/")}`);
const READMES = readdirSync(`${ROOT}packages`).flatMap((name) =>
  readdirSync(`${ROOT}packages/${name}`).includes("README.md") ? [`packages/${name}/README.md`] : [],
);

const PAGES = [...DOCS, ...READMES, "README.md"].sort();
const suites = await Promise.all(PAGES.map(isSuite));

beforeAll(() => process.chdir(ROOT));
// The page on saving programs writes the first of them, the README of batches the others.
afterAll(() => {
  for (const made of ["lowered.pt2", "shards", "scores"])
    rmSync(`${ROOT}${made}`, { recursive: true, force: true });
});

describe("TypeScript in the documentation runs, and prints what the page shows", () => {
  test.each(PAGES.filter((_, i) => !suites[i]))("%s", async (page) => {
    for (const { line, printed, shown } of await runPage(page)) {
      const expected = shown?.endsWith("...\n") ? startOf(printed, shown) : printed;
      expect({ line, text: shown ?? printed }).toEqual({ line, text: expected });
    }
  });
});

describe("code that the documentation quotes from a file is there", () => {
  test.each(DOCS)("%s", async (page) => {
    for (const { language, text, line } of await blocksOf(page)) {
      const file = /^ts from (\S+)$/.exec(language)?.[1];
      if (file === undefined) continue;
      const isQuoted = readFileSync(`${ROOT}${file}`, "utf8").includes(text);
      expect({ page, line, file, isQuoted }).toEqual({ page, line, file, isQuoted: true });
    }
  });
});

describe("commands in the documentation give what the page shows", () => {
  test.each(DOCS)("%s", async (page) => {
    for (const { line, args, shown } of await commandsOf(page)) {
      const output = await outputOf(args);
      const expected = shown.endsWith("...\n") ? startOf(output, shown) : output;
      // `print` ends its text with a line end on a terminal only.
      expect({ line, args, text: shown.trimEnd() }).toEqual({ line, args, text: expected.trimEnd() });
    }
  });
});

/** As much of an output as a page shows that ends it in `...`. */
const startOf = (output: string, shown: string): string =>
  `${output
    .split("\n")
    .slice(0, shown.split("\n").length - 2)
    .join("\n")}\n...\n`;
