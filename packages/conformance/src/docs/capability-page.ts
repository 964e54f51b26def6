/**
 * @file The text of `docs/reference/capabilities.md`: capabilities, and the tests that show them.
 */
import { readFileSync } from "node:fs";
import type { CapabilityTest } from "./capability-tests.js";

/** What `capabilities.json` holds. */
export interface CapabilityFile {
  /** Statements by id, in sections. */
  readonly sections: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** What is missing, by id. A capability that has tests all the same is shown in part. */
  readonly missing: Readonly<Record<string, string>>;
}

/** Reads the capabilities of the repository at `root`. */
export const readCapabilities = (root: URL): CapabilityFile =>
  JSON.parse(readFileSync(new URL("packages/conformance/src/docs/capabilities.json", root), "utf8"));

const escaped = (text: string): string => text.replaceAll("|", "\\|");

/** Places of parametrized titles show as an ellipsis. */
const link = ({ title, path }: CapabilityTest): string =>
  `${escaped(title.replace(/%[sjdif]/g, "…"))} ([${/[^/]+$/.exec(path)![0].replace(/\.test\.ts$/, "")}](../../${path}))`;

function stateOf(shown: boolean, missing: string | undefined): string {
  if (missing === undefined) return "shown";
  return `${shown ? "in part" : "not yet"}: ${escaped(missing)}`;
}

/** Returns the page; the same capabilities and tests give the same text. */
export function capabilityPage(file: CapabilityFile, tests: readonly CapabilityTest[]): string {
  const all = Object.values(file.sections).flatMap((rows) => Object.keys(rows));
  const has = (id: string): boolean => tests.some(({ ids }) => ids.includes(id));
  const whole = all.filter((id) => file.missing[id] === undefined).length;
  const part = all.filter((id) => file.missing[id] !== undefined && has(id)).length;
  const sections = Object.entries(file.sections).flatMap(([title, rows]) => [
    `## ${title}`,
    "",
    "| id | capability | state | tests |",
    "| --- | --- | --- | --- |",
    ...Object.entries(rows).map(([id, statement]) => {
      const links = tests.filter(({ ids }) => ids.includes(id)).map(link);
      const state = stateOf(links.length > 0, file.missing[id]);
      return `| ${id} | ${escaped(statement)} | ${state} | ${links.join("<br>")} |`;
    }),
    "",
  ]);
  return [
    "# Capabilities",
    "",
    "<!-- Written by `npm run docs` from the titles of tests and capabilities.json; a test compares. -->",
    "",
    "This page lists what the documents of torch.export describe, and the tests that show it. The title",
    "of a test ends with the ids of the capabilities that it shows, such as `[S-024]`. A row is *shown*",
    "when a test shows all of it, *in part* when something is missing, and *not yet* without a test.",
    "Rows that start with T are places where the documents differ from PyTorch 2.14 or from each other.",
    "",
    `Of ${all.length} rows, ${whole} are shown, ${part} in part, and ${all.length - whole - part} not yet.`,
    "",
    ...sections,
  ].join("\n");
}
