/**
 * Prepares a release: `npm run release:prepare`. Writes what the changesets say into
 * `CHANGELOG.md`, sets the versions of all packages, and removes the changesets. It commits and
 * publishes nothing.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import getReleasePlan from "@changesets/get-release-plan";
import { ROOT } from "./paths.mjs";

/** What `VERSION` is read from; a test compares it with the packages. */
const VERSION_FILE = join(ROOT, "packages", "errors", "src", "version.ts");

/** The headings of an entry, by the part of the version that a change raises. */
const HEADINGS = { major: "Breaking changes", minor: "New", patch: "Fixed" };

const typeOf = ({ releases }) =>
  Object.keys(HEADINGS).find((type) => releases.some((one) => one.type === type));

/** A summary as an item of a list. */
const item = ({ summary }) => `- ${summary.trim().replace(/\n(?=.)/g, "\n  ")}\n`;

/** The entry of a release in the changelog. */
function entryOf(version, changesets) {
  const parts = Object.entries(HEADINGS).flatMap(([type, heading]) => {
    const items = changesets.filter((one) => typeOf(one) === type).map(item);
    return items.length === 0 ? [] : [`### ${heading}\n\n${items.join("")}`];
  });
  return `## ${version}\n\n${parts.join("\n")}\n`;
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
  const file = join(ROOT, "CHANGELOG.md");
  const text = readFileSync(file, "utf8");
  const at = text.search(/^## /m);
  const entry = entryOf(release.newVersion, changesets);
  writeFileSync(file, at < 0 ? `${text}\n${entry}` : `${text.slice(0, at)}${entry}${text.slice(at)}`);
  run("npx", "changeset", "version");
  run("npm", "install", "--package-lock-only", "--ignore-scripts");
  writeFileSync(
    VERSION_FILE,
    readFileSync(VERSION_FILE, "utf8").replace(/"[^"]*"/, `"${release.newVersion}"`),
  );
  console.log(`prepared ${release.newVersion}: read CHANGELOG.md, then commit`);
}
