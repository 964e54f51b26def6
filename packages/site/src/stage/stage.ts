/** @file The pages of the site, as VitePress reads them. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Places, withSiteLinks } from "../support/links.js";
import { PAGES, ROOT, SIDEBAR } from "../support/paths.js";
import { writeApiPages } from "./api-pages.js";
import { withDrawings } from "./drawings.js";
import { errorPages } from "./error-pages.js";
import { operatorPages } from "./operator-pages.js";
import { passPages, sectionsOfPasses } from "./pass-pages.js";
import { repositoryPictures, repositoryPlaces } from "./repository-pages.js";
import { withSections } from "./sections.js";
import { sidebars } from "./sidebar.js";
import { withTypes } from "./snippets.js";

/** Returns all pages of the site by their places, without the API reference. */
async function allPages(places: Places): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const targets = new Map([...places, ...repositoryPictures()]);
  for (const [file, place] of places)
    if (file !== "README.md")
      // the first page of the site represents it
      pages.set(place, withSiteLinks(readFileSync(join(ROOT, file), "utf8"), file, targets));
  pages.set("index.md", withSections("index.md", pages));
  const errors = errorPages(pages.get("reference/errors.md")!);
  pages.set("reference/errors.md", errors.index);
  const generated = [
    errors.pages,
    await operatorPages({
      operators: pages.get("reference/operators.md")!,
      lowerings: pages.get("reference/lowerings.md")!,
    }),
    await passPages(
      sectionsOfPasses(pages.get("concepts/builtin-passes.md")!),
      pages.get("reference/passes.md")!,
    ),
  ];
  for (const part of generated) for (const [place, text] of part) pages.set(place, text);
  return pages;
}

/** Writes the pages, the API reference among them, and the pictures that they show. */
export async function stagePages(): Promise<void> {
  rmSync(PAGES, { recursive: true, force: true });
  const places = repositoryPlaces();
  const pages = await allPages(places);
  const write = (place: string, text: string): void => {
    mkdirSync(dirname(join(PAGES, place)), { recursive: true });
    writeFileSync(join(PAGES, place), text);
  };
  for (const [place, text] of pages) {
    const isTutorial = place.startsWith("tutorials/");
    const drawn = await withDrawings(place, isTutorial ? withTypes(text) : text);
    write(place, drawn.text);
    // VitePress serves this folder as it is.
    for (const [file, svg] of drawn.files) write(join("public", file), svg);
  }
  for (const [file, place] of repositoryPictures()) cpSync(join(ROOT, file), join(PAGES, place));
  writeApiPages();
  const index = readFileSync(join(ROOT, "docs/README.md"), "utf8");
  writeFileSync(SIDEBAR, JSON.stringify(sidebars(index, places, pages), null, 2));
}
