import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ExportedProgram } from "@sconce/ir";
import { expect, test, vi } from "vitest";
import { comparable } from "../capture/harness.fixture.js";
import { examplesOf, REFUSED_FILES, WITHOUT_COUNTERPART } from "../docs/catalog-page.js";
import { fixtureJson } from "../fixtures.js";
import * as refused from "./refused.fixture.js";
import * as refusedLibrary from "./refused-library.fixture.js";
import * as refusedSizes from "./refused-sizes.fixture.js";
import * as refusedStrict from "./refused-strict.fixture.js";
import * as supported from "./supported.fixture.js";

const ROOT = new URL("../../../../", import.meta.url);

const RECORDED = fixtureJson("capture/exportdb.json.gz") as Readonly<
  Record<string, { readonly program?: string; readonly message?: string }>
>;

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

/** The refused examples, from the headers. */
const TEXTS = [
  new URL("./refused-sizes.fixture.ts", import.meta.url),
  new URL("./refused.fixture.ts", import.meta.url),
  new URL("./refused-library.fixture.ts", import.meta.url),
  new URL("./refused-strict.fixture.ts", import.meta.url),
].map((file) => readFileSync(file, "utf8"));
const REFUSED = REFUSED_FILES.flatMap((file, i) => examplesOf(file, TEXTS[i]!));
const HEADERS = REFUSED.map(({ name, code, construct }) => [name, code!, construct] as const);
const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
type Examples = Readonly<Record<string, () => unknown>>;
const ofModels = { ...refusedSizes, ...refused } as unknown as Examples;
const ofLibraries = refusedLibrary as unknown as Examples;
const ofStrictMode = refusedStrict as unknown as Examples;
const example = (name: string): (() => unknown) => ofModels[name] ?? ofLibraries[name] ?? ofStrictMode[name]!;

test.each(HEADERS)(
  "%s is refused with %s, and its rewrite is exported [S-008]",
  async (name, code, construct) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const message =
      construct === undefined
        ? expect.any(String)
        : expect.stringMatching(new RegExp(`^[^\n]*\n[^\n]*: ${construct}: `));
    expect(example(camel(name))).toThrow(expect.objectContaining({ code, message }));
    expect(await example(`${camel(name)}Rewrite`)()).toBeInstanceOf(ExportedProgram);
    warn.mockRestore();
  },
);

test("each construct of strict mode has its own entry [S-008]", () => {
  const entries = HEADERS.filter(([, code]) => code === "STRICT_MODE");
  // A test of capture compares the table of the page with the constructs.
  const text = readFileSync(new URL("docs/concepts/strict-mode.md", ROOT), "utf8");
  const linked = [...text.matchAll(/^\| `([\w-]+)` \|.*\(\.\.\/reference\/exportdb\.md#(\w+)\) \|$/gm)];
  expect(linked.map(([, construct, name]) => [name, construct])).toEqual(
    entries.map(([name, , construct]) => [name, construct]),
  );
  expect(entries).toHaveLength(14);
});

/**
 * Errors that say nothing of a model: of programs that are run, and written as TypeScript, and of
 * calls at once on tensors without values.
 */
const WITHOUT_ENTRY = new Set(["NOT_RUNNABLE", "NO_TYPESCRIPT", "NO_VALUES"]);

const page = (name: string): string => readFileSync(new URL(`docs/reference/${name}.md`, ROOT), "utf8");

test("every error of exports links to its entry in the catalog, which exists [S-008]", () => {
  const sources = ["source-check", "torch", "capture"].flatMap((name) => {
    const folder = fileURLToPath(new URL(`packages/${name}/src/`, ROOT));
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return files.filter((file) => /errors\.ts$/.test(file)).map((file) => `${folder}${file}`);
  });
  const codes = new Set(
    sources.flatMap((name) =>
      [...readFileSync(name, "utf8").matchAll(/code: "([A-Z_]+)"/g)].map(([, code]) => code!),
    ),
  );
  expect(codes.size).toBeGreaterThan(50);
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
  const refusedCodes = new Set(HEADERS.map(([, code]) => code));
  expect([...codes].filter((code) => !WITHOUT_ENTRY.has(code) && !refusedCodes.has(code))).toEqual([]);
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
