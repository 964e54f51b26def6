/**
 * @file A built module in projects of bundlers and in runtimes other than Node. The projects hold
 * nothing of Sconce.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, CHROMIUM, END, hasChromium, openBrowser } from "./browser.fixture.js";
import { type BuildOptions, buildModule } from "./build.js";
import { bundleByWebpack, findRuntime, RUNTIMES, runtimeTitle } from "./bundlers.fixture.js";
import { openPt2File } from "./node.js";
import { runProgram } from "./packed.fixture.js";
import { Project } from "./project.fixture.js";

const folder = mkdtempSync(join(tmpdir(), "sconce-built-elsewhere-"));
const project = new Project(folder);
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the module on an image, and prints the scores. */
const main = (options: string): string => `import { load } from "./digits.mjs";
const model = await load(${options});
const image = Float32Array.from({ length: 64 }, (_, at) => (at * 7) % 17);
const { shape, data } = await model.run({ image });
console.log(shape.join("x"), data.join(" "));
`;
const inPage = (text: string): string => `${text}console.log("${END}");\n`;
const page = (script: string): string => `<!doctype html><script type="module" src="${script}"></script>`;

/** Runs a batch of images that threads share, and prints how many there are. */
const threads = (count: number): string => `import { load } from "./threaded.mjs";
const model = await load({ threads: ${count} });
const data = Float32Array.from({ length: 64 * 900 }, (_, at) => (at * 7) % 17);
const scores = await model.run({ image: { data, shape: [900, 1, 8, 8] } });
console.log(scores.shape.join("x"), scores.data.slice(-20).join(" "), model.threads);
`;

let expected: string;
let expectedOfThreads: string;
beforeAll(async () => {
  const program = await openPt2File(new URL("../examples/digits.pt2", import.meta.url));
  for (const options of [{ name: "digits" }, { name: "threaded", threads: true }]) {
    const { files } = await buildModule(program, options);
    for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  }
  project.write("one.js", threads(1));
  project.write("threads.js", threads(2));
  project.write("threads-main.js", inPage(threads(2)));
  expectedOfThreads = (await project.node("one.js")).replace(/1\n$/, "2\n");
  project.write("package.json", '{ "type": "module" }');
  project.write("run.js", main(""));
  project.write("main.js", inPage(main("")));
  expected = await project.node("run.js");
}, 120_000);

test("the module runs in Node", () => {
  expect(expected).toMatch(/^1x10 (\S+ ?){10}\n$/);
});

test("threads of Node compute it", async () => {
  expect(await project.node("threads.js")).toBe(expectedOfThreads);
});

if (!hasChromium)
  console.warn(`bundles do not run in a browser: there is no ${CHROMIUM} (apt-get install chromium)`);

describe.runIf(hasChromium)("bundles find the files of the module, and run in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterAll(() => browser?.close());

  /** Runs the page of a folder. */
  const printed = async (place: string): Promise<string> => `${await browser.printed(join(folder, place))}\n`;

  test("the files as they are, without a bundler", async () => {
    project.write("index.html", page("main.js"));
    expect(await printed(".")).toBe(expected);
  });

  const isolated = async (place: string): Promise<string> =>
    `${await browser.printed(join(folder, place), "index.html", true)}\n`;

  test("threads of a page compute it, as files and by vite and webpack", async () => {
    project.write("index.html", page("/threads-main.js"));
    expect(await isolated(".")).toBe(expectedOfThreads);
    // A page that is not isolated has one thread.
    expect(await printed(".")).toBe(expectedOfThreads.replace(/2\n$/, "1\n"));
    const build = { outDir: "threads-by-vite", modulePreload: false };
    project.write("vite.config.mjs", `export default ${JSON.stringify({ base: "./", build })};`);
    await project.tool("vite/bin/vite.js", "build");
    expect(await isolated("threads-by-vite")).toBe(expectedOfThreads);
    const output = { path: join(folder, "threads-by-webpack"), filename: "main.js" };
    expect(await bundleByWebpack(project, { entry: "./threads-main.js", output })).toEqual([]);
    project.write("threads-by-webpack/index.html", page("main.js"));
    expect(await isolated("threads-by-webpack")).toBe(expectedOfThreads);
  });

  test("vite, with no setting", async () => {
    project.write("index.html", page("/main.js"));
    const build = { outDir: "by-vite", modulePreload: false };
    project.write("vite.config.mjs", `export default ${JSON.stringify({ base: "./", build })};`);
    await project.tool("vite/bin/vite.js", "build");
    expect(await printed("by-vite")).toBe(expected);
  });

  test("webpack, with no setting", async () => {
    const output = { path: join(folder, "by-webpack"), filename: "main.js" };
    expect(await bundleByWebpack(project, { entry: "./main.js", output })).toEqual([]);
    project.write("by-webpack/index.html", page("main.js"));
    expect(await printed("by-webpack")).toBe(expected);
  });

  test("esbuild, with the files as loaders give them", async () => {
    const files = [
      'import wasm from "./digits.wasm";',
      'import weights from "./digits.safetensors";',
      "const options = { wasm: new URL(wasm, import.meta.url), weights: new URL(weights, import.meta.url) };",
    ];
    project.write("loaders.js", `${files.join("\n")}\n${inPage(main("options"))}`);
    await esbuild({
      absWorkingDir: folder,
      entryPoints: ["loaders.js"],
      bundle: true,
      minify: true,
      format: "esm",
      outdir: "by-esbuild",
      loader: { ".wasm": "file", ".safetensors": "file" },
      logLevel: "silent",
    });
    project.write("by-esbuild/index.html", page("loaders.js"));
    expect(await printed("by-esbuild")).toBe(expected);
  });
});

