import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

test("the changelog has each change once, by subject", () => {
  const entry = execFileSync("node", [".config/release.mjs", "--dry-run"], { cwd: ROOT, encoding: "utf8" });
  const headings = Array.from(entry.matchAll(/^### (.*)$/gm), ([, heading]) => heading);
  expect(headings).toContain("Passes and lowering");
  expect(new Set(headings).size).toBe(headings.length);
  expect(entry).toMatch(/^## \d+\.\d+\.\d+\n/);
});
