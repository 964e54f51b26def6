/** The documents of a published package: its README, and the pages that it links to. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { REPOSITORY } from "./package-fields.mjs";
import { normalized, pathFrom, posix, ROOT } from "./paths.mjs";

/** The package that ships all pages; the others ship those that their README links to. */
const DOCUMENTED = "packages/sconce";

/** Further pages: `sconce explain CODE` prints sections of the error page. */
const FURTHER_PAGES = {
  "packages/cli": [["docs/reference/errors.md", "errors.md"]],
  [DOCUMENTED]: [["CHANGELOG.md", "CHANGELOG.md"]],
};

const LINK = /(\]\()([^()\s]+)(\))/g;

/** A link to a file of the repository: its path from the root, and the part behind "#". */
function targetOf(page, link) {
  if (/^([a-z]+:|#)/.test(link)) return undefined;
  const [path, anchor] = link.split("#");
  return { path: normalized(join(dirname(page), path)).replace(/\/$/, ""), anchor };
}

/** The pages of the repository that a page links to. */
function linkedPages(page) {
  const links = [...readFileSync(join(ROOT, page), "utf8").matchAll(LINK)];
  const paths = links.map(([, , link]) => targetOf(page, link)?.path);
  return [...new Set(paths)].filter((path) => path?.endsWith(".md") && existsSync(join(ROOT, path)));
}

/** The pages under `docs/`. */
const allPages = () =>
  readdirSync(join(ROOT, "docs"), { recursive: true })
    .map((name) => `docs/${posix(name)}`)
    .filter((path) => path.endsWith(".md"));

/**
 * A page with its links as they are in a package that ships `places`: others lead to the
 * repository.
 */
function rewritten(page, places) {
  const from = dirname(places.get(page));
  return readFileSync(join(ROOT, page), "utf8").replace(LINK, (all, open, link, close) => {
    const target = targetOf(page, link);
    if (target === undefined) return all;
    const place = places.get(target.path);
    const kind = existsSync(join(ROOT, target.path)) && statSync(join(ROOT, target.path)).isDirectory();
    const path =
      place === undefined
        ? `${REPOSITORY}/${kind ? "tree" : "blob"}/main/${target.path}`
        : pathFrom(from, place);
    return `${open}${path}${target.anchor === undefined ? "" : `#${target.anchor}`}${close}`;
  });
}

/**
 * Writes the README of a package, and the pages under `docs/` that it links to, into a folder.
 * Links between them are relative; links to other files lead to the repository.
 * @returns what `files` of the manifest names besides
 */
export function stageDocuments(folder, target) {
  const readme = `${folder}/README.md`;
  const pages =
    folder === DOCUMENTED ? allPages() : linkedPages(readme).filter((path) => path.startsWith("docs/"));
  const further = FURTHER_PAGES[folder] ?? [];
  const places = new Map([[readme, "README.md"], ...pages.map((path) => [path, path]), ...further]);
  for (const [page, place] of places) {
    mkdirSync(dirname(join(target, place)), { recursive: true });
    writeFileSync(join(target, place), rewritten(page, places));
  }
  return [...(pages.length === 0 ? [] : ["docs"]), ...further.map(([, place]) => place)];
}
