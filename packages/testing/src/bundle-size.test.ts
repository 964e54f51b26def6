import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Minified and gzipped bytes that a page loads at once: its module and what that imports, without
 * the chunks that `import()` loads later.
 */
async function gzippedSize(contents: string): Promise<number> {
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
  const names = new Set<string>();
  const add = (name: string): void => {
    if (names.has(name)) return;
    names.add(name);
    for (const { path, kind } of metafile.outputs[name]!.imports)
      if (kind === "import-statement" && path in metafile.outputs) add(path);
  };
  add(Object.keys(metafile.outputs).find((name) => /stdin/.test(name))!);
  const loaded = outputFiles.filter(({ path }) => [...names].some((name) => path.endsWith(`/${name}`)));
  return loaded.reduce((size, file) => size + gzipSync(file.contents, { level: 9 }).byteLength, 0);
}

const everythingOf = (packages: readonly string[]): string =>
  packages.map((name) => `export * from "${name}";`).join("\n");

test.each([
  {
    what: "reading and printing",
    contents: 'export { readPt2, codeText, graphText, signatureText, readableText } from "sconce";',
    limit: 61_000,
  },
  {
    what: "the core without the verifier",
    contents: everythingOf(["@sconce/tensor", "@sconce/symbolic", "@sconce/ir", "@sconce/formats"]),
    limit: 100_000,
  },
  {
    what: "a session on the interpreter",
    contents: 'export { createSconce } from "sconce";',
    limit: 475_000,
  },
])("$what takes at most $limit bytes in a page, and needs nothing of Node's", async ({ contents, limit }) => {
  const size = await gzippedSize(contents);
  expect(size).toBeLessThanOrEqual(limit);
  expect(size).toBeGreaterThan(limit / 3);
});

test("everything that sconce exports bundles for a browser", async () => {
  expect(await gzippedSize(everythingOf(["sconce"]))).toBeGreaterThan(100_000);
});
