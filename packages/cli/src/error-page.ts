/** @file The sections of docs/reference/errors.md, which `sconce explain CODE` prints. */
import { readFileSync } from "node:fs";

/** The page in the repository, and its copy in the installed package (see `.config/pack.mjs`). */
const PAGES = ["../../../docs/reference/errors.md", "../errors.md"];

/**
 * Returns the sections of the page by code; a heading may name several codes. Empty when there is
 * no page. The page is read once.
 */
export function errorSections(): ReadonlyMap<string, string> {
  sections ??= sectionsOf(pageText());
  return sections;
}

let sections: ReadonlyMap<string, string> | undefined;

function pageText(): string {
  for (const page of PAGES) {
    try {
      return readFileSync(new URL(page, import.meta.url), "utf8");
    } catch {}
  }
  return "";
}

/** Sections have headings of the third level: `### NO_VALUES`. */
function sectionsOf(page: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of page.split(/^(?=#{2,3} )/m)) {
    const code = /^### ([A-Z][A-Z0-9_]+)\n/.exec(part)?.[1];
    if (code !== undefined) found.set(code, part.slice("### ".length).trimEnd());
  }
  return found;
}

/**
 * Returns the fix that the page gives for a code, as one line; undefined for codes that it lacks.
 */
export function documentedFix(code: string): string | undefined {
  const [, fix] =
    /^- \*\*Fix\*\*: ([\s\S]*?)(?=\n\n|\n- |$(?![\s\S]))/m.exec(errorSections().get(code) ?? "") ?? [];
  return fix
    ?.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * Returns the code that an argument of `sconce explain` names: capitals, digits and underscores
 * only, also as the \`docs\` of an error has it, \`errors/FILE\`. Undefined for other texts.
 */
export const codeIn = (text: string): string | undefined =>
  /^(?:errors\/)?([A-Z][A-Z0-9_]*)$/.exec(text)?.[1];
