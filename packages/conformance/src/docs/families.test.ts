import { createSconce } from "@sconce/session";
import { expect, test } from "vitest";
import { readFamilies } from "./families.js";

const ROOT = new URL("../../../../", import.meta.url);

const sconce = createSconce();
const families = await readFamilies(ROOT);

test("every row belongs to a family", () => {
  const listed = families.flatMap(({ targets }) => targets);
  expect(listed.length).toBe(new Set(listed).size);
  expect([...sconce.operators].map(({ target }) => target).filter((t) => !listed.includes(t))).toEqual([]);
});
