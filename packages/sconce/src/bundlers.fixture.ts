/** @file Bundlers and runtimes other than Node. */
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

/** Returns the version of a runtime, or undefined if it is not installed. */
export const versionOf = (runtime: string): Promise<string | undefined> =>
  runProgram(runtime, ["--version"], ".").then(
    (text) => text.split("\n")[0],
    () => undefined,
  );

/** Other runtimes, with what runs a file of a project that has its `node_modules`. */
export const RUNTIMES: readonly { readonly runtime: string; readonly args: readonly string[] }[] = [
  {
    runtime: "deno",
    args: ["run", "--no-remote", "--node-modules-dir=manual", "--allow-read", "--allow-env"],
  },
  { runtime: "bun", args: ["run"] },
];
