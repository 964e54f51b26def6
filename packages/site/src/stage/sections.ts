/** @file Sections of pages that another page of the site shows, too. */
import { posix } from "node:path";

/** `<!-- section: comparison.md "Features" -->`, alone on a line. */
const SECTION = /^<!-- section: (\S+) "([^"]+)" -->$/gm;

/**
 * Returns the text of a page with the sections in it that it names.
 *
 * @param pages the texts of all pages, by their places; links in them are those of the site
 * @throws Error when there is no such section, or when its links would not fit
 */
export function withSections(place: string, pages: ReadonlyMap<string, string>): string {
  return pages.get(place)!.replace(SECTION, (_, from: string, title: string) => {
    // Links in the section are relative to its page.
    if (posix.dirname(from) !== posix.dirname(place))
      throw new Error(`${place}: ${from} is in another folder`);
    const lines = pages.get(from)?.split("\n") ?? [];
    const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, "") === title);
    if (start < 0) throw new Error(`${place}: ${from} has no section "${title}"`);
    const end = lines.findIndex((line, at) => at > start && /^#+ /.test(line));
    return lines
      .slice(start + 1, end < 0 ? undefined : end)
      .join("\n")
      .trim();
  });
}
