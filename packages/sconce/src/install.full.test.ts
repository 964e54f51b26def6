/** @file Sconce as a user has it: installed from the tarballs in an empty project. */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blocksOf, isSuite } from "./docs/page.fixture.js";
import { ROOT } from "./packed.fixture.js";
import { type Installed, installedProject, type Project } from "./project.fixture.js";

let installed: Installed;
let project: Project;
beforeAll(async () => {
  installed = await installedProject();
  project = installed.project;
}, 300_000);
afterAll(() => installed?.dispose(), 120_000);

const EXAMPLES = "node_modules/sconce/examples";

/** How projects resolve modules: those of Node, and those of bundlers. */
const RESOLUTIONS = [
  { module: "nodenext", moduleResolution: "nodenext" },
  { module: "esnext", moduleResolution: "bundler" },
];

test("the command runs", async () => {
  expect(await project.bin("sconce", "--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(await project.bin("sconce", "info", `${EXAMPLES}/mlp.pt2`)).toMatch(/exported program \(\.pt2\)/);
  expect(await project.bin("sconce", "explain", "NO_VALUES")).toMatch(/^NO_VALUES\n/);
});

describe("every entry point", () => {
  const NAMES = [
    "",
    "/node",
    "/gpujs",
    "/wasm",
    "/serve",
    "/loops",
    "/symbolic",
    "/topology",
    "/typescript",
    "/torch-libraries",
    "/quantization",
    "/testing",
  ];
  const entries = [...NAMES, "/testing/vitest", "/testing/fast-check"].map((name) => `sconce${name}`);
  const text = entries.map(
    (name, i) => `import * as entry${i} from "${name}";\nconsole.log(Object.keys(entry${i}).length);\n`,
  );

  test.each(RESOLUTIONS)("has types with $moduleResolution", async (options) => {
    project.write("entries.mts", text.join(""));
    expect(await project.typeErrors(["entries.mts"], options)).toBe("");
    // A project for Node only has no types of browsers; those of vitest need them.
    project.write("entries-node.mts", text.slice(0, 10).join(""));
    expect(await project.typeErrors(["entries-node.mts"], { ...options, lib: ["es2022"] })).toBe("");
  });

  test("is loaded by Node", async () => {
    const loaded = await project.program("entries", text.slice(0, 10).join(""));
    expect(
      loaded
        .trim()
        .split("\n")
        .every((count) => Number(count) > 0),
    ).toBe(true);
  });
});

/** The TypeScript of a page, which readers put into one file. */
async function codeOf(page: string): Promise<string> {
  const blocks = await blocksOf(page);
  return blocks
    .flatMap(({ language, file, text }) => (language === "ts" && file === undefined ? [text] : []))
    .join("");
}

describe("pages work outside of the repository, from what they show", () => {
  /** Their code needs a document, and prints nothing: its types are checked. */
  const IN_BROWSERS = new Set(["docs/tutorials/graph-element.md"]);
  const files: string[] = [];
  const TUTORIALS = readdirSync(`${ROOT}docs/tutorials`).map((name) => `docs/tutorials/${name}`);

  test.each(["README.md", "packages/sconce/README.md", ...TUTORIALS])("%s", async (page) => {
    const code = await codeOf(page);
    if (code === "") return;
    const name = page.replace(/\W/g, "-");
    const isTest = await isSuite(page);
    if (isTest) project.write(`${name}.test.ts`, code);
    else if (IN_BROWSERS.has(page)) project.write(`${name}.mts`, code);
    else expect(await project.program(name, code)).not.toBe("");
    const file = isTest ? `${name}.test.ts` : `${name}.mts`;
    files.push(file);
    if (isTest) expect(await project.tool("vitest/vitest.mjs", "run", file)).toMatch(/Tests +\d+ passed/);
  });

  // The compiler reads Sconce's types once for all pages.
  test.each(RESOLUTIONS)("have the right types with $moduleResolution", async (options) => {
    expect(files.length).toBeGreaterThan(10);
    expect(await project.typeErrors(files, options)).toBe("");
  });

  /** Writes the files that a tutorial names. */
  async function writeFiles(page: string, into: Project): Promise<void> {
    for (const { file, text } of await blocksOf(page)) if (file !== undefined) into.write(file, text);
  }

  test("docs/tutorials/package-a-plugin.md", async () => {
    const plugin = project.inside("snake");
    await writeFiles("docs/tutorials/package-a-plugin.md", plugin);
    await plugin.tool("typescript/bin/tsc", "--types", "node");
    expect(await plugin.typeErrors(["src/index.test.ts"], RESOLUTIONS[0]!)).toBe("");
    expect(await plugin.tool("vitest/vitest.mjs", "run")).toMatch(/Tests +2 passed/);
    await plugin.shell("npm pack --ignore-scripts");
    await project.install("npm install ./snake/sconce-plugin-snake-1.0.0.tgz");
    expect(await project.bin("sconce", "passes", "--plugin", "sconce-plugin-snake")).toMatch(/dce/);
    const [use] = (await blocksOf("docs/tutorials/package-a-plugin.md")).filter(
      ({ file }) => file === "use-snake.ts",
    );
    expect(await project.program("use-snake", use!.text)).toBe("kernel\n");
    for (const options of RESOLUTIONS) expect(await project.typeErrors(["use-snake.mts"], options)).toBe("");
  });

  test("docs/tutorials/run-in-a-page.md", async () => {
    const page = project.inside("page");
    await writeFiles("docs/tutorials/run-in-a-page.md", page);
    expect(await page.typeErrors(["main.ts", "worker-page.ts", "worker.ts"], RESOLUTIONS[1]!)).toBe("");
    expect(await page.tool("vite/bin/vite.js", "build")).toMatch(/dist\/index\.html/);
    page.write(
      "index.html",
      readFileSync(`${page.folder}/index.html`, "utf8").replace("/main.ts", "/worker-page.ts"),
    );
    expect(await page.tool("vite/bin/vite.js", "build")).toMatch(/dist\/index\.html/);
  });

  test("the README's commands", async () => {
    const [commands] = (await blocksOf("README.md")).filter(({ text }) => text.startsWith("npx sconce info"));
    for (const line of commands!.text.replaceAll("\\\n", "").trim().split("\n"))
      await project.shell(line).catch((error: Error) => {
        // `sconce diff` has found differences.
        if (!/sconce diff/.test(line) || !/exit code 1\n/.test(error.message)) throw error;
      });
  });
});
