/** @file Commands of pages on files that the reader makes first. */
import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { blocksOf, commandArguments, commandsOf, outputOf, ROOT } from "./page.fixture.js";

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

/** Whether the lines that a page shows are in an output, in order; `...` represents others. */
function showsInOrder(shown: string, output: string): boolean {
  // The device depends on the machine: vectors, threads.
  const plain = (text: string): string[] => text.replace(/^(device WebAssembly).*$/gm, "$1").split("\n");
  const lines = plain(output);
  let at = 0;
  for (const line of plain(shown.trimEnd())) {
    if (line === "...") continue;
    at = lines.indexOf(line, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

test("the README shows what its commands print", async () => {
  const [placement, bisect] = await commandsOf("README.md");
  process.chdir(ROOT);
  expect(await outputOf(placement!.args)).toSatisfy((text: string) => showsInOrder(placement!.shown, text));
  process.chdir(folder);
  const [first] = (await blocksOf("docs/tutorials/find-a-wrong-pass.md")).filter(
    ({ language }) => language === "ts",
  );
  await writeFiles(first!.text);
  expect(await outputOf(bisect!.args)).toSatisfy((text: string) => showsInOrder(bisect!.shown, text));
  expect(showsInOrder("b\na", "a\nb")).toBe(false);
});

/** The plugin and the program of the tutorial, as files. */
async function writeFiles(code: string): Promise<void> {
  const rules = code.slice(0, code.indexOf("const sconce =")).replace(/\btype \w+,? ?/g, "");
  await writeFile("mine.js", `${rules}\nexport default { name: "mine", passes: [simplify] };`);
  await writeFile("program.sir", /parseIr\(`([^`]*)`/.exec(code)![1]!);
}

test("find-a-wrong-pass: the command finds the rule, and its reproducer fails again", async () => {
  const page = await blocksOf("docs/tutorials/find-a-wrong-pass.md");
  const first = page.find(({ language }) => language === "ts")!.text;
  await writeFiles(first);

  const shown = page.find(({ language }) => language === "sh")!.text;
  const [find = "", again = ""] = shown.trim().split("\n");
  expect(await outputOf(commandArguments(find))).toMatch(/rule "softplus" of plugin "mine" at %softplus_1/);
  expect(existsSync("softplus.sir")).toBe(true);
  expect(await outputOf(commandArguments(again))).toMatch(/\nthis is the recorded failure\n$/);
});
