/** @file Links between pages: in the repository they lead to files, on the site to pages. */
import { existsSync, statSync } from "node:fs";
import { posix } from "node:path";
import { REPOSITORY, ROOT } from "./paths.js";

/** Places of pages on the site by their paths in the repository. */
export type Places = ReadonlyMap<string, string>;

const FENCE = /^\s*(```|~~~)/;
/** Code spans, and links with their targets. */
const LINK = /(`+)[^`]*\1|(\]\()([^()\s]+)(\))/g;

/** Applies a change to the lines of a page that are not code. */
export function outsideCode(text: string, change: (line: string) => string): string {
  let isCode = false;
  return text
    .split("\n")
    .map((line) => {
      if (FENCE.test(line)) {
        isCode = !isCode;
        return line;
      }
      return isCode ? line : change(line);
    })
    .join("\n");
}

/**
 * Where a path of the repository is on the site; otherwise its address in the repository.
 */
function placeOf(path: string, places: Places, from: string): string {
  const page = places.get(path) ?? places.get(posix.join(path, "README.md"));
  if (page !== undefined) return relative(from, page);
  if (!existsSync(`${ROOT}${path}`)) throw new Error(`${from}: ${path} does not exist`);
  const kind = statSync(`${ROOT}${path}`).isDirectory() ? "tree" : "blob";
  return `${REPOSITORY}/${kind}/main/${path}`;
}

/** Returns a relative link from one page of the site to another. */
function relative(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

/**
 * Returns the text of a page of the repository with its links as they are on the site.
 * @throws Error when a link leads nowhere
 */
export function withSiteLinks(text: string, file: string, places: Places): string {
  const from = places.get(file)!;
  return outsideCode(text, (line) =>
    line.replace(LINK, (whole, _ticks, open: string, target: string, close: string) => {
      if (open === undefined || /^([a-z]+:|#|\/)/.test(target)) return whole;
      const [path = "", anchor] = target.split("#");
      const full = posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, "");
      return `${open}${placeOf(full, places, from)}${anchor === undefined ? "" : `#${anchor}`}${close}`;
    }),
  );
}
