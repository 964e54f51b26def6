/** The fields that every published package has in its `package.json`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./paths.mjs";

/** The address of the source. A published package links to it what it does not ship. */
export const REPOSITORY = "https://github.com/sconce-project/sconce";

/** The manifests of the published packages by their folders, such as `packages/ir`. */
export function publishedPackages() {
  const folders = readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}`);
  const manifests = folders
    .filter((folder) => existsSync(join(ROOT, folder, "package.json")))
    .map((folder) => [folder, JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"))]);
  return new Map(manifests.filter(([, { private: isPrivate }]) => isPrivate !== true));
}

/** The fields that are the same in every manifest, but for the name of the folder. */
const fixedFields = (folder) => ({
  homepage: `${REPOSITORY}/tree/main/${folder}#readme`,
  bugs: `${REPOSITORY}/issues`,
  repository: { type: "git", url: `git+${REPOSITORY}.git`, directory: folder },
  license: "MIT",
  engines: { node: ">=20.19" },
});

/** What a manifest lacks or has differently, in words. */
export function fieldProblems(folder, manifest) {
  const problems = [];
  const { description, keywords, sideEffects, files, exports } = manifest;
  if (typeof description !== "string" || description === "") problems.push("has no description");
  if (!Array.isArray(keywords) || keywords.length < 3) problems.push("has fewer than three keywords");
  if (sideEffects === undefined) problems.push("does not say sideEffects");
  for (const part of ["dist", "src"])
    if (!files?.includes(part)) problems.push(`does not publish ${part}: source maps name its files`);
  for (const [field, want] of Object.entries(fixedFields(folder)))
    if (JSON.stringify(manifest[field]) !== JSON.stringify(want))
      problems.push(`${field} is not ${JSON.stringify(want)}`);
  for (const [name, conditions] of Object.entries(exports ?? {}))
    for (const file of Object.values(conditions))
      if (file.startsWith("./src/") && !existsSync(join(ROOT, folder, file)))
        problems.push(`exports ${name} names ${file}, which is not there`);
  return problems.map((problem) => `${folder}/package.json: ${problem}`);
}
