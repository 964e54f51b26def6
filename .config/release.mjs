/**
 * Prepares a release: `npm run release:prepare`. Writes what the changesets say into
 * `CHANGELOG.md`, sets the versions of all packages, and removes the changesets. It commits and
 * publishes nothing. With `--dry-run` it prints the entry of the changelog, and changes no file.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import getReleasePlan from "@changesets/get-release-plan";
import { ROOT } from "./paths.mjs";

/** What `VERSION` is read from; a test compares it with the packages. */
const VERSION_FILE = join(ROOT, "packages", "errors", "src", "version.ts");

/** The subjects of an entry, in order, with the packages whose changesets belong to them. */
const SUBJECTS = {
  "Sessions and the public surface": ["sconce", "errors", "session"],
  "Capture and export": ["torch", "source-check", "capture", "torch-libraries"],
  "Files, texts and the IR": ["tensor", "symbolic", "ir", "formats"],
  "Passes and lowering": ["trace", "passes", "quantization"],
  "Operators and numbers": ["ops", "ops-cases", "backend-cpu"],
  "Compiled backends": ["codegen", "wasm", "device-runtime", "backend-wasm", "backend-gpujs", "build"],
  "Command line, studio and tools": ["cli", "batch", "drawing", "serve", "studio", "testing"],
};

/** The parts of a subject, by the part of the version that a change raises. */
const PARTS = { major: "Breaking changes", minor: "New", patch: "Fixed" };

const typeOf = ({ releases }) => Object.keys(PARTS).find((type) => releases.some((one) => one.type === type));

const subjectOf = ({ id, releases: [{ name }] }) => {
  const folder = name.replace("@sconce/", "");
  const subject = Object.keys(SUBJECTS).find((heading) => SUBJECTS[heading].includes(folder));
  if (subject === undefined) throw new Error(`.changeset/${id}.md: ${name} belongs to no subject`);
  return subject;
};

/** A summary as an item of a list. */
const item = ({ summary }) => `- ${summary.trim().replace(/\n(?=.)/g, "\n  ")}\n`;

/** The entry of a release in the changelog. */
function entryOf(version, changesets) {
  const subjects = Object.keys(SUBJECTS).flatMap((subject) => {
    const own = changesets.filter((one) => subjectOf(one) === subject);
    const parts = Object.entries(PARTS).flatMap(([type, heading]) => {
      const items = own.filter((one) => typeOf(one) === type).map(item);
      return items.length === 0 ? [] : [`#### ${heading}\n\n${items.join("")}`];
    });
    return parts.length === 0 ? [] : [`### ${subject}\n\n${parts.join("\n")}`];
  });
  return `## ${version}\n\n${subjects.join("\n")}\n`;
}

function run(command, ...args) {
  const { status } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed`);
}

// Its module has the CommonJS form.
const { changesets, releases } = await (getReleasePlan.default ?? getReleasePlan)(ROOT);
const release = releases.find(({ name }) => name === "sconce");
if (release === undefined) {
  console.error("there are no changesets: `npx changeset` writes one");
  process.exitCode = 1;
} else {
  const entry = entryOf(release.newVersion, changesets);
  if (process.argv.includes("--dry-run")) process.stdout.write(entry);
  else prepare(release.newVersion, entry);
}

function prepare(version, entry) {
  const file = join(ROOT, "CHANGELOG.md");
  const text = readFileSync(file, "utf8");
  const at = text.search(/^## /m);
  writeFileSync(file, at < 0 ? `${text}\n${entry}` : `${text.slice(0, at)}${entry}${text.slice(at)}`);
  run("npx", "changeset", "version");
  run("npm", "install", "--package-lock-only", "--ignore-scripts");
  writeFileSync(VERSION_FILE, readFileSync(VERSION_FILE, "utf8").replace(/"[^"]*"/, `"${version}"`));
  console.log(`prepared ${version}: read CHANGELOG.md, then commit`);
}
