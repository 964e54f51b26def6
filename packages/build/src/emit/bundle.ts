/** @file Kernels of the interpreter as text: just those that a program calls. */
import { kernelFile } from "@sconce/backend-cpu";
import { internalError, scriptString } from "@sconce/errors";
import { bundlerMissing } from "../code/errors.js";

/** What is used of the package `esbuild`. */
interface Esbuild {
  build(options: Readonly<Record<string, unknown>>): Promise<{
    readonly outputFiles: readonly { readonly text: string }[];
  }>;
}
/** What is used of a build to resolve names. */
interface PluginBuild {
  onResolve(
    options: { readonly filter: RegExp },
    find: (args: { readonly path: string }) => Promise<{ readonly path: string }>,
  ): void;
  resolve(
    name: string,
    options: { readonly kind: string; readonly resolveDir: string },
  ): Promise<{ readonly path: string; readonly errors: readonly { readonly text: string }[] }>;
}

const PREFIX = "sconce-kernels:";

/**
 * Returns an expression of an object with `makeKernels`, which makes the kernels of these targets
 * for one model.
 *
 * @param refuses whether calls look at their operands first
 * @throws SconceError `BUNDLER_MISSING` without the package `esbuild`
 */
export async function bundledKernels(targets: readonly string[], refuses: boolean): Promise<string> {
  const esbuild = await loadEsbuild();
  const folder = ownFolder();
  const result = await esbuild.build({
    stdin: { contents: entryText(targets, refuses), resolveDir: folder, loader: "ts" },
    absWorkingDir: folder,
    bundle: true,
    format: "iife",
    globalName: "part",
    minify: true,
    write: false,
    target: "es2022",
    charset: "ascii",
    legalComments: "none",
    logLevel: "silent",
    platform: "neutral",
    mainFields: ["module", "main"],
    plugins: [{ name: "kernels", setup: (build: PluginBuild) => resolveKernels(build, folder) }],
  });
  const text = result.outputFiles[0]!.text.trim();
  const body = /^(?:"use strict";)?var part=(.*);$/s.exec(text)?.[1];
  if (body === undefined) throw internalError("esbuild wrote another form");
  return body;
}

/** Returns the module that has the kernels. Targets are names of kernels that exist. */
function entryText(targets: readonly string[], refuses: boolean): string {
  const files = new Map(
    targets.map((target) => {
      const found = kernelFile(target);
      if (found === undefined) throw internalError(`no file holds the kernel of ${target}`);
      return [target, found] as const;
    }),
  );
  const imports = new Map([...files.values()].map(({ file, table }) => [file, table]));
  const fields = [...files].map(
    ([target, { table }]) => `${scriptString(target)}: ${table}[${scriptString(target)}],`,
  );
  return [
    'import { KernelRuntime } from "../host/kernel-runtime.js";',
    `import { createRandomSource } from "${PREFIX}kernels/random-source";`,
    ...(refuses ? [`import { CPU_REFUSALS } from "${PREFIX}interpreter/refusals";`] : []),
    ...[...imports].map(([file, table]) => `import { ${table} } from "${PREFIX}kernels/${file}";`),
    `export const makeKernels = () => new KernelRuntime({ ${fields.join(" ")} }, createRandomSource${refuses ? ", CPU_REFUSALS" : ""});`,
  ].join("\n");
}

/** Finds the files of the interpreter. */
function resolveKernels(build: PluginBuild, resolveDir: string): void {
  build.onResolve({ filter: new RegExp(`^${PREFIX}`) }, async ({ path }) => {
    const found = await build.resolve("@sconce/backend-cpu", { kind: "import-statement", resolveDir });
    const [, folder, ending] = /^(.*[\\/])[^\\/]*(\.[jt]s)$/.exec(found.path) ?? [];
    if (folder === undefined)
      throw internalError(`the files of kernels are not found: ${found.errors[0]?.text ?? found.path}`);
    return { path: `${folder}${path.slice(PREFIX.length)}${ending}` };
  });
}

/** Returns the folder of this file. */
function ownFolder(): string {
  const { process } = globalThis as {
    readonly process?: { getBuiltinModule?(name: string): unknown };
  };
  const url = process?.getBuiltinModule?.("node:url") as
    | { fileURLToPath(url: string | URL): string }
    | undefined;
  if (url === undefined) throw bundlerMissing("it runs in Node");
  return url.fileURLToPath(new URL(".", import.meta.url));
}

async function loadEsbuild(): Promise<Esbuild> {
  try {
    return (await import("esbuild" as string)) as Esbuild;
  } catch (cause) {
    const [line] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    throw bundlerMissing(line!, cause);
  }
}
