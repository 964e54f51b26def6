/**
 * Packs every published package into a folder, and prints the command that installs them in another
 * project: `npm run pack:all [FOLDER]`. Each package is staged first: without the conditions and
 * scripts that only this repository uses, with the license and the documents that its README links
 * to.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { stageDocuments } from "./package-documents.mjs";
import { publishedPackages } from "./package-fields.mjs";
import { pathFrom, ROOT } from "./paths.mjs";

const isTestFile = (path) => /\.(test|fixture)\.|(^|\/)__snapshots__(\/|$)/.test(path);

/** Whether a built file has a source: files of removed sources stay in `dist`. */
const hasSource = (folder, path) =>
  !/^dist\/(?!bundle\/).*\.(js|d\.ts)(\.map)?$/.test(path) ||
  [".ts", ".tsx"].some((ending) =>
    existsSync(join(folder, path.replace(/^dist\//, "src/").replace(/(\.js|\.d\.ts)(\.map)?$/, ending))),
  );

/** Removes the condition by which this repository's bundles read sources. */
function withoutSources(conditions) {
  if (typeof conditions !== "object") return;
  delete conditions["@sconce/source"];
  for (const nested of Object.values(conditions)) withoutSources(nested);
}

/** A manifest as it is published. */
function publishedManifest({ scripts: _scripts, devDependencies: _tools, ...manifest }) {
  const { sideEffects, exports } = manifest;
  if (Array.isArray(sideEffects))
    manifest.sideEffects = sideEffects.filter((path) => !path.startsWith("./src/"));
  withoutSources(exports);
  withoutSources(manifest.imports);
  return manifest;
}

/** Copies what a package publishes into a folder of its own. */
function stage(folder, manifest, target) {
  const source = join(ROOT, folder);
  const filter = (path) => {
    const place = pathFrom(source, path);
    return !isTestFile(place) && hasSource(source, place);
  };
  mkdirSync(target, { recursive: true });
  for (const part of manifest.files.filter((name) => existsSync(join(source, name))))
    cpSync(join(source, part), join(target, part), { recursive: true, filter });
  cpSync(join(ROOT, "LICENSE"), join(target, "LICENSE"));
  const published = publishedManifest(manifest);
  published.files = [...manifest.files, ...stageDocuments(folder, target)];
  writeFileSync(join(target, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
}

/** Whether a file of the folder is a tarball of an earlier run. Other files there stay. */
const isOurs = (name) => /^sconce(-[\w-]+)?-\d[\w.-]*\.tgz$/.test(name);

/** Builds the page that the package of the studio holds. */
function bundlePage() {
  const { status, stderr } = spawnSync("npm", ["run", "--silent", "bundle", "-w", "@sconce/studio"], {
    cwd: ROOT,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`the page of the studio cannot be built: ${stderr}`);
}

/** Packs all packages; returns the paths of the tarballs. Throws when npm fails. */
export function packAll(output) {
  mkdirSync(output, { recursive: true });
  for (const name of readdirSync(output)) if (isOurs(name)) rmSync(join(output, name));
  bundlePage();
  const staging = mkdtempSync(join(tmpdir(), "sconce-pack-"));
  try {
    const folders = [];
    for (const [folder, manifest] of publishedPackages()) {
      folders.push(join(staging, folder));
      stage(folder, manifest, folders.at(-1));
    }
    const options = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", output];
    const { status, stderr } = spawnSync("npm", [...options, ...folders], {
      encoding: "utf8",
      shell: process.platform === "win32",
    });
    if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return readdirSync(output)
    .filter(isOurs)
    .map((name) => join(output, name));
}

/** The command that installs tarballs; the shell of Windows does not expand patterns. */
function installCommand(output, tarballs) {
  const quoted = (path) => (/\s/.test(path) ? `"${path}"` : path);
  return process.platform === "win32"
    ? `npm install ${tarballs.map(quoted).join(" ")}`
    : `npm install ${quoted(output)}/sconce-*.tgz`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const output = resolve(process.argv[2] ?? join(ROOT, "pack"));
  const tarballs = packAll(output);
  console.log(`${tarballs.length} packages in ${output}. Install them in another project:\n`);
  console.log(`    ${installCommand(output, tarballs)}\n`);
}
