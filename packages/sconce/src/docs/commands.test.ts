/** @file Commands of pages on files that the reader makes first. */
import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { blocksOf, commandArguments, outputOf, ROOT } from "./page.fixture.js";

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "sconce-commands-")));
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  process.chdir(folder);
});
afterEach(async () => {
  process.chdir(ROOT);
  await rm(folder, { recursive: true });
});

test("find-a-wrong-pass: the command finds the rule, and its reproducer fails again", async () => {
  const page = await blocksOf("docs/tutorials/find-a-wrong-pass.md");
  const first = page.find(({ language }) => language === "ts")!.text;
  const rules = first.slice(0, first.indexOf("const sconce =")).replace(/\btype \w+,? ?/g, "");
  await writeFile("mine.js", `${rules}\nexport default { name: "mine", passes: [simplify] };`);
  await writeFile("program.sir", /parseIr\(`([^`]*)`/.exec(first)![1]!);

  const shown = page.find(({ language }) => language === "sh")!.text;
  const [find = "", again = ""] = shown.trim().split("\n");
  expect(await outputOf(commandArguments(find))).toMatch(/rule "softplus" of plugin "mine" at %softplus_1/);
  expect(existsSync("softplus.sir")).toBe(true);
  expect(await outputOf(commandArguments(again))).toMatch(/\nthis is the recorded failure\n$/);
});
