/**
 * @file Bundlers and runtimes other than Node: each bundles or runs one program, which must print
 * what it prints in Node.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import commonjsPlugin from "@rollup/plugin-commonjs";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { build as esbuild } from "esbuild";
import { rollup } from "rollup";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Configuration } from "webpack";
import { type Browser, CHROMIUM, END, hasChromium, openBrowser } from "./browser.fixture.js";
import { bundleByWebpack, findRuntime, RUNTIMES, runtimeTitle } from "./bundlers.fixture.js";
import { runProgram } from "./packed.fixture.js";
import { type Installed, installedProject, type Project } from "./project.fixture.js";

/** Its types say that it is a CommonJS module; it is also one of `import`. */
const commonjs = commonjsPlugin as unknown as typeof commonjsPlugin.default;

/** Reads a `.pt2` file that it holds, lowers it, runs it, and prints what it has. */
function smokeProgram(): string {
  const archive = readFileSync(new URL("../examples/mlp.pt2", import.meta.url)).toString("base64");
  return `import { texts, createSconce, Tensor } from "sconce";

const bytes = Uint8Array.from(atob("${archive}"), (char) => char.charCodeAt(0));
const sconce = createSconce();
const run = async () => {
  const program = await sconce.load(bytes);
  const lowered = sconce.transform(program, "decompose,fold-constants{weights=true},cse,dce");
  const module = await sconce.module(lowered);
  console.log(texts.code(lowered.graph));
  console.log(String(await module.call([Tensor.from([[0.5, 1, 2], [3, 4, 5], [-1, -2, -3], [0, 0, 0]])])));
};
export const done = run();
`;
}

let installed: Installed;
let project: Project;
let expected: string;
beforeAll(async () => {
  installed = await installedProject();
  project = installed.project;
  project.write("smoke.mjs", smokeProgram());
  expected = await project.node("smoke.mjs");
}, 300_000);
afterAll(() => installed?.dispose(), 120_000);

