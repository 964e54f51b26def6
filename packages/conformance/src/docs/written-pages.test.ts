import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readPackages } from "./package-graph.js";
import { writtenPages } from "./written-pages.js";

const ROOT = new URL("../../../../", import.meta.url);

test.each([...(await writtenPages(ROOT))])("%s is what `npm run docs` writes", (path, text) => {
  expect(readFileSync(new URL(path, ROOT), "utf8")).toBe(text);
});

test("every package has a description, and follows the packages that it imports", () => {
  const packages = readPackages(ROOT);
  const names = packages.map(({ name }) => name);
  for (const [i, { name, description, imports, loads }] of packages.entries()) {
    expect({ name, description }).toEqual({ name, description: expect.stringMatching(/^.{20,}[^.]$/) });
    expect([...imports, ...loads].filter((other) => names.indexOf(other) >= i)).toEqual([]);
  }
});
