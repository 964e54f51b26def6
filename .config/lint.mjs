/** Runs every check at once and prints what each says, those that fail last: `npm run lint`. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "./paths.mjs";

const bin = (name) => join(ROOT, "node_modules", name);

/** The checks by name: a script of Node's, and its options. */
const CHECKS = {
  biome: [bin("@biomejs/biome/bin/biome"), "check"],
  knip: [bin("knip/bin/knip.js"), "--config", ".config/knip.jsonc", "--no-progress", "--cache"],
  types: [bin("typescript/bin/tsc"), "-p", ".config/tsconfig.tests.json"],
  models: [bin("typescript/bin/tsc"), "-p", ".config/tsconfig.models.json"],
  imports: [".config/check-imports.mjs"],
  packages: [".config/check-packages.mjs"],
  strings: [".config/check-strings.mjs"],
  words: [".config/check-words.mjs"],
  markdown: [".config/check-markdown.mjs"],
  comments: [".config/wrap-comments.mjs", "--check"],
  verbs: [".config/check-verbs.mjs"],
  docs: [".config/check-docs.mjs"],
  sizes: [".config/check-sizes.mjs"],
};

/** Runs a check; gives its name, its exit code and what it printed. */
const run = (name) =>
  new Promise((done) => {
    const child = spawn(process.execPath, CHECKS[name], { cwd: ROOT });
    let output = "";
    child.stdout.on("data", (text) => (output += text));
    child.stderr.on("data", (text) => (output += text));
    child.on("error", (error) => (output += error));
    child.on("close", (code) => done({ name, code, output }));
  });

const chosen = process.argv.slice(2);
const unknown = chosen.find((name) => !(name in CHECKS));
if (unknown !== undefined) throw new Error(`${unknown} is not a check: ${Object.keys(CHECKS).join(", ")}`);

const results = await Promise.all((chosen.length > 0 ? chosen : Object.keys(CHECKS)).map(run));
for (const { name, code, output } of results.sort((a, b) => Number(a.code !== 0) - Number(b.code !== 0)))
  if (output.trim() !== "") console.log(`${name}: ${code === 0 ? "ok" : "failed"}\n${output.trimEnd()}`);
if (results.some(({ code }) => code !== 0)) process.exitCode = 1;
