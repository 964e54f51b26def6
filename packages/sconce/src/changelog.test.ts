import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

test("the changelog has the version of the packages as its first entry", () => {
  const { version } = JSON.parse(textOf("../package.json")) as { version: string };
  expect(/^## (.*)$/m.exec(textOf("../../../CHANGELOG.md"))?.[1]).toBe(version);
});
