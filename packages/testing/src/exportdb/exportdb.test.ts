import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { ExportedProgram } from "@sconce/ir";
import { expect, test, vi } from "vitest";
import { comparable } from "../capture/harness.fixture.js";
import { WITHOUT_COUNTERPART } from "../docs/catalog-page.js";
import * as refused from "./refused.fixture.js";
import * as supported from "./supported.fixture.js";

const RECORDED = JSON.parse(
  gunzipSync(readFileSync(new URL("../../fixtures/capture/exportdb.json.gz", import.meta.url))).toString(),
) as Readonly<Record<string, { readonly program?: string; readonly message?: string }>>;

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

test.each(Object.entries(supported as Readonly<Record<string, () => ExportedProgram>>))(
  "%s gives PyTorch's program [S-008]",
  (name, run) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const text = comparable(String(run()));
    warn.mockRestore();
    expect(
      text
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n"),
    ).toBe(RECORDED[snake(name)]?.program);
  },
);

/** The refused examples: names with their codes, from the headers. */
const HEADERS = [
  ...readFileSync(new URL("./refused.fixture.ts", import.meta.url), "utf8").matchAll(
    /^\/\/ refused: (\w+) ([A-Z_]+)$/gm,
  ),
].map(([, name, code]) => [name!, code!] as const);
const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const examples = refused as unknown as Readonly<Record<string, () => unknown>>;

test.each(HEADERS)("%s is refused with %s, and its rewrite is exported [S-008]", (name, code) => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  expect(examples[camel(name)]).toThrow(expect.objectContaining({ code }));
  expect(examples[`${camel(name)}Rewrite`]!()).toBeInstanceOf(ExportedProgram);
  warn.mockRestore();
});

/** Errors that say nothing of a model. */
const WITHOUT_ENTRY = new Set(["NOT_RUNNABLE", "EXPORT_OPTION"]);

/** Folders with the errors of exports; those of other parts are not about models. */
const EXPORTS = /^(?:check|control-flow|dynamic|export|nn|pytree|torch|trace|unlift)\//;

const ROOT = new URL("../../../../", import.meta.url);
const page = (name: string): string => readFileSync(new URL(`docs/reference/${name}.md`, ROOT), "utf8");

test("every error of exports links to its entry in the catalog, which exists [S-008]", () => {
  const folder = fileURLToPath(new URL("packages/capture/src/", ROOT));
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => /errors\.ts$/.test(name) && EXPORTS.test(name.replaceAll("\\", "/")),
  );
  const codes = new Set(
    sources.flatMap((name) =>
      [...readFileSync(`${folder}${name}`, "utf8").matchAll(/code: "([A-Z_]+)"/g)].map(([, code]) => code!),
    ),
  );
  expect(codes.size).toBeGreaterThan(30);
  const anchors = new Set([...page("exportdb").matchAll(/^### (\w+)$/gm)].map(([, name]) => name!));
  const sections = new Map(
    page("errors")
      .split("\n### ")
      .map((section) => [section.slice(0, section.indexOf("\n")), section]),
  );
  const wrong = [...codes].filter((code) => {
    const link = /\(exportdb\.md#(\w+)\)/.exec(sections.get(code) ?? "")?.[1];
    return !WITHOUT_ENTRY.has(code) && (link === undefined || !anchors.has(link));
  });
  expect(wrong).toEqual([]);
});

test("each example of PyTorch's is in the catalog, or there is a reason why not", () => {
  const names = [...Object.keys(supported).map(snake), ...HEADERS.map(([name]) => name)];
  const missing = Object.keys(RECORDED).filter((name) => !names.includes(name));
  expect(missing.sort()).toEqual(Object.keys(WITHOUT_COUNTERPART).sort());
});

test("PyTorch refuses the example that Sconce refuses", () => {
  const refusedThere = Object.entries(RECORDED).filter(([, { program }]) => program === undefined);
  expect(refusedThere.map(([name]) => name)).toEqual(["dynamic_shape_round"]);
  expect(HEADERS.map(([name]) => name)).toContain("dynamic_shape_round");
});
