/** @file The TypeScript of every page has no type errors, in a strict project. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runProgram } from "../packed.fixture.js";
import { type Block, blocksOf, ROOT } from "./page.fixture.js";

const PAGES = [
  ...readdirSync(`${ROOT}docs`, { recursive: true }).map(
    (name) => `docs/${String(name).replaceAll("\\", "/")}`,
  ),
  ...readdirSync(`${ROOT}packages`).map((name) => `packages/${name}/README.md`),
  "README.md",
].filter((page) => page.endsWith(".md"));

// Within the package, so that its dependencies are found; the folder is ignored by git.
const folder = mkdtempSync(join(ROOT, "packages/sconce/dist/.pages-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The blocks of a page as one module, each line where it is in the page. */
function moduleOf(blocks: readonly Block[]): string {
  const imports = new Map<string, string>();
  const lines: string[] = [];
  for (const { text, line } of blocks) {
    while (lines.length < line) lines.push("");
    // Blocks see each other's imports, and may repeat them.
    const body = text.replace(
      /^import \{([^}]*)\} from ("[^"]+");$/gm,
      (whole, list: string, from: string) => {
        for (const name of list.split(",").map((one) => one.trim()))
          if (name !== "") imports.set(name.replace(/^type /, ""), `import { ${name} } from ${from};`);
        return whole.replace(/[^\n]/g, "");
      },
    );
    lines.push(...body.trimEnd().split("\n"));
  }
  lines[0] = [...imports.values()].join(" ");
  return `${lines.join("\n")}\nexport {};\n`;
}

test("the code blocks of all pages have the right types", async () => {
  const names = new Map<string, string>();
  for (const page of PAGES) {
    const blocks = await blocksOf(page);
    const code = blocks.filter(({ language, file }) => language === "ts" && file === undefined);
    if (code.length === 0) continue;
    const name = `${page.replace(/\W/g, "_")}.mts`;
    names.set(name, page);
    writeFileSync(join(folder, name), moduleOf(code));
  }
  expect(names.size).toBeGreaterThan(30);
  const compilerOptions = {
    strict: true,
    // Node runs the files of tutorials itself: it takes types out, and compiles nothing.
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: "es2022",
    lib: ["es2023", "dom", "esnext.disposable"],
    module: "nodenext",
    types: ["node"],
    skipLibCheck: true,
    noEmit: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.mts"] }));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const errors = await runProgram(process.execPath, [tsc, "-p", "."], folder).catch(
    (error: Error) => error.message,
  );
  const placed = errors.replace(
    /(\w+\.mts)\((\d+),\d+\)/g,
    (_, name: string, line: string) => `${names.get(name)}:${line}`,
  );
  expect(placed.trim()).toBe("");
});
