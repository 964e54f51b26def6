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
import webpack from "webpack";
import { runProgram } from "./packed.fixture.js";
import { type Installed, installedProject, type Project } from "./project.fixture.js";

/** Its types say that it is a CommonJS module; it is also one of `import`. */
const commonjs = commonjsPlugin as unknown as typeof commonjsPlugin.default;

/** Reads a `.pt2` file that it holds, lowers it, runs it, and prints what it has. */
function smokeProgram(): string {
  const archive = readFileSync(new URL("../examples/mlp.pt2", import.meta.url)).toString("base64");
  return `import { codeText, createSconce, Tensor } from "sconce";

const bytes = Uint8Array.from(atob("${archive}"), (char) => char.charCodeAt(0));
const sconce = createSconce();
const run = async () => {
  const program = await sconce.load(bytes);
  const lowered = sconce.transform(program, "decompose,fold-constants{weights=true},cse,dce");
  const module = await sconce.module(lowered);
  console.log(codeText(lowered.graph));
  console.log(String(await module.call([Tensor.from([[0.5, 1, 2], [3, 4, 5], [-1, -2, -3], [0, 0, 0]])])));
};
run();
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

describe("bundles run", () => {
  test("webpack", async () => {
    const compiler = webpack({
      mode: "production",
      target: "web",
      context: project.folder,
      entry: "./smoke.mjs",
      output: { path: join(project.folder, "webpack"), filename: "main.cjs", publicPath: "" },
      performance: false,
      // Node has no page to load chunks into.
      module: { parser: { javascript: { dynamicImportMode: "eager" } } },
    });
    const stats = await new Promise<webpack.Stats>((done, fail) => {
      compiler!.run((error, result) => (error === null ? done(result!) : fail(error)));
    });
    const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
    // The gpu.js backend is loaded when somebody asks for it, and gpu.js itself is optional.
    expect(
      [...errors!, ...warnings!].map(({ message }) => message).filter((text) => !/gpu\.js/.test(text)),
    ).toEqual([]);
    // Bundles of pages read the address, which the URL of a worker's script is relative to.
    const page = 'globalThis.self = globalThis;\nglobalThis.location = { href: "http://localhost/" };';
    project.write("webpack/page.cjs", `${page}\nrequire("./main.cjs");`);
    expect(await project.node("webpack/page.cjs")).toBe(expected);
  });

  test("Rollup", async () => {
    const problems: string[] = [];
    const bundle = await rollup({
      input: join(project.folder, "smoke.mjs"),
      external: ["gpu.js"],
      plugins: [nodeResolve({ browser: true, preferBuiltins: false }), commonjs()],
      onLog: (level, { code, message }) => {
        if (level !== "info" && level !== "debug") problems.push(`${code}: ${message}`);
      },
    });
    await bundle.write({ dir: join(project.folder, "rollup"), entryFileNames: "main.mjs", format: "es" });
    await bundle.close();
    expect(problems).toEqual([]);
    expect(await project.node("rollup/main.mjs")).toBe(expected);
  });

  test("esbuild", async () => {
    await esbuild({
      absWorkingDir: project.folder,
      entryPoints: ["smoke.mjs"],
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      external: ["gpu.js"],
      outfile: "esbuild/main.mjs",
      logLevel: "silent",
    });
    expect(await project.node("esbuild/main.mjs")).toBe(expected);
  });

  test("vite", async () => {
    project.write("index.html", '<!doctype html><script type="module" src="/smoke.mjs"></script>');
    const output = { entryFileNames: "main.mjs" };
    const build = { outDir: "vite", modulePreload: false, rollupOptions: { output } };
    project.write("vite.config.mjs", `export default ${JSON.stringify({ base: "./", build })};`);
    await project.tool("vite/bin/vite.js", "build");
    expect(await project.node("vite/main.mjs")).toBe(expected);
  });
});

/** The version of a runtime, or undefined if it is not installed. */
const versionOf = (runtime: string): Promise<string | undefined> =>
  runProgram(runtime, ["--version"], ".").then(
    (text) => text.split("\n")[0],
    () => undefined,
  );

/** Other runtimes, with what runs a file of a project that has its `node_modules`. */
const RUNTIMES = [
  {
    runtime: "deno",
    args: ["run", "--no-remote", "--node-modules-dir=manual", "--allow-read", "--allow-env"],
  },
  { runtime: "bun", args: ["run"] },
];

describe("runtimes run the program", async () => {
  for (const { runtime, args } of RUNTIMES) {
    const version = await versionOf(runtime);
    const title = version === undefined ? `skipped: ${runtime} is not installed` : `${runtime}, ${version}`;
    test.skipIf(version === undefined)(title, async () => {
      expect(await runProgram(runtime, [...args, "smoke.mjs"], project.folder)).toBe(expected);
      expect(
        await runProgram(
          runtime,
          [...args, "node_modules/sconce/bin/sconce.js", "info", "node_modules/sconce/examples/mlp.pt2"],
          project.folder,
        ),
      ).toMatch(/exported program/);
    });
  }
});