test("the program prints its graph and its result in Node", () => {
  expect(expected).toMatch(/torch\.ops\.aten\.addmm\.default/);
  expect(expected).toMatch(/^tensor\(\[\[/m);
});

/** Bundles an entry for pages; the page is `index.html` of the folder that it returns. */
interface Bundler {
  readonly name: string;
  readonly page: (entries: readonly string[]) => Promise<string>;
}

/** A page that runs a script of its folder. */
const page = (folder: string, script: string): string => {
  project.write(`${folder}/index.html`, `<!doctype html><script type="module" src="${script}"></script>`);
  return join(project.folder, folder);
};

async function byWebpack(config: Configuration): Promise<void> {
  const problems = await bundleByWebpack(project, config);
  // The gpu.js backend is loaded when something asks for it, and gpu.js itself is optional.
  expect(problems.filter((text) => !/gpu\.js/.test(text))).toEqual([]);
}

async function byRollup(entries: readonly string[], folder: string): Promise<void> {
  const problems: string[] = [];
  const bundle = await rollup({
    input: entries.map((entry) => join(project.folder, entry)),
    external: ["gpu.js"],
    plugins: [nodeResolve({ browser: true, preferBuiltins: false }), commonjs()],
    onLog: (level, { code, message }) => {
      if (level !== "info" && level !== "debug") problems.push(`${code}: ${message}`);
    },
  });
  await bundle.write({ dir: join(project.folder, folder), entryFileNames: "[name].mjs", format: "es" });
  await bundle.close();
  expect(problems).toEqual([]);
}

const byEsbuild = (entries: readonly string[], folder: string): Promise<unknown> =>
  esbuild({
    absWorkingDir: project.folder,
    entryPoints: [...entries],
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    external: ["gpu.js"],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    logLevel: "silent",
  });

async function byVite(entry: string, folder: string, input: readonly string[]): Promise<void> {
  project.write("index.html", `<!doctype html><script type="module" src="/${entry}"></script>`);
  const output = { entryFileNames: "[name].mjs" };
  const build = { outDir: folder, modulePreload: false, rollupOptions: { input, output } };
  const config = { base: "./", build, worker: { format: "es" } };
  project.write("vite.config.mjs", `export default ${JSON.stringify(config)};`);
  await project.tool("vite/bin/vite.js", "build");
}

const BUNDLERS: readonly Bundler[] = [
  {
    name: "webpack",
    page: async ([entry]) => {
      const path = join(project.folder, "page-webpack");
      await byWebpack({ entry: `./${entry}`, output: { path, filename: "main.js" } });
      return page("page-webpack", "main.js");
    },
  },
  {
    name: "Rollup",
    page: async (entries) => {
      await byRollup(entries, "page-rollup");
      return page("page-rollup", entries[0]!);
    },
  },
  {
    name: "esbuild",
    page: async (entries) => {
      await byEsbuild(entries, "page-esbuild");
      return page("page-esbuild", entries[0]!);
    },
  },
  {
    name: "vite",
    page: async ([entry]) => {
      await byVite(entry!, "page-vite", ["index.html"]);
      return join(project.folder, "page-vite");
    },
  },
];

if (!hasChromium)
  console.warn(`bundles do not run in a browser: there is no ${CHROMIUM} (apt-get install chromium)`);

describe.runIf(hasChromium)("bundles run in a browser, with no setting of the bundler", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterAll(() => browser?.close());

  /** The same program, and then one in a worker, with its progress. */
  const main = (url: string): string => `import { createSconce, Tensor } from "sconce";
import { done } from "./smoke.mjs";

const worker = new Worker(${url}, { type: "module" });
const run = async () => {
  await done;
  const sconce = createSconce();
  const backend = await sconce.worker(worker);
  const program = sconce.parseIr(\`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[2]) {
  %y: f32[2] = aten.relu.default(%x)
  return (%y)
}\`);
  const seen = [];
  const onProgress = (progress) => seen.push(progress);
  const executable = await sconce.compile(program, backend, { onProgress });
  const [y] = await executable.run([Tensor.from([-1, 1], [2], "float32")]);
  console.log(String(y), seen[0].total > 0 && seen.at(-1).done === seen[0].total);
  backend.dispose();
  console.log("${END}");
};
run();
`;
  const worker = 'import { createSconce, serveSession } from "sconce";\n\nserveSession(createSconce());\n';

  test.each(BUNDLERS)("$name", async ({ name, page: bundle }) => {
    // Rollup and esbuild do not look for workers: the script is an entry.
    const isEntry = name === "Rollup" || name === "esbuild";
    project.write("worker.mjs", worker);
    project.write("main.mjs", main(`new URL("./worker.mjs", import.meta.url)`));
    const folder = await bundle(isEntry ? ["main.mjs", "worker.mjs"] : ["main.mjs"]);
    expect(await browser.printed(folder)).toBe(`${expected}tensor([0., 1.]) true`);
    // The page and the worker ask for the same chunks, but for vite, which bundles workers
    // separately.
    const twice = browser.scripts.filter((path, i) => browser.scripts.indexOf(path) !== i);
    expect(twice.length > 0).toBe(name !== "vite");
  });

  test("vite, with a worker that shares the chunks of the page", async () => {
    project.write("main.mjs", main('new URL(/* @vite-ignore */ "./worker.mjs", import.meta.url)'));
    await byVite("main.mjs", "page-vite-shared", ["index.html", "worker.mjs"]);
    expect(await browser.printed(join(project.folder, "page-vite-shared"))).toBe(
      `${expected}tensor([0., 1.]) true`,
    );
    const twice = browser.scripts.filter((path, i) => browser.scripts.indexOf(path) !== i);
    expect(twice.length).toBeGreaterThan(0);
  });
});

describe("bundles run in Node, which has no page", () => {
  test("webpack", async () => {
    await byWebpack({
      entry: "./smoke.mjs",
      output: { path: join(project.folder, "webpack"), filename: "main.cjs", publicPath: "" },
      // Node has no page to load chunks into.
      module: { parser: { javascript: { dynamicImportMode: "eager" } } },
      // The page's bundle is minified.
      optimization: { minimize: false },
    });
    // Bundles of pages read the address, which the URL of a worker's script is relative to.
    const host = 'globalThis.self = globalThis;\nglobalThis.location = { href: "http://localhost/" };';
    project.write("webpack/page.cjs", `${host}\nrequire("./main.cjs");`);
    expect(await project.node("webpack/page.cjs")).toBe(expected);
  });

  test("Rollup", async () => {
    await byRollup(["smoke.mjs"], "rollup");
    expect(await project.node("rollup/smoke.mjs")).toBe(expected);
  });

  test("esbuild", async () => {
    await byEsbuild(["smoke.mjs"], "esbuild");
    expect(await project.node("esbuild/smoke.mjs")).toBe(expected);
  });

  test("vite", async () => {
    await byVite("smoke.mjs", "vite", ["index.html"]);
    expect(await project.node("vite/index.mjs")).toBe(expected);
  });
});

describe("runtimes run the program", async () => {
  for (const runtime of RUNTIMES) {
    const found = await findRuntime(runtime);
    const { args } = runtime;
    test.skipIf(found === undefined)(runtimeTitle(runtime, found), async () => {
      const { command } = found!;
      expect(await runProgram(command, [...args, "smoke.mjs"], project.folder)).toBe(expected);
      expect(
        await runProgram(
          command,
          [...args, "node_modules/sconce/bin/sconce.js", "info", "node_modules/sconce/examples/mlp.pt2"],
          project.folder,
        ),
      ).toMatch(/exported program/);
    });
  }
});
