/**
 * @file Pages of the repository: documentation, READMEs of packages and examples, the changelog.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { Places } from "../support/links.js";
import { ROOT } from "../support/paths.js";

const read = (path: string): string => readFileSync(`${ROOT}${path}`, "utf8");

/** Files below a folder of the repository, with "/" on every system. */
const filesIn = (folder: string): string[] =>
  readdirSync(`${ROOT}${folder}`, { recursive: true })
    .map((name) => `${folder}/${String(name).replaceAll("\\", "/")}`)
    .sort();

/** A published package. */
export interface PublicPackage {
  /** Its folder in `packages`. */
  readonly folder: string;
  /** Its name in imports. */
  readonly name: string;
  readonly description: string;
  /** Entry points: the specifier of each, and its source. */
  readonly entries: readonly { readonly specifier: string; readonly source: string }[];
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly description: string;
  readonly exports?: Readonly<Record<string, string | { readonly "@sconce/source"?: string }>>;
}

/** Returns the published packages, sorted by their names. */
export function publicPackages(): PublicPackage[] {
  return readdirSync(`${ROOT}packages`).flatMap((folder) => {
    const manifest = JSON.parse(read(`packages/${folder}/package.json`)) as Manifest;
    if (manifest.private === true) return [];
    const { name, description, exports = {} } = manifest;
    const entries = Object.entries(exports).flatMap(([entry, file]) => {
      const source = typeof file === "string" ? undefined : file["@sconce/source"];
      if (source === undefined) return [];
      return [{ specifier: `${name}${entry.slice(1)}`, source: `packages/${folder}/${source.slice(2)}` }];
    });
    return [{ folder, name, description, entries }];
  });
}

/** Where each page of the repository is on the site. */
export function repositoryPlaces(): Map<string, string> {
  const pages = filesIn("docs").filter((path) => path.endsWith(".md"));
  const places = new Map(
    pages.map((path) => [path, path.slice("docs/".length).replace(/README\.md$/, "index.md")]),
  );
  places.set("docs/README.md", "contents.md");
  places.set("CHANGELOG.md", "changelog.md");
  places.set("README.md", "index.md");
  places.set("packages/site/pages/index.md", "index.md");
  for (const { folder } of publicPackages())
    places.set(`packages/${folder}/README.md`, `packages/${folder}.md`);
  for (const path of filesIn("examples").filter((one) => /^examples\/[^/]+\/README\.md$/.test(one)))
    places.set(path, path.replace("/README.md", ".md"));
  return places;
}

/** Pictures of the documentation, at their places on the site. */
export const repositoryPictures = (): Places =>
  new Map(
    filesIn("docs")
      .filter((path) => /\.(svg|jpg|png)$/.test(path))
      .map((path) => [path, path.slice("docs/".length)]),
  );
