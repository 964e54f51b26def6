/** @file Links of the built site that lead nowhere: to no file, or to no place of a page. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const decoded = (text: string): string => {
  const plain = text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!);
  return decodeURIComponent(plain);
};

/** Texts of an attribute in a page. */
const attributes = (html: string, name: string): string[] =>
  [...html.matchAll(new RegExp(`<[a-z][^>]*?\\s${name}="([^"]*)"`, "g"))].map(([, text]) => decoded(text!));

/** Returns the file that a server gives for a path. */
function fileOf(folder: string, path: string): string | undefined {
  const file = join(folder, path);
  if (existsSync(file) && !statSync(file).isDirectory()) return file;
  return [`${file}.html`, join(file, "index.html")].find((one) => existsSync(one));
}

/** A built page: its text, without scripts, and the names that links may lead to. */
class Built {
  readonly html: string;
  readonly ids: ReadonlySet<string>;

  constructor(file: string) {
    this.html = readFileSync(file, "utf8").replace(/<script\b[\s\S]*?<\/script>/g, "");
    this.ids = new Set([...attributes(this.html, "id"), ...attributes(this.html, "name")]);
  }
}

/** Returns the path of a link in the folder of the site; undefined where it leaves the site. */
function pathInSite(path: string, page: string, base: string): string | undefined {
  if (path === "") return page;
  if (!path.startsWith("/")) return posix.resolve(posix.dirname(page), path);
  return path.startsWith(base) ? path.slice(base.length - 1) : undefined;
}

/**
 * Returns the dead links of the site in a folder: `page: link`, for each once.
 *
 * @param base the path of the folder on its host
 */
export function deadLinks(folder: string, base = "/"): string[] {
  const pages = new Map<string, Built>();
  const pageAt = (file: string): Built => {
    const known = pages.get(file) ?? new Built(file);
    pages.set(file, known);
    return known;
  };
  const dead = new Set<string>();
  for (const name of readdirSync(folder, { recursive: true }).map(String)) {
    if (!name.endsWith(".html") || name.startsWith("studio")) continue;
    const page = `/${name.replaceAll("\\", "/")}`;
    const { html } = pageAt(join(folder, name));
    for (const link of [...attributes(html, "href"), ...attributes(html, "src")]) {
      if (/^([a-z]+:|\/\/)/.test(link)) continue;
      const [path = "", anchor] = link.split("#");
      const inSite = pathInSite(path, page, base);
      const file = inSite === undefined ? undefined : fileOf(folder, inSite);
      const isThere =
        file !== undefined && (!anchor || !file.endsWith(".html") || pageAt(file).ids.has(anchor));
      if (!isThere) dead.add(`${page}: ${link}`);
    }
  }
  return [...dead];
}
