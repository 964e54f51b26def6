/** @file The sidebar, from the index of the documentation and the generated pages. */
import { posix } from "node:path";
import type { Places } from "../support/links.js";
import { apiLink } from "./api-pages.js";
import { publicPackages } from "./repository-pages.js";

/** An entry of the sidebar, as VitePress takes it. */
export interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly SidebarItem[];
}

const linkTo = (place: string): string => `/${place.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, "")}`;

/** Returns the links of a part of the index: each page once. */
function itemsOf(part: string, places: Places): SidebarItem[] {
  const items = new Map<string, SidebarItem>();
  for (const [, text, target] of part.replace(/\n\s+/g, " ").matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g)) {
    const place = places.get(posix.join("docs", target!));
    if (place !== undefined && !items.has(place)) {
      const title = text!.charAt(0).toUpperCase() + text!.slice(1);
      items.set(place, { text: title, link: linkTo(place) });
    }
  }
  return [...items.values()];
}

/** Returns the groups of `docs/README.md`: its sections, and the lists of concepts. */
function groupsOf(index: string, places: Places): SidebarItem[] {
  const sections = index.split(/^(?=## )/m).slice(1);
  return sections.flatMap((section): SidebarItem[] => {
    const title = /^## (.*)$/m.exec(section)![1]!;
    if (title === "Find an answer") return [];
    if (title !== "Concepts") return [{ text: title, items: itemsOf(section, places) }];
    return section
      .split(/^(?=[A-Z]\w+:$)/m)
      .slice(1)
      .map((part) => ({ text: part.split(":")[0]!, items: itemsOf(part, places) }));
  });
}

/** Entries of pages below a folder, by their headings. */
const pagesBelow = (folder: string, pages: ReadonlyMap<string, string>): SidebarItem[] =>
  [...pages]
    .filter(([place]) => place.startsWith(`${folder}/`) && !place.endsWith("index.md"))
    .map(([place, text]) => ({
      text: /^# (.*)$/m
        .exec(text)![1]!
        .replaceAll("`", "")
        .replace(/^Operators: /, ""),
      link: linkTo(place),
    }));

/** Folders of generated pages, with the titles of their sidebars. */
const TITLES = { operators: "Operators", passes: "Passes", rules: "Rewrite rules" } as const;

/** Returns the sidebars by the folders of the pages that show them. */
export function sidebars(
  index: string,
  places: Places,
  pages: ReadonlyMap<string, string>,
): Readonly<Record<string, readonly SidebarItem[]>> {
  const guide = groupsOf(index, places);
  const lists = (["operators", "passes", "rules"] as const).map((folder): [string, SidebarItem[]] => [
    `/${folder}/`,
    [
      {
        text: TITLES[folder],
        link: `/${folder}/`,
        items: pagesBelow(folder, pages),
      },
    ],
  ]);
  const api = publicPackages().map(({ name, entries }) => ({
    text: name,
    items: entries.map(({ specifier }) => ({ text: specifier, link: apiLink(specifier) })),
  }));
  const examples = { text: "Examples", items: pagesBelow("examples", pages) };
  return { ...Object.fromEntries(lists), "/api/": api, "/": [...guide, examples] };
}
