/** @file Pages of passes and of rewrite rules, from the registries that the command lists. */
import { jsonOutput } from "../support/command.js";

interface PassInfo {
  readonly name: string;
  readonly doc: string;
}

interface RuleInfo {
  readonly name: string;
  readonly doc: string;
}

const tableText = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

/** Where `docs/concepts/builtin-passes.md` describes passes by themselves. */
export type Sections = ReadonlyMap<string, string>;

/**
 * Returns the part of `docs/reference/passes.md` about a pass: options, a program before and after.
 */
function referenceOf(name: string, reference: string): string {
  const part = reference.split(/^## /m).find((text) => text.startsWith(`\`${name}\`\n`));
  if (part === undefined) throw new Error(`docs/reference/passes.md has no section "${name}"`);
  return part.slice(part.indexOf("\n")).trim();
}

/** Passes that another page describes: those of quantization. */
const isOfQuantization = (name: string): boolean => name === "calibrate" || name.includes("quantiz");

function passPage({ name, doc }: PassInfo, reference: string, sections: Sections): string {
  const section = sections.get(name);
  const text = isOfQuantization(name)
    ? `${doc}\n\n[Quantization](../concepts/quantization.md) has its options.`
    : referenceOf(name, reference);
  return [
    "---",
    `title: ${name}`,
    "---",
    "",
    `# \`${name}\``,
    "",
    text,
    "",
    "## Use it",
    "",
    "```sh",
    `sconce print model.pt2 --passes ${name} --format ir   # the result as text`,
    `sconce history model.pt2 --passes ${name}             # what it changes`,
    "```",
    "",
    `- [Built-in passes](../concepts/builtin-passes.md${section === undefined ? "" : `#${section}`})`,
    "- [Pipelines of passes](../concepts/passes.md)",
    ...(name === "rewrite" || name === "canonicalize" ? ["- [Rewrite rules](../rules/index.md)"] : []),
    "",
  ].join("\n");
}

function rulePage({ name, doc }: RuleInfo): string {
  return [
    "---",
    `title: ${name}`,
    "---",
    "",
    `# \`${name}\``,
    "",
    "A rewrite rule.",
    "",
    doc,
    "",
    "## Use it",
    "",
    "```sh",
    `sconce explain model.pt2 --rule ${name}                # where it fires, and why not elsewhere`,
    `sconce print model.pt2 --passes "rewrite{rules=[${name}]}" --format ir`,
    `sconce history model.pt2 --passes "rewrite{rules=[${name}]}"   # what it changes`,
    "```",
    "",
    "- [All rewrite rules](index.md)",
    "- [The pass `rewrite`](../passes/rewrite.md), which applies the rules that you name",
    "- [Rewriting](../concepts/rewriting.md): patterns, guards and replacements",
    "",
  ].join("\n");
}

function rulesPage(rules: readonly RuleInfo[]): string {
  return [
    "# Rewrite rules",
    "",
    "These rules come with Sconce. `canonicalize` and `fold-batch-norm` apply most of them, and the pass",
    "[`rewrite`](../passes/rewrite.md) applies those that you name. [Rewriting](../concepts/rewriting.md) describes",
    "how a rule is written.",
    "",
    "`sconce explain FILE --rule NAME` shows where a rule fires, and why it does not elsewhere.",
    "",
    "| rule | meaning |",
    "| --- | --- |",
    ...rules.map(({ name, doc }) => `| [\`${name}\`](${name}.md) | ${tableText(doc)} |`),
    "",
  ].join("\n");
}

const indexPage = (passes: readonly PassInfo[]): string =>
  [
    "# Passes",
    "",
    "Each built-in pass has a page. [Rewrite rules](../rules/index.md) has a page for each of",
    "the rules that some of them apply.",
    "",
    "| pass | does |",
    "| --- | --- |",
    ...passes.map(({ name, doc }) => `| [\`${name}\`](${name}.md) | ${tableText(doc)} |`),
    "",
  ].join("\n");

/**
 * Returns the pages of passes and rules by their places.
 *
 * @param reference `docs/reference/passes.md`
 */
export async function passPages(sections: Sections, reference: string): Promise<Map<string, string>> {
  const passes = await jsonOutput<PassInfo[]>("passes");
  const rules = await jsonOutput<RuleInfo[]>("explain", "--list");
  return new Map([
    ["passes/index.md", indexPage(passes)],
    ["rules/index.md", rulesPage(rules)],
    ...rules.map((rule): [string, string] => [`rules/${rule.name}.md`, rulePage(rule)]),
    ...passes.map((pass): [string, string] => [
      `passes/${pass.name}.md`,
      passPage(pass, reference, sections),
    ]),
  ]);
}

/** Sections of the page on built-in passes by the passes that their headings name. */
export function sectionsOfPasses(page: string): Sections {
  const sections = new Map<string, string>();
  for (const [, heading] of page.matchAll(/^## (.*)$/gm)) {
    const anchor = heading!
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-");
    for (const [, name] of heading!.matchAll(/`([\w-]+)`/g)) sections.set(name!, anchor);
  }
  return sections;
}
