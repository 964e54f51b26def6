/** @file A page for each error code, from the sections of `docs/reference/errors.md`. */
import { outsideCode } from "../support/links.js";

/** Returns the place of the page of a code. The address of its folder has no file name. */
const errorPlace = (code: string): string => `errors/${code}/index.md`;

interface Section {
  readonly area: string;
  readonly code: string;
  readonly body: string;
}

const HEADING = /^### ([A-Z][A-Z0-9_]+)\n/;

function sectionsOf(page: string): Section[] {
  let area = "";
  return page.split(/^(?=#{2,3} )/m).flatMap((part) => {
    area = /^## (.*)\n/.exec(part)?.[1] ?? area;
    const code = HEADING.exec(part)?.[1];
    return code === undefined ? [] : [{ area, code, body: part.replace(HEADING, "").trim() }];
  });
}

/** Returns the first sentence of a section. */
const summaryOf = (body: string): string => body.split("\n\n")[0]!.replace(/\s+/g, " ");

/** Links of a page of `reference/`, as a page of `errors/CODE/` has them. */
const moved = (text: string, codes: ReadonlySet<string>): string =>
  outsideCode(text, (line) =>
    line
      .replace(/\]\((\.\.?\/[^)]*)\)/g, (_, path: string) => `](../../reference/${path})`)
      .replace(/\]\(#([\w-]+)\)/g, (_, anchor: string) => {
        const code = anchor.toUpperCase();
        return codes.has(code) ? `](../${code}/index.md)` : `](../../reference/errors.md#${anchor})`;
      }),
  );

function errorPage({ area, code, body }: Section, codes: ReadonlySet<string>): string {
  return [
    "---",
    `title: ${code}`,
    `description: ${JSON.stringify(summaryOf(body).replaceAll("`", ""))}`,
    "---",
    "",
    `# ${code}`,
    "",
    moved(body, codes),
    "",
    "## More",
    "",
    `- All codes of [${area}](../../reference/errors.md)`,
    "- [The parts of an error](../../reference/errors.md)",
    `- In a terminal: \`sconce explain ${code}\``,
    "",
  ].join("\n");
}

/**
 * Returns the page at `errors/`: the codes of each area, for those who shorten the address of one.
 */
function codesPage(sections: readonly Section[]): string {
  const areas = new Map<string, string[]>();
  for (const { area, code } of sections)
    areas.set(area, [...(areas.get(area) ?? []), `[\`${code}\`](${code}/index.md)`]);
  const lists = [...areas].map(([area, links]) => `## ${area}\n\n${links.join(" ")}\n`);
  return [
    "---",
    "outline: 2",
    "---",
    "",
    "# Error codes",
    "",
    `This page links to the ${sections.length} error codes by area.`,
    "[Errors](../reference/errors.md) adds the meaning of each.",
    "",
    ...lists,
  ].join("\n");
}

/**
 * Returns the pages of all codes and their list by their places, and the index that replaces the
 * page with all sections. `page` is the text of `docs/reference/errors.md` with the links of the
 * site.
 */
export function errorPages(page: string): { readonly index: string; readonly pages: Map<string, string> } {
  const sections = sectionsOf(page);
  const codes = new Set(sections.map(({ code }) => code));
  const pages = new Map(sections.map((section) => [errorPlace(section.code), errorPage(section, codes)]));
  pages.set("errors/index.md", codesPage(sections));
  const index = page
    .split(/^(?=#{2,3} )/m)
    .filter((part) => !HEADING.test(part))
    .map((part) => {
      const area = /^## (.*)\n/.exec(part)?.[1];
      const own = sections.filter((section) => section.area === area);
      const rows = own.map(
        ({ code, body }) =>
          `| <a id="${code.toLowerCase()}"></a>[\`${code}\`](../${errorPlace(code)}) | ${summaryOf(body)} |`,
      );
      return rows.length === 0
        ? part
        : `${part.trimEnd()}\n\n| code | meaning |\n| --- | --- |\n${rows.join("\n")}\n\n`;
    });
  return { index: index.join(""), pages };
}
