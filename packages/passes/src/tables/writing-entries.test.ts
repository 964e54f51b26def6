import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ALSO_REGISTERED, NOT_REGISTERED } from "./writing-entries.js";

const fixture = new URL("../../../testing/fixtures/decompositions/table-keys.json", import.meta.url);
const { keys } = JSON.parse(readFileSync(fixture, "utf8")) as { readonly keys: readonly string[] };

test("PyTorch's table has the overloads of one list, and none of the other", () => {
  expect([...ALSO_REGISTERED].filter((target) => !keys.includes(target))).toEqual([]);
  expect([...NOT_REGISTERED].filter((target) => keys.includes(target))).toEqual([]);
});
