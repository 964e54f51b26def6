/** @file Bundlers and runtimes other than Node. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import webpack, { type Compiler, type Configuration } from "webpack";
import { runProgram } from "./packed.fixture.js";
import type { Project } from "./project.fixture.js";

/** Minifies as webpack's own plugin does, with esbuild: Terser takes ten times as long. */
const minify = ({ hooks, webpack: { Compilation, sources } }: Compiler): void =>
  hooks.compilation.tap("minify", (compilation) =>
    compilation.hooks.processAssets.tapPromise(
      { name: "minify", stage: Compilation.PROCESS_ASSETS_STAGE_OPTIMIZE_SIZE },
      async (assets) => {
        for (const [name, asset] of Object.entries(assets)) {
          if (!/\.[cm]?js$/.test(name)) continue;
          const { code } = await transform(asset.source().toString(), { minify: true });
          compilation.updateAsset(name, new sources.RawSource(code));
        }
      },
    ),
  );

/** Bundles a project for pages. Returns errors and warnings. */
export async function bundleByWebpack(
  { folder }: Project,
  config: Configuration,
): Promise<readonly string[]> {
  const compiler = webpack({
    mode: "production",
    target: "web",
    context: folder,
    performance: false,
    optimization: { minimizer: [minify] },
    ...config,
  });
  const stats = await new Promise<webpack.Stats>((done, fail) => {
    compiler!.run((error, result) => (error === null ? done(result!) : fail(error)));
  });
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  return [...errors!, ...warnings!].map(({ message }) => message);
}

/** A runtime other than Node. */
interface Runtime {
  readonly name: string;
  /** Names the folder where `npm install --prefix FOLDER` put the packages of the runtime. */
  readonly variable: string;
  /** The scope of its packages, one for each platform, and where they have the program. */
  readonly scope: string;
  readonly file: string;
  /** What runs a file of a project that has its `node_modules`. */
  readonly args: readonly string[];
}

/** A runtime that is here. */
interface FoundRuntime {
  readonly command: string;
  readonly version: string;
}

/** The runtimes. Sconce does not depend on their packages, which have about 100 MB. */
export const RUNTIMES: readonly Runtime[] = [
  {
    name: "deno",
    variable: "SCONCE_DENO",
    scope: "@deno",
    file: "deno",
    args: ["run", "--no-remote", "--node-modules-dir=manual", "--allow-read", "--allow-env"],
  },
  { name: "bun", variable: "SCONCE_BUN", scope: "@oven", file: "bin/bun", args: ["run"] },
];

/** Finds a runtime in the folder that its variable names, else on the path. */
export async function findRuntime(runtime: Runtime): Promise<FoundRuntime | undefined> {
  for (const command of commandsOf(runtime)) {
    // Of packages for several libraries of C, only one runs.
    const version = await versionOf(command);
    if (version !== undefined) return { command, version };
  }
  return undefined;
}

/** Returns the title of the tests of a runtime. */
export const runtimeTitle = ({ name, variable }: Runtime, found: FoundRuntime | undefined): string =>
  found === undefined
    ? `skipped: ${name} is not on the path, and ${variable} names no folder with its package`
    : `${name}, ${found.version}`;

function commandsOf({ name, variable, scope, file }: Runtime): readonly string[] {
  const folder = process.env[variable];
  if (folder === undefined) return [name];
  const packages = join(folder, "node_modules", scope);
  if (!existsSync(packages)) return [name];
  const program = process.platform === "win32" ? `${file}.exe` : file;
  return [...readdirSync(packages).map((one) => join(packages, one, program)), name];
}

const versionOf = (command: string): Promise<string | undefined> =>
  runProgram(command, ["--version"], ".").then(
    (text) => text.split("\n")[0],
    () => undefined,
  );
