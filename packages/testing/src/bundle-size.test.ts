import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** What a page takes: bytes are minified and gzipped. */
interface PageSize {
  /** What it loads at once: its module and what that imports. */
  readonly first: number;
  /** The same with all chunks that `import()` loads later, if ever. */
  readonly all: number;
  /** Packages from elsewhere among what it loads at once. */
  readonly libraries: readonly string[];
}

async function sizeOf(contents: string): Promise<PageSize> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: `${ROOT}packages/sconce` },
    bundle: true,
    splitting: true,
    metafile: true,
    write: false,
    outdir: "out",
    minify: true,
    format: "esm",
    platform: "browser",
    conditions: ["@sconce/source"],
  });
  const names = [...loadedAtOnce(metafile)];
  let [first, all] = [0, 0];
  for (const { path, contents: bytes } of outputFiles) {
    const size = gzipSync(bytes, { level: 9 }).byteLength;
    all += size;
    if (names.some((name) => path.endsWith(`/${name}`))) first += size;
  }
  return { first, all, libraries: librariesIn(names, metafile) };
}

/** Names of the chunks that the entry imports, directly or not, and its own. */
function loadedAtOnce({ outputs }: Metafile): ReadonlySet<string> {
  const names = new Set(Object.keys(outputs).filter((name) => /stdin/.test(name)));
  for (const name of names)
    for (const { path, kind } of outputs[name]!.imports)
      if (kind === "import-statement" && path in outputs) names.add(path);
  return names;
}

function librariesIn(names: readonly string[], { outputs }: Metafile): string[] {
  const inputs = names.flatMap((name) => Object.entries(outputs[name]!.inputs));
  const files = inputs.flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? file : []));
  const library = (file: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [];
  return [...new Set(files.flatMap(library))].sort();
}

const everythingOf = (packages: readonly string[]): string =>
  packages.map((name) => `export * from "${name}";`).join("\n");

test.each([
  {
    what: "reading and printing",
    contents: 'export { readPt2, codeText, graphText, signatureText, readableText } from "sconce";',
    limits: { first: 62_000, all: 73_000 },
    libraries: [],
  },
  {
    what: "the core without the verifier",
    contents: everythingOf(["@sconce/tensor", "@sconce/symbolic", "@sconce/ir", "@sconce/formats"]),
    limits: { first: 107_000, all: 118_000 },
    libraries: ["immer"],
  },
  {
    what: "a session on the interpreter",
    contents: 'export { createSconce } from "sconce";',
    limits: { first: 479_000, all: 490_000 },
    libraries: ["immer", "reflect-metadata", "tslib", "tsyringe"],
  },
])(
  "$what takes at most $limits.first bytes in a page, $limits.all with later chunks, and needs nothing of Node's",
  async ({ contents, limits, libraries }) => {
    const size = await sizeOf(contents);
    expect(size.libraries).toEqual(libraries);
    expect(size.first).toBeLessThanOrEqual(limits.first);
    expect(size.all).toBeLessThanOrEqual(limits.all);
    expect(size.first).toBeGreaterThan(limits.first / 3);
  },
);

test("everything that sconce exports bundles for a browser", async () => {
  expect((await sizeOf(everythingOf(["sconce"]))).first).toBeGreaterThan(100_000);
});
