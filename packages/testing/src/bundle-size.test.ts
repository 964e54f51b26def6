import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Minified and gzipped bytes of a module, as a browser would load it. */
async function gzippedSize(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: `${ROOT}packages/sconce` },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "browser",
    conditions: ["@sconce/source"],
    // Loaded when a program asks for it.
    external: ["@sconce/backend-gpujs"],
  });
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).byteLength;
}

const everythingOf = (packages: readonly string[]): string =>
  packages.map((name) => `export * from "${name}";`).join("\n");

test.each([
  {
    what: "reading and printing",
    contents: 'export { readPt2, codeText, graphText, signatureText, readableText } from "sconce";',
    limit: 55_000,
  },
  {
    what: "the core",
    contents: everythingOf(["@sconce/tensor", "@sconce/symbolic", "@sconce/ir", "@sconce/formats"]),
    limit: 100_000,
  },
  {
    what: "a session on the interpreter",
    contents: 'export { createSconce } from "sconce";',
    limit: 510_000,
  },
])("$what takes at most $limit bytes in a page, and needs nothing of Node's", async ({ contents, limit }) => {
  const size = await gzippedSize(contents);
  expect(size).toBeLessThanOrEqual(limit);
  expect(size).toBeGreaterThan(limit / 3);
});

test("everything that sconce exports bundles for a browser", async () => {
  expect(await gzippedSize(everythingOf(["sconce"]))).toBeGreaterThan(100_000);
});
