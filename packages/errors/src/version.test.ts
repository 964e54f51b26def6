import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VERSION } from "./index.js";

test("VERSION is the version of the packages", () => {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  expect((JSON.parse(manifest) as { readonly version: string }).version).toBe(VERSION);
});
