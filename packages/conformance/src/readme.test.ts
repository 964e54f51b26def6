import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { codeText, createSconce } from "@sconce/session";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const readme = readFileSync(`${ROOT}README.md`, "utf8");
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map((match) => match[1]!.trim());

test("the README shows the graphs that its program prints", async () => {
  const [code] = blocks("ts");
  const file = /const file = "(.*)";/.exec(code!)![1]!;
  const pipeline = /transform\(program, "(.*)"\)/.exec(code!)![1]!;
  const sconce = createSconce();
  const program = await sconce.load(readFileSync(`${ROOT}${file}`));
  const lowered = sconce.transform(program, pipeline);
  expect(blocks("python")).toEqual([codeText(program.graph).trim(), codeText(lowered.graph).trim()]);
});