/** Modules of all kinds: what they are built with, and what they are loaded with. */
const KINDS: Readonly<Record<string, readonly [build: BuildOptions, load: string, bits: boolean]>> = {
  inline: [{ inline: true }, "{}", true],
  packed: [{ packed: true }, "{}", true],
  threaded: [{ threads: true }, "{ threads: 2 }", true],
  "threaded-inline": [{ threads: true, inline: true }, "{ threads: 2 }", true],
  // Relaxed products round once, where an engine has them; sums in JavaScript are of float64.
  relaxed: [{ relaxed: true }, "{}", false],
  script: [{ targets: ["js"] }, "{}", false],
  "script-inline": [{ targets: ["js"], inline: true }, "{}", false],
  both: [{ targets: ["wasm", "js"] }, "{}", true],
};

/** Prints what runs a module, and whether it has the scores of the module `digits`. */
const kinds = (): string => `import { load, ModelError } from "./digits.mjs";
const image = { data: Float32Array.from({ length: 64 * 900 }, (_, at) => (at * 7) % 17), shape: [900, 1, 8, 8] };
const right = (await (await load({})).run({ image })).data;
const kinds = ${JSON.stringify(Object.entries(KINDS).map(([name, [, , bits]]) => [name, bits]))};
const options = { ${Object.entries(KINDS)
  .map(([name, [, text]]) => `${JSON.stringify(name)}: ${text}`)
  .join(", ")} };
for (const [name, bits] of kinds) {
  const model = await (await import(\`./\${name}.mjs\`)).load(options[name]);
  const { data } = await model.run({ image });
  const far = data.filter((score, at) => bits ? score !== right[at] : Math.abs(score - right[at]) > 1e-4);
  console.log(name, model.target, model.threads, far.length);
  model.dispose();
}
const model = await load();
await model.run({ image: new Float64Array(64) }).catch((error) => console.log(error instanceof ModelError, error.code));
`;
const expectedOfKinds = `inline wasm 1 0
packed wasm 1 0
threaded wasm 2 0
threaded-inline wasm 2 0
relaxed wasm 1 0
script js 1 0
script-inline js 1 0
both wasm 1 0
true INPUT_DTYPE
`;

describe("runtimes run modules of all kinds", async () => {
  beforeAll(async () => {
    const program = await openPt2File(new URL("../examples/digits.pt2", import.meta.url));
    for (const [name, [options]] of Object.entries(KINDS)) {
      const { files } = await buildModule(program, { name, ...options });
      for (const [file, bytes] of files) writeFileSync(join(folder, file), bytes);
    }
    project.write("kinds.js", kinds());
  }, 120_000);

  test("Node", async () => {
    expect(await project.node("kinds.js")).toBe(expectedOfKinds);
  });
  for (const runtime of RUNTIMES) {
    const found = await findRuntime(runtime);
    test.skipIf(found === undefined)(runtimeTitle(runtime, found), async () => {
      const run = (file: string): Promise<string> =>
        runProgram(found!.command, [...runtime.args, file], folder);
      expect(await run("run.js")).toBe(expected);
      expect(await run("kinds.js")).toBe(expectedOfKinds);
      // Threads of a model that is not disposed of do not keep the program from its end.
      expect(await run("threads.js")).toBe(expectedOfThreads);
    });
  }
});
