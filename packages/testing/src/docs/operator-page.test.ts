import { readFileSync } from "node:fs";
import { createSconce } from "sconce";
import { expect, test } from "vitest";
import { drawnTargets } from "./drawn-targets.js";
import { readFamilies } from "./families.js";
import { operatorPage } from "./operator-page.js";

const ROOT = new URL("../../../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");

const sconce = createSconce();
const families = await readFamilies(ROOT);

test("every row belongs to a family", () => {
  const listed = families.flatMap(({ targets }) => targets);
  expect(listed.length).toBe(new Set(listed).size);
  expect([...sconce.operators].map(({ target }) => target).filter((t) => !listed.includes(t))).toEqual([]);
});

test("docs/reference/operators.md is what `npm run docs` writes", () => {
  const drawn = drawnTargets(read("packages/testing/fixtures/random/draws.json"));
  expect(read("docs/reference/operators.md")).toBe(operatorPage({ sconce, families, drawn }));
});
